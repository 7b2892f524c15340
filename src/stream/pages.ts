/** This file goes through a log, page by page. */
import type { Cursor, Log, LogPage, LogPages, Session } from "./log.ts";

/** Items by the dozen: what is handed on one by one costs more than what it is. The first page has at most `firstMax`. */
export async function* pagesOf<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  itemsMax = 256,
  firstMax = itemsMax,
): AsyncGenerator<Item[]> {
  let [page, most]: [Item[], number] = [[], firstMax];
  for await (const item of items) {
    page.push(item);
    if (page.length < most) continue;
    yield page;
    [page, most] = [[], itemsMax];
  }
  if (page.length > 0) yield page;
}

/** The session is that of the history that begins with the page. It is undefined if none does. */
export function sessionIn({ entries: [first] }: LogPage): Session | undefined {
  return first?.kind === "begin" ? first.session : undefined;
}

/** The cursor is no place of what is there now. */
export async function startsOver(log: Log, after: Cursor): Promise<boolean> {
  for await (const page of log.read(after)) return sessionIn(page) !== undefined;
  return false;
}

export type PageIterator = AsyncIterator<LogPage> | Iterator<LogPage>;

export function iteratorOf(pages: LogPages): PageIterator {
  return Symbol.asyncIterator in pages ? pages[Symbol.asyncIterator]() : pages.values();
}

/** The result has the page, and what is left of those that it was taken from. */
export async function* behind(page: LogPage, rest: PageIterator): AsyncGenerator<LogPage> {
  yield page;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

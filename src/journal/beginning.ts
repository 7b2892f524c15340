/** This file tells who needs a history from its beginning that the beginning is gone: its owner wants old records dropped. */
import { PointError } from "../errors.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import type { AcceptedRecord } from "../stream/history.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { RecordedHistory } from "./held-history.ts";
import { historyUpTo } from "./moment.ts";
import type { View } from "./projection.ts";

type Dropping = Pick<JournalStore, "drops" | "where">;

/** The result is `historyUpTo`, for who follows each line to its author. Throws PointError before the first event where others were dropped. */
export function wholeHistoryUpTo(recorded: RecordedHistory, view: View, store: Dropping): AsyncIterable<RecordedEvent> {
  const advice = "what is left, as history tells it, does not say who wrote what";
  return fromBeginning(historyUpTo(recorded, view), store, {
    versionOf: ({ version }) => version,
    end: view.version,
    advice,
  });
}

/** The result is every record of the store. Throws PointError before the first of them where others were dropped. */
export function recordsFromBeginning(store: Dropping & Pick<JournalStore, "records">): AsyncIterable<AcceptedRecord> {
  const advice = "a copy would have another state, so nothing was copied; fork it, which keeps the state";
  return fromBeginning(store.records(), store, { versionOf: ({ events }) => events[0]?.version ?? 1, end: 0, advice });
}

async function* fromBeginning<Item>(
  items: AsyncIterable<Item>,
  store: Dropping,
  {
    versionOf,
    end,
    advice,
  }: { readonly versionOf: (item: Item) => Version; readonly end: Version; readonly advice: string },
): AsyncGenerator<Item, undefined> {
  let isBegun = false;
  for await (const item of items) {
    if (!isBegun) await requireFirst(versionOf(item), store, advice);
    isBegun = true;
    yield item;
  }
  if (!isBegun) await requireFirst(end + 1, store, advice);
}

/** Throws PointError where a history that begins with version `first` was longer, and its owner wants old records dropped. */
export async function requireFirst(first: Version, store: Dropping, advice: string): Promise<void> {
  if (first <= 1 || !(await store.drops())) return;
  const { where } = store;
  const message = `the events up to version ${first - 1} are not in the stream of ${where} any more: ${advice}`;
  throw new PointError(message, { file: where });
}

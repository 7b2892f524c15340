import type { LogPage, Session, Step } from "../../stream/log.ts";
import { readRecord } from "../../stream/record-entry.ts";
import { type KeptRecord, RecordCursor } from "./record-cursor.ts";

/** How far one call of `append` is. */
export class AppendCall {
  /** The cursor stands behind everything that the stream has taken. */
  at: RecordCursor;
  readonly #session: Session;
  readonly #next: (page: LogPage) => Step;

  constructor(session: Session, at: RecordCursor, next: (page: LogPage) => Step) {
    this.#session = session;
    this.at = at;
    this.#next = next;
  }

  /** Tells what stands behind `at`; without records, that another history is there now. Answers what is to be done. `max`: no more than so many were asked for. */
  next(kept: readonly KeptRecord[] | undefined, max = Number.POSITIVE_INFINITY): Step {
    const page = pageOf(kept, this.at, this.#session);
    this.at = page.cursor;
    return this.#next(kept?.length === max ? { ...page, hasMore: true } : page);
  }
}

export type RecordPage = LogPage & { readonly cursor: RecordCursor };

/** The cursor is `before` if nothing came. */
export function pageOf(kept: readonly KeptRecord[] | undefined, before: RecordCursor, session: Session): RecordPage {
  if (kept === undefined) return { entries: [{ kind: "begin", session }], cursor: new RecordCursor(0) };
  const last = kept.at(-1);
  const cursor = last === undefined ? before : new RecordCursor(last.place, last.json);
  if (last !== undefined) cursor.server = last.server;
  return {
    entries: kept.map(({ place, json, entry }) => entry ?? readRecord(json, place)),
    cursor,
    bytes: kept.reduce((sum, { json }) => sum + json.length, 0),
  };
}

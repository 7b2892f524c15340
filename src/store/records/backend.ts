/** A backend that keeps records: a database, a broker. What logs and lists over one need of it, and no more. */
import type { Version } from "../../event/event.ts";
import { madeHere } from "../../line/acceptance.ts";
import type { LogEntry, Step } from "../../stream/log.ts";
import type { AppendCall } from "./append-call.ts";
import type { KeptRecord, RecordCursor } from "./record-cursor.ts";

/** A session with who wrote its newest event, and when, as far as that is known. */
export interface ListedSession {
  readonly session: string;
  readonly version: Version;
  readonly at?: string | null;
  readonly actor?: string | null;
}

/** A backend has the records of many sessions, over one connection. */
export interface Backend {
  /** Its owner has old records dropped. */
  readonly drops?: boolean;
  /** At most `max` records behind the cursor; undefined where the one that it stands behind is not there any more. */
  after(session: string, cursor: RecordCursor, max: number): Promise<readonly KeptRecord[] | undefined>;
  /** Appends what is asked for, but only right behind all that was told. Resolves when nothing more is asked for. */
  append(session: string, call: AppendCall): Promise<void>;
  /** It keeps what a log promises of its checkpoint. One with more characters than `unitsMax` is none. */
  loadCheckpoint(session: string, unitsMax: number): Promise<string | undefined>;
  saveCheckpoint(session: string, text: string, over?: string): Promise<void>;
  /** The end of the saved text, as `markOf` gives it. */
  markCheckpoint(session: string): Promise<string>;
  /** It lists each session once, in no particular order. */
  list(): AsyncIterable<ListedSession>;
  /** Some of those that changed last. */
  newestSessions(max: number): Promise<readonly string[]>;
  /** All of a session, for good, where it is at this version; answers whether it was. */
  remove?(session: string, version: Version): Promise<boolean>;
  /** Calls `wake` with a session that may have grown. With `only`, it watches this session alone. */
  watch(wake: (session: string) => void, only?: string): Promise<() => Promise<void>>;
  close(): unknown;
}

/** So many characters at its end tell one checkpoint from the next. */
export const markUnits = 64;

export function markOf(checkpoint: string): string {
  return checkpoint.slice(-markUnits);
}

export type Appending = Extract<Step, { type: "append" }>;

/** How tables keep records: by versions. One that does not count stays where it is, and the next one stands behind it. */
export function placed(step: Appending, after: number) {
  let place = after;
  return step.records.map((record) => {
    const { version, turn } = record;
    place = Math.max(version, place + 1);
    const entry = entryMadeHere(step, place);
    if (entry === undefined) return { place, version, record, json: JSON.stringify({ ...record, version: undefined }) };
    return { place, version, record, json: `{"kind":"commit","turn":${turn},"data":${step.json}}`, entry };
  });
}

/** What this process made and hands over need not be read back. It is undefined for what comes from elsewhere. */
export function entryMadeHere({ records: [record], json }: Appending, place: number): LogEntry | undefined {
  if (record?.kind !== "commit" || json === undefined) return undefined;
  return { kind: "commit", turn: record.turn, data: record.data, place, evidence: madeHere };
}

/** Yields all rows of what is asked for in pages of `max`: each page is behind the last row of the one before, or behind so many. */
export async function* inPages<Row>(
  max: number,
  ask: (last: Row | undefined, count: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  let page: readonly Row[] = [];
  for (let count = 0; count === 0 || page.length === max; count += max) {
    page = await ask(page.at(-1), count);
    yield* page;
  }
}

/** A log read from its beginning, independent of what anyone was given. */
import type { FoldPolicy, Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { isTime } from "../line/acceptance.ts";
import { genesisHash } from "../line/chain.ts";
import { eventDataOf } from "../line/legacy.ts";
import type { StreamRecord } from "../line/record.ts";
import { type Delivery, eventsIn } from "./delivery.ts";
import type { LogEntry, LogPage, Session } from "./log.ts";
import { sessionIn } from "./pages.ts";
import { Reading, type ReadingSettings } from "./reading.ts";

/** This is an entry that counts, without the log around it, with the events that it holds. */
export interface AcceptedRecord {
  readonly record: StreamRecord;
  readonly events: readonly RecordedEvent[];
}

/** One entry of a history, and what it adds. */
export interface HistoryStep {
  readonly entry: LogEntry;
  readonly events: readonly RecordedEvent[];
  /** This is the turn before it. */
  readonly turn: number;
  /** Stands behind it. */
  readonly reading: Reading;
}

/** The entries belong to `session` if they do not begin with a session. */
export async function* stepsOf(
  pages: AsyncIterable<LogPage>,
  session: Session,
  fold: FoldPolicy,
  settings: ReadingSettings,
): AsyncGenerator<HistoryStep> {
  let reading = new Reading(session, fold, settings);
  for await (const page of pages) {
    const begun = sessionIn(page);
    if (begun !== undefined) reading = new Reading(begun, fold, settings);
    for (const entry of page.entries) {
      const { turn } = reading.ledger;
      const deliveries: Delivery[] = [];
      reading.take([entry], deliveries);
      yield { entry, events: eventsIn(deliveries), turn, reading };
    }
  }
}

export async function* historyOf(...given: Parameters<typeof stepsOf>): AsyncGenerator<RecordedEvent> {
  for await (const { events } of stepsOf(...given)) yield* events;
}

/** The result has every entry that counts, whatever the policy. */
export async function* recordsOf(
  pages: AsyncIterable<LogPage>,
  session: Session,
  settings: ReadingSettings,
): AsyncGenerator<AcceptedRecord> {
  for await (const { entry, events, turn } of stepsOf(pages, session, "file", settings)) {
    const record = events.length === 0 ? undefined : recordOf(entry, turn, events);
    if (record !== undefined) yield { record, events };
  }
}

/** The result is the head after the commit that holds `version`. It is undefined if none does. */
export async function headAt(
  version: Version,
  pages: AsyncIterable<LogPage>,
  session: Session,
  settings: ReadingSettings,
): Promise<Head | undefined> {
  if (version === 0) return { version, hash: genesisHash(session.id, settings.seal) };
  for await (const { events, reading } of stepsOf(pages, session, "file", settings)) {
    if ((events.at(-1)?.version ?? 0) >= version) return { version, hash: reading.ledger.hash };
  }
  return undefined;
}

/** Elsewhere the entry before a value says nothing of its time. */
function recordOf(entry: LogEntry, turn: number, [first]: readonly RecordedEvent[]): StreamRecord | undefined {
  switch (entry.kind) {
    case "commit":
      return { kind: "commit", turn: entry.turn ?? turn, data: entry.data, ...timeOf(entry.data.at, first) };
    case "value": {
      const id = entry.id ?? entry.entry?.id;
      return {
        kind: "value",
        turn: entry.turn ?? turn,
        key: entry.key,
        data: eventDataOf(entry.data),
        id,
        timestamp: first?.at,
      };
    }
    case "event":
    case "turns":
    case "damaged":
    case "begin":
    case "branch":
      return undefined;
  }
}

/** Elsewhere there is neither a line nor a session whose time stands in for one that the commit does not have. */
function timeOf(at: unknown, first: RecordedEvent | undefined): { readonly timestamp?: string } {
  return isTime(at) || first === undefined ? {} : { timestamp: first.at };
}

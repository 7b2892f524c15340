/** A log read from its beginning, independent of what anyone was told. */
import type { FoldPolicy, Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { isTime } from "../line/acceptance.ts";
import { genesisHash } from "../line/chain.ts";
import { toldData } from "../line/legacy.ts";
import type { StreamRecord } from "../line/record.ts";
import { eventsIn, type Told } from "./delivery.ts";
import type { Log, LogEntry, LogPage, Session } from "./log.ts";
import { sessionIn } from "./pages.ts";
import { Reading, type ReadingSettings } from "./reading.ts";

/** An entry that counts, without the log around it, and the events that it holds. */
export interface AcceptedRecord {
  readonly record: StreamRecord;
  readonly events: readonly RecordedEvent[];
}

export async function* historyOf(
  log: Log,
  session: Session,
  fold: FoldPolicy,
  settings: ReadingSettings,
): AsyncGenerator<RecordedEvent> {
  let reading = new Reading(session, fold, settings);
  for await (const page of log.read(undefined)) {
    reading = begunIn(page, reading, settings);
    const told: Told[] = [];
    reading.take(page.entries, told);
    yield* eventsIn(told);
  }
}

/** What takes the page: the history that begins with it, or the one that goes on. */
export function begunIn(page: LogPage, reading: Reading, settings: ReadingSettings): Reading {
  const session = sessionIn(page);
  return session === undefined ? reading : new Reading(session, reading.fold, settings);
}

/** Every entry that counts, whatever the policy. */
export async function* recordsOf(
  log: Log,
  session: Session,
  settings: ReadingSettings,
): AsyncGenerator<AcceptedRecord> {
  for await (const { entry, events, turn } of acceptedIn(log, session, settings)) {
    const record = recordOf(entry, turn, events);
    if (record !== undefined) yield { record, events };
  }
}

/** The head after the commit that holds `version`; undefined where none does. */
export async function headAt(
  version: Version,
  log: Log,
  session: Session,
  settings: ReadingSettings,
): Promise<Head | undefined> {
  if (version === 0) return { version, hash: genesisHash(session.id, settings.seal) };
  for await (const { events, hash } of acceptedIn(log, session, settings)) {
    if ((events.at(-1)?.version ?? 0) >= version) return { version, hash };
  }
  return undefined;
}

interface Accepted {
  readonly entry: LogEntry;
  readonly events: readonly RecordedEvent[];
  /** Before it. */
  readonly turn: number;
  /** After it. */
  readonly hash: string;
}

async function* acceptedIn(log: Log, session: Session, settings: ReadingSettings): AsyncGenerator<Accepted> {
  let reading = new Reading(session, "file", settings);
  for await (const page of log.read(undefined)) {
    reading = begunIn(page, reading, settings);
    for (const entry of page.entries) {
      const { turn } = reading.ledger;
      const told: Told[] = [];
      reading.take([entry], told);
      const events = eventsIn(told);
      if (events.length > 0) yield { entry, events, turn, hash: reading.ledger.hash };
    }
  }
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
        data: toldData(entry.data),
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

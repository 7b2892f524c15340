/** A log read from its beginning, independent of what anyone was given. */
import type { RecordedEvent } from "../event/event.ts";
import { isTime } from "../event/iso-time.ts";
import { eventDataOf } from "../line/legacy.ts";
import type { AcceptedRecord, StreamRecord } from "../line/record.ts";
import { type Delivery, eventsIn } from "./delivery.ts";
import type { LogEntry, LogPages } from "./log.ts";
import type { Reading } from "./reading.ts";

export type { AcceptedRecord };

/** One entry of a history, and what it adds. */
export interface HistoryStep {
  readonly entry: LogEntry;
  readonly events: readonly RecordedEvent[];
  /** This is the turn before it. */
  readonly turn: number;
  /** Stands behind it. */
  readonly reading: Reading;
}

/** The entries are taken by `reading`, or by one like it where they begin with another session. */
export async function* stepsOf(pages: LogPages, reading: Reading): AsyncGenerator<HistoryStep> {
  let current = reading;
  for await (const page of pages) {
    current = current.at(page);
    for (const entry of page.entries) {
      const { turn } = current.ledger;
      const deliveries: Delivery[] = [];
      current.take([entry], deliveries);
      yield { entry, events: eventsIn(deliveries), turn, reading: current };
    }
  }
}

/** The result has every entry that counts. */
export async function* recordsIn(steps: AsyncIterable<HistoryStep>): AsyncGenerator<AcceptedRecord> {
  for await (const { entry, events, turn } of steps) {
    const record = events.length === 0 ? undefined : recordOf(entry, turn, events);
    if (record !== undefined) yield { record, events };
  }
}

/** Elsewhere the entry before a value says nothing of its time. */
function recordOf(entry: LogEntry, turn: number, [first]: readonly RecordedEvent[]): StreamRecord | undefined {
  switch (entry.kind) {
    case "commit":
      return { kind: "commit", turn: entry.turn ?? turn, data: entry.data, ...timeOf(entry.data.at, first) };
    case "value": {
      const { key, id = entry.entry?.id } = entry;
      return { kind: "value", turn: entry.turn ?? turn, key, data: eventDataOf(entry.data), id, timestamp: first?.at };
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

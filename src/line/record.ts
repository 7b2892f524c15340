/**
 * A record is one accepted line of a stream without the file around it. Backends that are no session files keep records, and
 * records move between backends with their chain intact.
 */
import type { CommitData } from "../event/commit.ts";
import type { RecordedEvent } from "../event/event.ts";
import { isTime } from "../event/iso-time.ts";
import type { Ledger } from "./acceptance.ts";
import { decodeEntry } from "./decode.ts";
import { type JournalLine, type LineNames, lineNames, noEntry, type SessionLine, type ValueKey } from "./format.ts";
import type { Verdict } from "./verdict.ts";

/** `turn` is that of the stream before the record. `timestamp` is given for a commit whose own time is none. */
export type StreamRecord =
  | { readonly kind: "commit"; readonly turn: number; readonly data: CommitData; readonly timestamp?: string }
  | {
      readonly kind: "value";
      readonly turn: number;
      readonly key: ValueKey;
      readonly data: unknown;
      readonly id?: string;
      readonly timestamp?: string;
    };

/** This is a record with the events that it holds. */
export interface AcceptedRecord {
  readonly record: StreamRecord;
  readonly events: readonly RecordedEvent[];
}

export function takeRecord(ledger: Ledger, record: StreamRecord): Verdict {
  const { turn } = ledger;
  ledger.turn = record.turn;
  const verdict = ledger.take(lineOf(record));
  // No hash covers it: of a record that does not count it may say anything.
  if (verdict.events.length === 0) ledger.turn = turn;
  return verdict;
}

/** The record of a line that was accepted; undefined for a line that keeps nothing. */
function recordOf(line: SessionLine, turn: number): StreamRecord | undefined {
  switch (line.kind) {
    case "commit":
      return { kind: "commit", turn, data: line.data, ...timeBeside(line) };
    case "value": {
      const { id, timestamp } = line.entry;
      return {
        kind: "value",
        turn,
        key: line.key,
        data: line.data,
        ...(id === undefined ? {} : { id }),
        ...(timestamp === undefined ? {} : { timestamp }),
      };
    }
    case "mark":
    case "damaged":
    case "host":
    case "broken":
      return undefined;
  }
}

function timeBeside({ data, entry }: Extract<JournalLine, { kind: "commit" }>): { readonly timestamp?: string } {
  const { timestamp } = entry;
  return timestamp === undefined || isTime(data.at) ? {} : { timestamp };
}

function lineOf(record: StreamRecord): JournalLine {
  switch (record.kind) {
    case "commit":
      return { kind: "commit", data: record.data, entry: { ...noEntry, timestamp: record.timestamp } };
    case "value": {
      const { key, data, id, timestamp } = record;
      return { kind: "value", key, data, entry: { id, parentId: undefined, timestamp } };
    }
  }
}

/** Reads a record back from JSON; undefined where it is none. */
export function parseRecord(json: string): StreamRecord | undefined {
  const value = parseJson(json);
  if (typeof value !== "object" || value === null) return undefined;
  const { kind, turn, data, key, id, timestamp } = value as Record<string, unknown>;
  if (!Number.isSafeInteger(turn)) return undefined;
  const line = decodeParts(kind, key, data, id, timestamp);
  return line === undefined || line.kind === "damaged" ? undefined : recordOf(line, turn as number);
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

let names: LineNames | undefined;

/** They are made where a record is read: a session file holds none. */
function plainNames(): LineNames {
  names ??= lineNames("record");
  return names;
}

/** The parts go through the decoder of lines, so that a record is held to the same rules. */
function decodeParts(
  kind: unknown,
  key: unknown,
  data: unknown,
  id: unknown,
  timestamp: unknown,
): JournalLine | undefined {
  const customType = kind === "commit" ? plainNames().events : customTypeOf(key);
  if (customType === undefined) return undefined;
  return decodeEntry({ type: "custom", customType, data, id, timestamp }, plainNames());
}

function customTypeOf(key: unknown): string | undefined {
  return key === "notes" || key === "plan" || key === "refs" || key === "legacy" ? plainNames()[key] : undefined;
}

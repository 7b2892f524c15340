import { parseRecord } from "../line/record.ts";
import type { LogEntry } from "./log.ts";

/** The result is the entry of a record that was handed to the log and kept as JSON. `place` is its number, for messages. */
export function readRecord(json: string, place?: number): LogEntry {
  const record = parseRecord(json);
  return record === undefined ? { kind: "damaged", reason: "it cannot be read", place } : { ...record, place };
}

import { parseRecord } from "../line/record.ts";
import type { LogEntry } from "./log.ts";

/** The entry of a record, as it was handed to the log, and kept as JSON. `place`: its number, for messages. */
export function readRecord(json: string, place?: number): LogEntry {
  const record = parseRecord(json);
  return record === undefined ? { kind: "damaged", reason: "it cannot be read", place } : { ...record, place };
}

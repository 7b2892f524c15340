import { parseRecord } from "../line/record.ts";
import type { LogEntry } from "./log.ts";

/**
 * Reads a record that a log was handed as JSON, and gives its entry. A text that is no record gives a damaged entry.
 *
 * @param json The record as the log kept it.
 * @param place The number of the record, for messages.
 * @throws Nothing.
 * @example
 * for (const [place, json] of kept.entries()) yield readRecord(json, place);
 */
export function readRecord(json: string, place?: number): LogEntry {
  const record = parseRecord(json);
  return record === undefined ? { kind: "damaged", reason: "it cannot be read", place } : { ...record, place };
}

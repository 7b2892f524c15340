/** What logs that keep records as JSON share. */
import { hashText } from "../line/chain.ts";
import { parseRecord } from "../line/record.ts";
import type { LogEntry } from "./log.ts";

/** The entry of a record, as it was handed to the log, and kept as JSON. `place`: its number, for messages. */
export function readRecord(json: string, place?: number): LogEntry {
  const record = parseRecord(json);
  return record === undefined ? { kind: "damaged", reason: "it cannot be read", place } : { ...record, place };
}

/** Behind which record a reading stands. Printed, it says which record that was: where it is another one, all is read. */
export class RecordCursor {
  readonly place: number;
  readonly #json: string | undefined;

  readonly #digest: string | undefined;

  /** `json`: the record at `place`; undefined where there is none any more, then with the `digest` that it had. */
  constructor(place: number, json: string | undefined, digest?: string) {
    this.place = place;
    this.#json = json;
    this.#digest = digest;
  }

  toJSON(): { readonly place: number; readonly digest: string } {
    return { place: this.place, digest: this.#digest ?? digestOf(this.#json) };
  }
}

/** `found`: the record that stands at the place now, which was printed with a cursor. */
export function isAtRecord(cursor: { readonly digest?: unknown }, found: string | undefined): boolean {
  return cursor.digest === digestOf(found);
}

function digestOf(json: string | undefined): string {
  return json === undefined ? "" : hashText(json);
}

/**
 * Gemini CLI sets the whole history anew at a resume and a compression. A compression gives other ids to the messages that it keeps, and a person may
 * rewind to one of those: no line of its own has that id.
 */
import { type Fields, fields } from "../event/fields.ts";
import { list, text } from "./fields.ts";
import { snapshotTag, writtenIn } from "./gemini-lines.ts";
import { keyOf } from "./main-line.ts";
import { RecentPlaces } from "./recent-places.ts";

export class GeminiHistory {
  /** These are the ids of the messages that tell of a compression. */
  readonly snapshots = new Set<string>();
  /** Rewinds lead to these messages, and no line of their own was found. */
  readonly #sought: Set<string>;
  readonly #places = new Map<string, number>();
  /** The first line with each call stands here. */
  readonly #calls = new RecentPlaces();

  /** It finds out where the messages in `sought` stand, if it is given every line. */
  constructor(sought: Iterable<string> = []) {
    this.#sought = new Set(sought);
  }

  /** Another reading, of every line, is to find out where these messages stand. */
  get sought(): ReadonlySet<string> {
    return this.#sought;
  }

  called(id: string, offset: number): void {
    if (this.#sought.size > 0) this.#calls.add(keyOf(id), offset);
  }

  /** The result has those of the messages that tell of a compression which is not known. */
  set(messages: readonly Fields[], offset: number): Fields[] {
    if (this.#sought.size > 0) this.#seek(messages, offset);
    return messages.filter((message) => {
      const id = text(message["id"]) ?? "";
      if (this.snapshots.has(id) || writtenIn(message)?.includes(snapshotTag) !== true) return false;
      this.snapshots.add(id);
      return true;
    });
  }

  /** The result is where the message stands that has no line of its own. It is undefined if that is not known yet. */
  placeOf(id: string): number | undefined {
    this.#sought.add(id);
    return this.#places.get(id);
  }

  /** The calls behind a message say where it stood before its id was changed. Without one it stands where the history was set. */
  #seek(messages: readonly Fields[], offset: number): void {
    let place = offset;
    for (const message of messages.toReversed()) {
      for (const call of callsIn(message)) place = Math.min(place, this.#calls.get(keyOf(call)) ?? place);
      const id = text(message["id"]) ?? "";
      if (this.#sought.has(id) && !this.#places.has(id)) this.#places.set(id, place);
    }
  }
}

/** The result has the ids of the calls in a message, and of those that it answers. */
function callsIn(message: Fields): string[] {
  const parts = list(message["content"]).map(fields);
  return parts.flatMap((part) => text(fields(part["functionCall"] ?? part["functionResponse"])["id"]) ?? []);
}

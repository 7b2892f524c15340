/** How much of a commit its events take, so that calls which waited together do not outgrow the one line that carries them. */
import { escapedLine } from "../action/text.ts";
import type { DraftEvent } from "../event/commit.ts";

/** A commit line holds at most 1 MiB; what remains is for the line around the events. */
export const draftBytesMax = (1 << 20) - 4096;

/** The result counts the UTF-8 bytes of the event as a line escapes it, and of what parts it from the next. */
export function draftBytes({ state: _, ...written }: DraftEvent): number {
  const json = JSON.stringify(written);
  const bytes = Buffer.byteLength(json);
  // A line escapes no ASCII beyond what JSON does.
  return (bytes === json.length ? bytes : Buffer.byteLength(escapedLine(json))) + 1;
}

/** This measures the events that go into one line. A text is printed to be measured only if all of them together may be too many. */
export class LineSize {
  #unmeasured: DraftEvent[] = [];
  #bytes = 0;
  #most = 0;

  add(drafts: readonly DraftEvent[]): void {
    for (const draft of drafts) {
      const { event, actor, command, source, limits, markers } = draft;
      this.#unmeasured.push(draft);
      this.#most += mostBytes(event) + mostBytes(limits) + mostBytes(markers);
      this.#most += mostBytes(actor) + mostBytes(command) + mostBytes(source);
    }
  }

  /** One line does not hold them. */
  get isOver(): boolean {
    if (this.#most <= draftBytesMax) return false;
    this.#bytes = this.#unmeasured.reduce((sum, draft) => sum + draftBytes(draft), this.#bytes);
    this.#unmeasured = [];
    this.#most = this.#bytes;
    return this.#bytes > draftBytesMax;
  }
}

/** The longest escape of one character, and the longest number with what stands around a field. */
const escapeBytesMax = 6;
const fieldBytesMax = 48;

/** More than a field takes that holds `value`, without its name. */
function mostBytes(value: unknown): number {
  if (typeof value === "string") return fieldBytesMax + escapeBytesMax * value.length;
  let most = fieldBytesMax;
  if (typeof value !== "object" || value === null) return most;
  for (const name in value) {
    most += escapeBytesMax * name.length + mostBytes((value as Record<string, unknown>)[name]);
  }
  return most;
}

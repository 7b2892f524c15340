/** Most lines of pi's are settled without being parsed: what a person and the model say, and what other tools than the list's answer. */
import { fields } from "../event/fields.ts";
import { parsed, text, time } from "./fields.ts";
import type { LensLine, LensPiece } from "./lens.ts";
import { type LineHeads, lineHeads, toldAt, toldDoubles, toldInts } from "./line-heads.ts";
import { noMember } from "./told-object.ts";

const timeBytes = "2026-01-01T00:00:00.000Z".length;
/** Looking closely at a shorter line costs as much as parsing it. */
const shortBytes = 4096;

/**
 * The result is a line with what a tool answered, but without what it says to the model, which may be long and matters only of what failed.
 * It is undefined if the line is to be parsed as it is.
 */
export function withoutContent(line: LensLine): unknown {
  const { bytes } = line;
  const program = bytes.length > shortBytes ? lineHeads(bytes.length) : undefined;
  const from = program?.placeOfLine(line) ?? -1;
  const told = from === -1 ? undefined : program?.objectAt({ from, to: from + bytes.length });
  if (told === undefined) return undefined;
  const message = told.member(told.root, "message");
  if (!told.isObject(message) || told.plain(told.member(message, "role")) !== "toolResult") return undefined;
  const content = told.member(message, "content");
  if (content === noMember) return undefined;
  const place = told.place(content);
  const value = parsed(`${bytes.toString("utf8", 0, place.from - from)}null${bytes.toString("utf8", place.to - from)}`);
  return fields(fields(value)["message"])["isError"] === true ? undefined : value;
}

/** It tells of the lines that were settled last, by their index. */
export class PiLineScan {
  #program: LineHeads | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  /** The piece begins here in the memory of the program. */
  #at = 0;

  /** This says that the next lines stand in the piece. The result is false if none of them can be settled. */
  over(piece: LensPiece): boolean {
    this.#program = lineHeads(piece.bytes.length);
    this.#bytes = piece.bytes;
    this.#at = this.#program?.placeOf(piece) ?? -1;
    return this.#at !== -1;
  }

  /** The result is how many lines from `start` on are settled. */
  settle(start: number): number {
    return this.#program?.pi(this.#at + start, this.#at + this.#bytes.length) ?? 0;
  }

  /** The result is the id of the line as a number, or 0 for none. */
  own(index: number): number {
    return this.#program?.doubles[toldAt / 8 + index * toldDoubles] ?? 0;
  }

  /** The result is the id of the line that it hangs on, or 0 for none. */
  parent(index: number): number {
    return this.#program?.doubles[toldAt / 8 + index * toldDoubles + 1] ?? 0;
  }

  /** The line ends here, in its piece. */
  end(index: number): number {
    return this.#told(index, 6) - this.#at;
  }

  /** The line calls so many tools. */
  calls(index: number): number {
    return this.#told(index, 5) === 0 ? this.#told(index, 7) : 0;
  }

  /** The result is what a person says in the line. */
  said(index: number): string | undefined {
    const from = this.#told(index, 5);
    if (from === 0) return undefined;
    const printed = this.#bytes.toString("utf8", from + 1 - this.#at, this.#told(index, 7) - 1 - this.#at);
    return printed.includes("\\") ? text(parsed(`"${printed}"`)) : printed;
  }

  /** The result is the newest time that the lines from `from` to `to` name. */
  newestTime(from: number, to: number): string | undefined {
    for (let index = to - 1; index >= from; index--) {
      const at = this.#told(index, 4) - this.#at;
      const named = time(this.#bytes.toString("latin1", at, at + timeBytes));
      if (named !== undefined) return named;
    }
    return undefined;
  }

  #told(index: number, what: number): number {
    return this.#program?.numbers[toldAt / 4 + index * toldInts + what] ?? 0;
  }
}

/**
 * Framing. Bytes are cut at line feeds first and decoded after. To fold a journal only few lines of a session matter:
 * `InterestScanner` looks for their bytes and never touches the rest.
 */

import { glance, glanceBytes } from "./glance.ts";
import type { Glance } from "./loose-glance.ts";

const lineFeed = 0x0a;
const closingBrace = 0x7d;

/** Called for each line in order. `bytes` is the line without its line feed, undefined where it is not in one piece. */
export type OnLine = (start: number, end: number, bytes: Buffer | undefined) => void;

/** Hands on every line. `end` is past the line feed. */
export class EveryLine {
  /** Where the line begins that has not ended. */
  lineStart: number;
  #position: number;

  constructor(position: number) {
    this.lineStart = position;
    this.#position = position;
  }

  push(chunk: Buffer, onLine: OnLine): void {
    const base = this.#position;
    let from = 0;
    for (;;) {
      const feed = chunk.indexOf(lineFeed, from);
      if (feed === -1) break;
      const end = base + feed + 1;
      onLine(this.lineStart, end, this.lineStart >= base ? chunk.subarray(this.lineStart - base, feed) : undefined);
      this.lineStart = end;
      from = feed + 1;
    }
    this.#position += chunk.length;
  }
}

/**
 * Hands on the lines that may matter to a fold: custom entries, messages of the user's, and lines printed in another way
 * than the known clients' that hold one of the needles. A glance at its first bytes settles most lines, so the cost is that
 * of finding line feeds; the memory is the first bytes of a line that straddles chunks.
 */
export class InterestScanner {
  lineStart: number;
  #position: number;
  /** The first bytes of a line that straddles chunks. */
  readonly #head = Buffer.alloc(glanceBytes);
  #headLength = 0;
  readonly #needles: readonly Buffer[];

  constructor(position: number, needles: readonly string[]) {
    this.lineStart = position;
    this.#position = position;
    this.#needles = needles.map((needle) => Buffer.from(needle));
  }

  /** `onTurn`: told of messages of the user's that need no second look, instead of being handed their lines. */
  push(chunk: Buffer, onLine: OnLine, onTurn?: () => void): void {
    const base = this.#position;
    let from = 0;
    for (;;) {
      const feed = chunk.indexOf(lineFeed, from);
      if (feed === -1) break;
      const end = base + feed + 1;
      if (this.lineStart < base) this.#endStraddling(chunk, feed, end, onLine, onTurn);
      else this.#takeInPiece(chunk, from, feed, onLine, onTurn);
      this.lineStart = end;
      from = feed + 1;
    }
    this.#keepHead(chunk, from, chunk.length);
    this.#position += chunk.length;
  }

  /** The rest of the line is gone by: one that is not known for certain is handed on, to be read again. */
  #endStraddling(chunk: Buffer, feed: number, end: number, onLine: OnLine, onTurn: (() => void) | undefined): void {
    this.#keepHead(chunk, 0, feed);
    const seen = glance(this.#head, 0, this.#headLength);
    this.#headLength = 0;
    if (seen === "user" && onTurn !== undefined && feed > 0 && chunk[feed - 1] === closingBrace) onTurn();
    else if (seen !== "other") onLine(this.lineStart, end, undefined);
  }

  #takeInPiece(chunk: Buffer, from: number, feed: number, onLine: OnLine, onTurn: (() => void) | undefined): void {
    const seen = glance(chunk, from, feed);
    if (seen === "user" && onTurn !== undefined && chunk[feed - 1] === closingBrace) onTurn();
    else if (this.#matters(seen, chunk, from, feed)) {
      onLine(this.lineStart, this.#position + feed + 1, chunk.subarray(from, feed));
    }
  }

  #matters(seen: Glance, chunk: Buffer, start: number, end: number): boolean {
    switch (seen) {
      case "custom":
      case "user":
        return true;
      case "other":
        return false;
      case "unknown": {
        const line = chunk.subarray(start, end);
        return this.#needles.some((needle) => line.includes(needle));
      }
    }
  }

  #keepHead(chunk: Buffer, from: number, to: number): void {
    const room = glanceBytes - this.#headLength;
    if (room === 0 || from === to) return;
    this.#headLength += chunk.copy(this.#head, this.#headLength, from, Math.min(to, from + room));
  }
}

/**
 * Bytes that every line that matters holds: a custom type of ours as a JSON string, or the role of a user's message. The
 * quote behind the role is left out: a needle of six bytes is looked for in twice the time of one of five.
 */
export function interestNeedles(namespace: string): readonly string[] {
  return [`"${namespace}`, '"user'];
}

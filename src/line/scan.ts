/**
 * Framing. Bytes are cut at line feeds first and decoded after. To fold a journal only few lines of a session matter:
 * `InterestScanner` looks for their bytes and never touches the rest.
 */

const lineFeed = 0x0a;

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
 * Hands on the lines that hold one of the needles. The scan's cost is that of searching bytes, whatever the lines are;
 * its memory is the few bytes in which a needle may straddle two chunks. Needles hold no line feed.
 */
export class InterestScanner {
  lineStart: number;
  #position: number;
  #interested = false;
  #carry: Buffer = Buffer.alloc(0);
  readonly #needles: readonly Buffer[];
  readonly #carryMax: number;

  constructor(position: number, needles: readonly string[]) {
    this.lineStart = position;
    this.#position = position;
    this.#needles = needles.map((needle) => Buffer.from(needle));
    this.#carryMax = Math.max(...this.#needles.map((needle) => needle.length)) - 1;
  }

  push(chunk: Buffer, onLine: OnLine): void {
    const base = this.#position;
    if (!this.#interested) this.#interested = this.#straddles(chunk);
    const hits = this.#needles.map(() => -2);
    let from = 0;
    for (;;) {
      if (this.#interested) {
        const feed = chunk.indexOf(lineFeed, from);
        if (feed === -1) break;
        const end = base + feed + 1;
        onLine(this.lineStart, end, this.lineStart >= base ? chunk.subarray(this.lineStart - base, feed) : undefined);
        this.lineStart = end;
        this.#interested = false;
        from = feed + 1;
      }
      const hit = this.#nextHit(chunk, from, hits);
      if (hit === -1) {
        this.#noteLineStart(chunk, from, chunk.length - 1);
        break;
      }
      this.#noteLineStart(chunk, from, hit);
      this.#interested = true;
      from = hit;
    }
    this.#keepCarry(chunk);
    this.#position += chunk.length;
  }

  /** Each needle is searched again only once the scan has passed its last hit. */
  #nextHit(chunk: Buffer, from: number, hits: number[]): number {
    let nearest = -1;
    for (let index = 0; index < hits.length; index++) {
      let hit = hits[index] as number;
      if (hit !== -1 && hit < from) {
        hit = chunk.indexOf(this.#needles[index] as Buffer, from);
        hits[index] = hit;
      }
      if (hit !== -1 && (nearest === -1 || hit < nearest)) nearest = hit;
    }
    return nearest;
  }

  #noteLineStart(chunk: Buffer, from: number, to: number): void {
    if (to < from) return;
    const feed = chunk.lastIndexOf(lineFeed, to);
    if (feed >= from) this.lineStart = this.#position + feed + 1;
  }

  #straddles(chunk: Buffer): boolean {
    if (this.#carry.length === 0) return false;
    const seam = Buffer.concat([this.#carry, chunk.subarray(0, this.#carryMax)]);
    const border = this.#carry.length;
    return this.#needles.some((needle) => {
      const hit = seam.indexOf(needle, Math.max(0, border - needle.length + 1));
      return hit !== -1 && hit < border;
    });
  }

  #keepCarry(chunk: Buffer): void {
    const tail = chunk.length >= this.#carryMax ? chunk : Buffer.concat([this.#carry, chunk]);
    this.#carry = Buffer.from(tail.subarray(Math.max(0, tail.length - this.#carryMax)));
  }
}

/** Bytes that every line of interest holds: a custom type of ours as a JSON string, or the role of a user's message. */
export function interestNeedles(namespace: string): readonly string[] {
  return [`"${namespace}`, '"user"'];
}

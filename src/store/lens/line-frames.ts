/** Cuts bytes into lines. A line in one piece is handed on as it lies there; one that straddles pieces is put together once. */
import type { LensLine, LensPiece } from "../../lens/lens.ts";

const lineFeed = 0x0a;

/** Short files come in one piece, and carry nothing. */
const carryBytesMin = 64 * 1024;

/** Longer lines are counted and passed over. */
export const lensLineBytesMax = 64 * 1024 * 1024;

/** A line without bytes is too long. */
export type FramedLine = LensLine | (Omit<LensLine, "bytes"> & { readonly bytes: undefined });

const nothing = Buffer.alloc(0);

export class LineFrames {
  /** Past the last line that was handed on. */
  position = 0;
  /** How many lines were handed on. */
  lines = 0;
  #carry: Buffer = nothing;
  #carried = 0;
  #isTooLong = false;

  /** `pass` may take some lines of a piece before they are handed on. */
  push(bytes: Buffer, onLine: (line: FramedLine) => void, pass?: (piece: LensPiece) => void): void {
    const piece = { bytes, at: 0, offset: 0, number: 0 };
    let from = 0;
    for (;;) {
      if (pass !== undefined && this.#carried === 0 && !this.#isTooLong) from = this.#pass(piece, from, pass);
      const feed = bytes.indexOf(lineFeed, from);
      if (feed === -1) break;
      const part = bytes.subarray(from, feed);
      if (this.#carried > 0 || this.#isTooLong) this.#keep(part);
      this.#end(this.#carried > 0 ? this.#carry.subarray(0, this.#carried) : part, this.#pending(part) + 1, onLine);
      from = feed + 1;
    }
    if (from < bytes.length) this.#keep(bytes.subarray(from));
  }

  #pass(piece: LensPiece, from: number, pass: (piece: LensPiece) => void): number {
    piece.at = from;
    piece.offset = this.position;
    piece.number = this.lines + 1;
    pass(piece);
    this.position = piece.offset;
    this.lines = piece.number - 1;
    return piece.at;
  }

  /** The last line where no line feed ends it. */
  get rest(): Buffer {
    return this.#carry.subarray(0, this.#carried);
  }

  /** The beginning of a line that has not ended is forgotten: it is pushed once more, with what follows. The result is its length, or 0 for a long one. */
  giveBack(bytesMax: number): number {
    const given = this.#isTooLong || this.#carried > bytesMax ? 0 : this.#carried;
    if (given > 0) this.#carried = 0;
    return given;
  }

  /** It was whole: what follows begins another line. */
  endRest(onLine: (line: FramedLine) => void): void {
    this.#end(this.rest, this.#carried, onLine);
  }

  #skipped = 0;

  #pending(part: Buffer): number {
    return this.#isTooLong ? this.#skipped : this.#carried > 0 ? this.#carried : part.length;
  }

  #end(bytes: Buffer, length: number, onLine: (line: FramedLine) => void): void {
    const line = { bytes: this.#isTooLong ? undefined : bytes, offset: this.position, number: this.lines + 1 };
    this.position += length;
    this.lines += 1;
    this.#carried = 0;
    this.#skipped = 0;
    this.#isTooLong = false;
    onLine(line);
    // A single long line is no reason to hold so much memory for ever.
    if (this.#carry.length > 4 * 1024 * 1024) this.#carry = nothing;
  }

  #keep(part: Buffer): void {
    if (!this.#isTooLong && this.#carried + part.length > lensLineBytesMax) {
      this.#isTooLong = true;
      this.#skipped = this.#carried;
      this.#carried = 0;
    }
    if (this.#isTooLong) {
      this.#skipped += part.length;
      return;
    }
    if (this.#carried + part.length > this.#carry.length) {
      const larger = Buffer.allocUnsafe(Math.max(carryBytesMin, this.#carry.length * 2, this.#carried + part.length));
      this.#carry.copy(larger, 0, 0, this.#carried);
      this.#carry = larger;
    }
    this.#carried += part.copy(this.#carry, this.#carried);
  }
}

/** This file takes a file of lines part by part, and notices when somebody rewrites it meanwhile: what was read of it then is of two files. */
import { longLineBytes, type RawBytes } from "./classify.ts";
import { lineBytesMax } from "./format.ts";
import { LineSurvey, surveyBytesMax, surveyLines } from "./line-survey.ts";

/** These are the bytes of a file. */
export interface LineSource {
  size(): number;
  /** The result has the bytes from `start` to `end`, or fewer if there are fewer. They may lie in `room`. */
  slice(start: number, end: number, room?: Buffer): Buffer;
  /** The result is when the bytes were last changed, as their file says. */
  modifiedMs?(): number;
}

/** This is a line as it lies there, without its line feed. */
export interface FileLine extends RawBytes {
  readonly offset: number;
  /** Lines are counted from 1. */
  readonly number: number;
  /** It is false for a last line without its line feed. */
  readonly ended: boolean;
}

/** A long line is never in one part. Measured: parts of 1 MB take 8 MB more memory, for V8 frees them late, and no less time. */
const partBytes = surveyBytesMax;

/** So much of the end of a part is read again with the next one. */
const againBytesMax = 1024;

const lineFeed = 0x0a;
const blockBytes = 64 * 1024;

export class FileLines {
  readonly #source: LineSource;
  readonly #isUtf8: (bytes: Buffer) => boolean;
  /** More than that may be there by now. */
  readonly #size: number;
  readonly #modifiedMs: number | undefined;
  /** A long file is looked at by one of its own, in whose room its parts lie. */
  readonly #survey: LineSurvey | undefined;
  readonly #room: Buffer;
  /** So many lines have ended before `#start`, and up to `#position` there is no other end. */
  #count = 0;
  #start = 0;
  #position = 0;
  /** These are the last bytes that were read, up to `#seen`. */
  #end: Buffer = Buffer.alloc(0);
  #seen = 0;

  constructor(source: LineSource, isUtf8: (bytes: Buffer) => boolean) {
    this.#source = source;
    this.#isUtf8 = isUtf8;
    this.#size = source.size();
    this.#modifiedMs = source.modifiedMs?.();
    this.#survey = this.#size > partBytes ? LineSurvey.make() : undefined;
    this.#room = this.#survey?.room ?? Buffer.allocUnsafe(Math.min(this.#size, partBytes));
  }

  get isAtEnd(): boolean {
    return this.#start === this.#size;
  }

  /**
   * Whoever rewrites a file may write as many bytes, and the same ones where parts meet: then its time tells. Whoever appends changes the time a
   * moment before the size, so the time is asked for first. If the result is false, it may be true a moment later.
   */
  get isSame(): boolean {
    const modifiedMs = this.#source.modifiedMs?.();
    const size = this.#source.size();
    return size > this.#size || (size === this.#size && modifiedMs === this.#modifiedMs);
  }

  /**
   * The result has the lines of the next part, which may be none. It is undefined if the file was rewritten. The part after it overwrites
   * their bytes: fresh memory takes as long as reading.
   */
  next(): readonly FileLine[] | undefined {
    if (this.#position === this.#size) return this.#take([this.#lineTo(this.#size, false)], this.#size);
    const part = this.#part();
    if (part === undefined) return undefined;
    const lines =
      this.#start < this.#position
        ? this.#lineEndingIn(part)
        : surveyLines(part, this.#isUtf8, this.#start, this.#count, this.#survey);
    const last = lines.at(-1);
    if (last !== undefined) return this.#take(lines, last.offset + last.size + 1);
    this.#position += part.length;
    return lines;
  }

  /** A line that goes on behind the part comes again with the next one. */
  #take(lines: readonly FileLine[], end: number): readonly FileLine[] {
    this.#count += lines.length;
    this.#start = end;
    this.#position = end;
    return lines;
  }

  /** It is read together with the end of what was read before it, which shows that both are of one file. */
  #part(): Buffer | undefined {
    const known = this.#seen - this.#end.length;
    const start = Math.min(this.#position, known);
    const end = Math.min(this.#size, start + partBytes);
    const part = this.#source.slice(start, end, this.#room);
    const again = part.subarray(known - start, this.#seen - start);
    if (part.length < end - start || !again.equals(this.#end)) return undefined;
    this.#end = Buffer.from(part.subarray(-againBytesMax));
    this.#seen = end;
    return part.subarray(this.#position - start);
  }

  #lineEndingIn(part: Buffer): FileLine[] {
    const feed = part.indexOf(lineFeed);
    return feed === -1 ? [] : [this.#lineTo(this.#position + feed, true)];
  }

  #lineTo(end: number, ended: boolean): FileLine {
    const [source, offset] = [this.#source, this.#start];
    const size = end - offset;
    const line = { offset, number: this.#count + 1, size, ended };
    if (size < longLineBytes) return { ...line, bytes: source.slice(offset, end) };
    return {
      ...line,
      pieces: (take) => piecesBetween(source, offset, end, take),
      get bytes() {
        return source.slice(offset, offset + Math.min(size, lineBytesMax));
      },
    };
  }
}

export function piecesBetween(source: LineSource, start: number, end: number, take: (piece: Uint8Array) => void): void {
  for (let at = start; at < end; at += blockBytes) take(source.slice(at, Math.min(end, at + blockBytes)));
}

/** One reading of a foreign session file, from its first byte on: bytes in, what the lens tells out. */
import { createHash, type Hash } from "node:crypto";
import { setImmediate as pause } from "node:timers/promises";
import type { ForeignFacts } from "../../event/foreign.ts";
import { DocumentFrames } from "../../lens/document-frames.ts";
import type { Lens, LensEntry, LensLine, LensOptions, LensPiece, LensReader } from "../../lens/lens.ts";
import { lineHeads } from "../../lens/line-heads.ts";
import { trimLine } from "../../line/decode.ts";
import type { ByteSource } from "../session-file/session-bytes.ts";
import { type FramedLine, LineFrames, lensLineBytesMax } from "./line-frames.ts";

/** So much is read without letting anything else run. */
const stepBytes = 8 * 1024 * 1024;

const [openingBrace, closingBrace] = [0x7b, 0x7d];

export type LensSettings = Omit<LensOptions, "emit"> & {
  readonly lens: Lens;
  readonly digest?: boolean;
  /** The file is one JSON document with a list of messages, not lines. */
  readonly isDocument?: boolean;
  /** What this makes is shown all bytes that a reading reads, and may throw. */
  readonly look?: () => (bytes: Buffer) => void;
};

export class LensReading {
  readonly #bytes: ByteSource;
  readonly #settings: LensSettings;
  readonly #reader: LensReader;
  readonly #frames: Pick<LineFrames, "push" | "rest" | "endRest" | "lines" | "position"> &
    Partial<Pick<LineFrames, "giveBack">>;
  readonly #pass: ((piece: LensPiece) => void) | undefined;
  readonly #hash: Hash | undefined;
  readonly #look: ((bytes: Buffer) => void) | undefined;
  #emit: (entry: LensEntry) => void = () => undefined;
  #read = 0;

  /** This reading takes the place of `before`. */
  constructor(bytes: ByteSource, settings: LensSettings, before?: LensReading) {
    const { lens, digest, isDocument, look, ...options } = settings;
    this.#frames = isDocument === true ? new DocumentFrames(lensLineBytesMax) : new LineFrames();
    this.#bytes = bytes;
    this.#settings = settings;
    this.#hash = digest === true ? createHash("sha256") : undefined;
    this.#look = look?.();
    const emit: LensOptions["emit"] = (entry) => this.#emit(entry);
    this.#reader = before === undefined ? lens.begin({ ...options, emit }) : before.#reader.again(emit);
    this.#pass = this.#reader.pass?.bind(this.#reader);
  }

  get lines(): number {
    return this.#frames.lines;
  }

  /** How many bytes were read, those of a line that has not ended among them. */
  get read(): number {
    return this.#read;
  }

  get isTorn(): boolean {
    return this.#frames.rest.length > 0;
  }

  get position(): number {
    return this.#frames.position;
  }

  get session(): string {
    return this.#reader.session;
  }

  facts(): ForeignFacts {
    return this.#reader.facts();
  }

  sha256(): string | undefined {
    return this.#hash?.copy().digest("hex");
  }

  /**
   * Tells `emit` what was appended since. The answer is another reading, where what this one told does not hold any more:
   * it is to be told from the beginning.
   */
  async advance(emit: (entry: LensEntry) => void): Promise<LensReading | undefined> {
    this.#emit = emit;
    for (let end = this.#bytes.size(); this.#read < end; end = this.#bytes.size()) {
      const to = Math.min(end, this.#read + stepBytes);
      if (!this.#readTo(to)) break;
      if (to < end) await pause();
    }
    this.#endWholeRest();
    // Readings are kept to be gone on with, and would keep with it all that was told.
    this.#emit = () => undefined;
    return this.#reader.isOvertaken ? new LensReading(this.#bytes, this.#settings, this) : undefined;
  }

  /** The result is false if there is nothing more to read. A line that a piece cuts in two is read again, so that all of it lies in the next. */
  #readTo(to: number): boolean {
    const isPassing = this.#pass !== undefined && this.#settings.every !== true;
    const room = isPassing ? lineHeads(to - this.#read)?.room : undefined;
    if (room === undefined) return this.#readPieces(to);
    while (this.#read < to) {
      const again = this.#frames.giveBack?.(room.length / 2) ?? 0;
      if (!this.#readPieces(Math.min(to, this.#read - again + room.length), again, room)) return false;
    }
    return true;
  }

  /** So many bytes before are read `again`. */
  #readPieces(to: number, again = 0, room?: Buffer): boolean {
    const before = this.#read;
    this.#read -= again;
    const take = (piece: Buffer) => {
      const fresh = piece.subarray(Math.max(0, before - this.#read));
      this.#look?.(fresh);
      this.#hash?.update(fresh);
      this.#frames.push(piece, this.#line, this.#pass);
      this.#read += piece.length;
    };
    this.#bytes.pieces(this.#read, to, take, room);
    return this.#read > before;
  }

  readonly #line = (line: FramedLine): void => {
    if (line.bytes === undefined) {
      const { offset, number } = line;
      const detail = `the line is longer than ${lensLineBytesMax / 1024 / 1024} MB and was not read`;
      this.#emit({ kind: "finding", finding: { kind: "foreign", severity: "note", offset, line: number, detail } });
    } else if (!isBlank(line.bytes)) this.#reader.take(isBare(line.bytes) ? line : trimmed(line));
  };

  /** Clients end their last line, but whoever cut or copied a file may not have: an object that is closed is whole. */
  #endWholeRest(): void {
    const { rest } = this.#frames;
    if (rest[rest.length - 1] !== closingBrace) return;
    try {
      JSON.parse(rest.toString("utf8"));
    } catch {
      return;
    }
    this.#frames.endRest(this.#line);
  }
}

function isBare(bytes: Buffer): boolean {
  return bytes[0] === openingBrace && bytes[bytes.length - 1] === closingBrace;
}

/** The result is the line without a BOM or a run of NUL at its ends. A line of nothing but NUL, as a crash leaves it, is kept: it is damage. */
function trimmed(line: LensLine): LensLine {
  const bytes = trimLine(line.bytes);
  return bytes.length === 0 ? line : { ...line, bytes };
}

function isBlank(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}

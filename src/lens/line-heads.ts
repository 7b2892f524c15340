/**
 * This passes lines of other clients' sessions sixteen bytes at a time, which no function of Node does. The head of a line is what is
 * the same in thousands of lines: it is understood once, and from then on the program recognises it, and finds the line's id. The program
 * is WebAssembly: `line-heads.wat` explains it, and `line-heads-program.ts` has it. A line that it does not settle is looked at more closely, and
 * all are if the machine runs no such programs; `npm test` holds it to what parsing every line says.
 */
import { trimLine } from "../line/decode.ts";
import { exportsOf } from "../line/web-assembly.ts";
import type { LensLine, LensPiece, LensReader } from "./lens.ts";
import { program } from "./line-heads-program.ts";
import { type MemoryPlace, ToldObject, toldAt } from "./told-object.ts";

export { type MemoryPlace, toldAt };

/** The program tells so many bytes of each line: so many numbers of four or of eight bytes. */
const toldBytes = 32;
export const [toldInts, toldDoubles] = [toldBytes / 4, toldBytes / 8];

/** Where the next line begins, and how many lines stand before it, is told here. */
export const behindAt = 0x15fff0;

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly claude: (start: number, end: number) => number;
  readonly codex: (start: number, end: number, stops: number) => number;
  readonly gemini: (start: number, end: number, isKnown: number) => number;
  readonly droid: (start: number, end: number) => number;
  readonly file: (start: number) => number;
  readonly pi: (start: number, end: number) => number;
  readonly has: (start: number, end: number, text: number, length: number, rare: number) => number;
  readonly object: (start: number, end: number) => number;
}

/** A piece stands here, and a line that is in none stands there. Behind each there is room for line feeds that end every search. */
const pieceAt = 64;
const lineAt = 0x170000;
const pieceBytesMax = 1280 * 1024;
const lineBytesMax = 4 * 1024 * 1024;
const feedBytes = 1024;
export const lineFeed = 0x0a;
const [openingBrace, closingBrace] = [0x7b, 0x7d];
/** The tables and what the program tells stand here; the program has the same places. */
const tables = {
  claudeHeads: { at: 0x141000, entryBytes: 1024, entries: 15 },
  claudeOthers: { at: 0x145000, entryBytes: 128, entries: 15 },
  claudeNames: { at: 0x145800, entryBytes: 128, entries: 63 },
  codexHeads: { at: 0x147800, entryBytes: 1024, entries: 31 },
  codexNames: { at: 0x14f800, entryBytes: 128, entries: 63 },
  geminiNames: { at: 0x160000, entryBytes: 128, entries: 63 },
  geminiModels: { at: 0x162000, entryBytes: 128, entries: 15 },
  droidNames: { at: 0x162800, entryBytes: 128, entries: 63 },
} as const;
/** The model of Codex's that is expected stands here as an entry of a table does. */
const modelAt = 0x164800;
/** The newest context of that model stands here in the same way. */
const contextAt = 0x164900;
/** A text that is looked for stands here. It may have so many bytes. */
const soughtAt = 0x16f000;
const soughtBytesMax = 4096;
/** The texts of an entry begin here in it. */
const textAt = 16;
const claudeTextAt = 32;
const claudeBehindAt = 560;

export type HeadTable = keyof typeof tables;

/** An entry says this of the lines that begin with it. */
export interface HeadEntry {
  /** These have a character for each byte. In a line, something that is looked at by itself stands between the two. */
  readonly text: string;
  readonly behind?: string | undefined;
  readonly means: number;
}

/** What came before decides which lines of Codex's change nothing. */
export interface CodexBefore {
  /** A call waits for its output. */
  readonly isWaiting: boolean;
  /** What is read was copied from another session, and the beginning of a turn may be the first one of its own. */
  readonly isInherited: boolean;
  /** This is the newest model, or "" if a context may say more than that. */
  readonly model: string;
}

/** All readings share one program and what it has learned: what a head means is the same in each of them. */
let shared: LineHeads | undefined | false = false;

/** Less is looked at line by line: a program must be made before it is fast. */
const plainBytesMax = 16 * 1024;

/** The result is undefined if so few bytes do not need it, and it is not there yet, or if the machine runs no such programs. */
export function lineHeads(length: number): LineHeads | undefined {
  if (shared === false && length > plainBytesMax) shared = LineHeads.make();
  return shared === false ? undefined : shared;
}

export class LineHeads {
  /** A piece of a file that is read into this need not be copied. */
  readonly room: Buffer;
  readonly numbers: Int32Array;
  readonly doubles: Float64Array;
  readonly #program: Program;
  readonly memory: Buffer;
  readonly #texts = new Map<HeadTable, string[]>();
  readonly #added = new Map<HeadTable, number>();
  readonly #object: ToldObject;
  #piece: LensPiece | undefined;
  #model = "";

  private constructor(made: Program) {
    const { buffer } = made.memory;
    this.#program = made;
    this.memory = Buffer.from(buffer);
    this.room = this.memory.subarray(pieceAt, pieceAt + pieceBytesMax);
    this.numbers = new Int32Array(buffer);
    this.doubles = new Float64Array(buffer);
    this.#object = new ToldObject(this.memory, this.numbers);
    for (const end of [pieceAt + pieceBytesMax, lineAt + lineBytesMax])
      this.memory.fill(lineFeed, end, end + feedBytes);
  }

  static make(): LineHeads | undefined {
    const made = exportsOf<Program>(program);
    return made && new LineHeads(made);
  }

  /** The result is where the piece begins in the memory, or -1 if it is too long for it. */
  placeOf(piece: LensPiece): number {
    const { bytes } = piece;
    if (bytes.length > pieceBytesMax) return -1;
    const isInRoom = bytes.buffer === this.memory.buffer;
    const at = isInRoom ? bytes.byteOffset : pieceAt;
    if (piece !== this.#piece) {
      this.#piece = piece;
      if (!isInRoom) bytes.copy(this.memory, at);
      this.memory[at + bytes.length] = lineFeed;
    }
    return at;
  }

  /** The result is the same for a line that stands in no piece. The piece that is looked at stays where it is. */
  placeOfLine({ bytes }: LensLine): number {
    if (bytes.length > lineBytesMax) return -1;
    bytes.copy(this.memory, lineAt);
    this.memory[lineAt + bytes.length] = lineFeed;
    return lineAt;
  }

  /** The result is how many lines of Claude Code's from `start` on are settled; what they are is told from {@link toldAt} on. */
  claude(start: number, end: number): number {
    return this.#program.claude(start, end);
  }

  /**
   * The result is where the next line of Codex's begins that is not settled. What it is, and how many lines, calls and turns stand before it, is
   * told. A context with the model of `before` says nothing new.
   */
  codex(start: number, end: number, { isWaiting, isInherited, model }: CodexBefore): number {
    if (model !== this.#model) this.#expect(model);
    return this.#program.codex(start, end, (isWaiting ? 1 : 0) + (isInherited ? 2 : 0));
  }

  #expect(model: string): void {
    this.#model = model;
    const isPlain = /^[\w.-]{1,64}$/.test(model);
    this.memory.writeInt32LE(0, contextAt);
    this.memory.writeInt32LE(isPlain ? model.length + 2 : 0, modelAt);
    if (isPlain) this.memory.write(`"${model}"`, modelAt + textAt, "latin1");
  }

  /**
   * The result is how many lines of Gemini CLI's from `start` on are told of from {@link toldAt} on. Those that say nothing are passed, and what is behind
   * all of them is told at {@link behindAt}. `isKnown`: it is known whose session it is.
   */
  gemini(start: number, end: number, isKnown: boolean): number {
    return this.#program.gemini(start, end, isKnown ? 1 : 0);
  }

  /** The result is where the next line of Droid's begins that is not settled; how many lines and calls stand before it is told. */
  droid(start: number, end: number): number {
    return this.#program.droid(start, end);
  }

  /** The result is how many lines of pi's from `start` on are settled; what they are is told from {@link toldAt} on. */
  pi(start: number, end: number): number {
    return this.#program.pi(start, end);
  }

  /** The result says whether the text stands in the bytes. One of its bytes, at `rare`, is rare in a file. */
  has(bytes: Buffer, text: Buffer, rare: number): boolean {
    if (bytes.buffer !== this.memory.buffer || text.length > soughtBytesMax) return bytes.includes(text);
    text.copy(this.memory, soughtAt);
    const from = bytes.byteOffset;
    return this.#program.has(from, from + bytes.length, soughtAt, text.length, rare) === 1;
  }

  /**
   * The result is where the next file is named in the patch that stands from `start` on in a line, or 0 if none is. It is -1 if an escape could hide
   * one, or if a plan call stands there.
   */
  fileIn(start: number): number {
    return this.#program.file(start);
  }

  /**
   * The result is the object that takes the memory from `from` to `to`. It is undefined if that is not JSON, or not printed as clients print it.
   * All of it is read, but nothing is made of it: it may be megabytes long. It holds until the program is asked for something else.
   */
  objectAt({ from, to }: MemoryPlace): ToldObject | undefined {
    const end = this.#program.object(from, to);
    if (end === 0) return undefined;
    this.#object.end = end;
    return this.#object;
  }

  /** The result is the number of the entry in its table, or -1 if it has been there or does not fit into it. The oldest one gives way. */
  add(name: HeadTable, { text, behind = "", means }: HeadEntry): number {
    const { at, entryBytes, entries } = tables[name];
    const texts = this.#texts.get(name) ?? [];
    const whole = `${text}\n${behind}`;
    const begin = name === "claudeHeads" ? claudeTextAt : textAt;
    const room = (name === "claudeHeads" ? claudeBehindAt : entryBytes) - begin;
    const isLong = text.length > room || (behind !== "" && behind.length > entryBytes - claudeBehindAt);
    if (isLong || texts.includes(whole)) return -1;
    const added = this.#added.get(name) ?? 0;
    const index = added % entries;
    const entry = at + index * entryBytes;
    texts[index] = whole;
    this.#texts.set(name, texts);
    this.#added.set(name, added + 1);
    this.memory.writeInt32LE(text.length, entry);
    this.memory.writeInt32LE(means, entry + 4);
    this.memory.writeInt32LE(behind.length, entry + 8);
    this.memory.write(text, entry + begin, "latin1");
    if (behind !== "") this.memory.write(behind, entry + claudeBehindAt, "latin1");
    return index;
  }
}

/** The result is the next line of the piece, which ends at `end`. A crash may have left a run of NUL behind it. */
export function lineIn({ bytes, at, offset, number }: LensPiece, end: number): LensLine {
  return { bytes: trimLine(bytes.subarray(at, end)), offset, number };
}

/** The next line of the piece is taken by `reader`, if it is all of an object: the result is false for any other. */
export function takeNext(piece: LensPiece, reader: Pick<LensReader, "take">): boolean {
  const { bytes, at } = piece;
  const end = bytes.indexOf(lineFeed, at);
  if (end === -1 || bytes[at] !== openingBrace || bytes[end - 1] !== closingBrace) return false;
  reader.take(lineIn(piece, end));
  passLine(piece, end);
  return true;
}

/** The next line of the piece, which ends at `end`, is taken. */
export function passLine(piece: LensPiece, end: number): void {
  piece.offset += end + 1 - piece.at;
  piece.at = end + 1;
  piece.number += 1;
}

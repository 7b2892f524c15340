/**
 * Most lines of Codex's are settled by their heads: what stands between their time and what they say. A head is the same for
 * thousands of lines, so it is understood once and compared from then on. Answers only what looking closer would answer.
 */
import { plainName } from "./bytes.ts";
import { type CodexFound, type CodexKind, foundIn, kindOf, lineTypes, wantedTools } from "./codex-lines.ts";
import { asksForOthers, isTold, toldIn } from "./codex-told.ts";
import { time } from "./fields.ts";
import type { LensLine, LensPiece } from "./lens.ts";
import { type CodexBefore, type LineHeads, lineFeed, lineHeads, toldAt } from "./line-heads.ts";
import { textIn } from "./told-object.ts";
import type { TrackedFiles } from "./tracked-files.ts";

/** The places of the kinds are their numbers in the program, which passes lines of the first five, and tells of the others what they are. */
const kinds: readonly (CodexKind | undefined)[] = [
  ...([undefined, "pass", "output", "call", "context", "turn"] as const),
  ...(["said", "parse", "item", "compaction", "patch"] as const),
];

/** The time stands there in a line whose head is known. */
const timeStart = '{"timestamp":"'.length;
const timeEnd = timeStart + "2026-01-01T00:00:00.000Z".length;
/** A head must stand in so many first bytes. */
const headBytes = 320;
/**
 * A head stands behind the time and the number of the line. Only empty fields may stand before the type of the payload. Otherwise only what
 * is settled by the type of the line is settled.
 */
const beginning =
  /^\{"timestamp":"[^"\\]{24}"(?:,"ordinal":\d{1,15})?(,"type":"([^"\\]{1,64})","payload":\{(?:(?:"\w{1,32}":(?:null|\[\]),){0,4}"type":"([^"\\]{1,64})")?)/;
/** What the program tells stands here among its numbers. */
const told = toldAt / 4;

export class CodexScan {
  readonly #files: TrackedFiles;
  #program: LineHeads | undefined;
  /** The piece begins here in the memory of the program, or it does not stand there. */
  #pieceAt = -1;
  /** So many of the lines that were passed last call a tool, or begin a turn. */
  calls = 0;
  turns = 0;
  #lines = 0;
  /** The program knows the head of the line that it came to: it is of this kind. */
  #kind: CodexKind | undefined;
  /** The line begins there in the memory, and its head, and there it ends. */
  #lineAt = 0;
  #headAt = 0;
  #lineEnd = 0;
  /** What was said in it stands there as a string of JSON, or the name of the tool, or the id of the call that is answered; or 0. */
  #textAt = 0;
  #textEnd = 0;

  constructor(files: TrackedFiles) {
    this.#files = files;
  }

  /** This says that the next lines stand in the piece, one behind the other. */
  over(piece: LensPiece): void {
    this.#program = lineHeads(piece.bytes.length);
    this.#pieceAt = this.#program?.placeOf(piece) ?? -1;
    this.#kind = undefined;
    this.calls = 0;
    this.turns = 0;
  }

  /** This takes the next lines of the piece that change nothing, or begin a turn. */
  pass(piece: LensPiece, before: CodexBefore): void {
    if (this.#program === undefined || this.#pieceAt === -1) return;
    const start = this.#pieceAt + piece.at;
    const passed = this.#passFrom(this.#program, start, this.#pieceAt + piece.bytes.length, before) - start;
    piece.at += passed;
    piece.offset += passed;
    piece.number += this.#lines;
  }

  /** The result is where the next line of the piece ends, or -1 if it does not end there. */
  endOf({ bytes, at }: LensPiece): number {
    if (this.#kind === undefined) return bytes.indexOf(lineFeed, at);
    const end = this.#lineEnd - this.#pieceAt;
    return end < bytes.length ? end : -1;
  }

  /** The result says what the next line of the piece is. It is undefined if only a closer look can tell, and "learned" if the program can now. */
  settle({ bytes, at }: LensPiece, end: number): CodexFound | "learned" | undefined {
    if (this.#program === undefined || this.#pieceAt === -1) return undefined;
    if (this.#kind === undefined) return this.#learn(this.#program, bytes, at, end) ? "learned" : undefined;
    return this.#foundIn(this.#program, this.#kind, this.#pieceAt + at);
  }

  /** This takes a line that stands in no piece, and the result says the same of it. */
  settleLine(line: LensLine, before: CodexBefore): CodexFound | undefined {
    this.#program ??= lineHeads(line.bytes.length);
    const program = this.#program;
    const from = program?.placeOfLine(line) ?? -1;
    if (program === undefined || from === -1) return undefined;
    const { bytes } = line;
    for (;;) {
      this.#passFrom(program, from, from + bytes.length + 1, before);
      if (this.#lines > 0) return "pass";
      if (this.#kind !== undefined) return this.#foundIn(program, this.#kind, from);
      if (!this.#learn(program, bytes, 0, bytes.length)) return undefined;
    }
  }

  /** The result is the time of the line that was settled last. */
  time(): string | undefined {
    return time(this.#program?.memory.toString("latin1", this.#lineAt + timeStart, this.#lineAt + timeEnd));
  }

  /** The result is where the next line begins in the memory that changes something, or that is not known. */
  #passFrom(program: LineHeads, start: number, end: number, before: CodexBefore): number {
    const next = program.codex(start, end, before);
    const { numbers } = program;
    this.#lines = numbers[told] ?? 0;
    this.calls = numbers[told + 1] ?? 0;
    this.turns = numbers[told + 2] ?? 0;
    this.#kind = kinds[numbers[told + 3] ?? 0];
    this.#headAt = numbers[told + 4] ?? 0;
    this.#lineEnd = numbers[told + 5] ?? 0;
    this.#textAt = numbers[told + 6] ?? 0;
    this.#textEnd = numbers[told + 7] ?? 0;
    return next;
  }

  /** The line that the program came to begins at `from` in its memory. */
  #foundIn(program: LineHeads, kind: CodexKind, from: number): CodexFound {
    this.#lineAt = from;
    const { memory } = program;
    const string = textIn(memory, this.#textAt, this.#textEnd);
    if (string !== undefined && kind === "output") return { what: kind, call: string };
    if (string !== undefined && kind === "said") return { what: kind, message: string };
    if (isTold(kind)) return toldIn(program, { from, to: this.#lineEnd }, kind, this.#files) ?? "parse";
    return kind === "call" && string !== undefined
      ? this.#callOf(program, string)
      : foundIn(memory.subarray(this.#headAt, this.#lineEnd), kind, 0);
  }

  #callOf(program: LineHeads, tool: string): CodexFound {
    if (wantedTools.has(tool))
      return tool === "apply_patch" && asksForOthers(program, this.#headAt, this.#files) ? "call" : "parse";
    // Calls of a tool that changes no plan are passed from now on.
    if (plainName.test(tool)) program.add("codexNames", { text: tool, means: 1 });
    return "call";
  }

  /** The result says whether the head of the line was learned, and is known by the program from now on. */
  #learn(program: LineHeads, bytes: Buffer, from: number, end: number): boolean {
    const found = beginning.exec(bytes.toString("latin1", from, Math.min(end, from + headBytes)));
    const [, head = "", type = "", what] = found ?? [];
    const isSpoken = type === "response_item" || type === "event_msg";
    if (!lineTypes.has(type) || (isSpoken && what === undefined)) return false;
    return program.add("codexHeads", { text: head, means: kinds.indexOf(kindOf(type, what)) }) !== -1;
  }
}

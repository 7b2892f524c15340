/**
 * Most lines of Codex's are settled by their heads: what stands between their time and what they say. A head is the same for
 * thousands of lines, so it is understood once and compared from then on. Answers only what looking closer would answer.
 */
import { stringAfter } from "./bytes.ts";
import { type CodexFound, type CodexKind, foundIn, kindOf, lineTypes, nameKey, scanCodex } from "./codex-lines.ts";
import { compactionIn, otherPatchIn } from "./codex-long.ts";
import type { LensLine, LensPiece } from "./lens.ts";
import { type LineHeads, lineFeed, lineHeads, type MemoryPlace, toldAt } from "./line-heads.ts";
import type { TrackedFiles } from "./tracked-files.ts";
import { isAt, viewOf, type Words, wordsOf } from "./words.ts";

interface CodexHead {
  readonly kind: CodexKind;
  readonly text: string;
  readonly words: Words;
}

/** The places of the kinds are their numbers in the program, which passes lines of the first three, and tells of the others what they are. */
const kinds: readonly (CodexKind | undefined)[] = [
  ...([undefined, "pass", "output", "call"] as const),
  ...(["parse", "item", "context", "compaction", "patch", "turn"] as const),
];

const timeStart = '{"timestamp":"'.length;
const timeBytes = "2026-01-01T00:00:00.000Z".length;
/** The quote that ends the time stands before this place. */
const behindTime = timeStart + timeBytes + 1;
const start = wordsOf('{"timestamp":"');
const ordinal = wordsOf(',"ordinal":');
const ordinalDigitsMax = 15;
/** A head must stand in so many bytes behind the time. */
const headBytes = 256;
/** No line that is settled is shorter. */
const leastBytes = 96;
/** So many heads are kept, those that are met most often in front. */
const headsMax = 32;

/** Only empty fields may stand before the type of the payload. Otherwise only what is settled by the type of the line is settled. */
const beginning =
  /^,"type":"([^"\\]{1,64})","payload":\{(?:(?:"\w{1,32}":(?:null|\[\]),){0,4}"type":"([^"\\]{1,64})")?/;

const [quote, comma, zero, nine] = [0x22, 0x2c, 0x30, 0x39];
/** In a time as the client prints it these characters stand at these places, so that no other field begins within it. */
const inTime: readonly (readonly [place: number, byte: number])[] = [
  ...([...[4, 7].map((place) => [place, 0x2d]), ...[13, 16].map((place) => [place, 0x3a])] as [number, number][]),
  ...([
    [10, 0x54],
    [19, 0x2e],
    [23, 0x5a],
  ] as [number, number][]),
];

const contextStart = /^,"type":"turn_context","payload":\{"turn_id":"[^"\\]{1,64}",(?:"root_turn_id":"[^"\\]{1,64}",)?/;
const turnBytesMax = 1024;
/** A turn begins with such a line, whose fields hold no others. A text has no escape, and a field that counts does not stand there twice. */
const turnLine =
  /^\{"timestamp":"[ !#-[\]-~]{24}"(?:,"ordinal":(?:0|[1-9]\d*))?,"type":"event_msg","payload":\{"type":"(?:task|turn)_started","turn_id":"([\w-]{1,64})"(?:,"(?!turn_id"|type")\w{1,40}":(?:"[ !#-[\]-~]*"|0|[1-9]\d*|null|true|false))*\}\}$/;
/** A patch names its files so, in a string of JSON. What stands behind the name ends the line or the string. */
const fileMarks = ["File: ", "Move to: "];
const fileName = /([^"\\]*)("|\\[nr])?/y;
/** An escape may hide any letter. */
const hidden = "\\u00";
const planCall = "tools.update_plan(";
/** What the program tells stands here among its numbers. */
const told = toldAt / 4;
/** A name that stands in the line as it is. */
const plainName = /^[\w.-]{1,64}$/;

type Place = () => MemoryPlace | undefined;

export class CodexScan {
  readonly #files: TrackedFiles;
  /** This is the newest context of a turn, without the ids of its turn. */
  #context: Buffer | undefined;
  readonly #heads: CodexHead[] = [];
  #bytes: Buffer | undefined;
  #view = viewOf(Buffer.alloc(0));
  #program: LineHeads | undefined;
  /** The piece begins here in the memory of the program, or it does not stand there. */
  #pieceAt = -1;
  /** The program recognised the head of the next line of the piece: it begins and the line ends at these places of the piece. */
  #told: { readonly kind: CodexKind; readonly begin: number; readonly end: number } | undefined;

  constructor(files: TrackedFiles) {
    this.#files = files;
  }

  /** A piece of a file is best read into this. */
  room(length: number): Buffer | undefined {
    return lineHeads(length)?.room;
  }

  /** This says that the next lines stand in the piece, one behind the other. */
  over(piece: LensPiece): void {
    this.#program = lineHeads(piece.bytes.length);
    this.#pieceAt = this.#program?.placeOf(piece) ?? -1;
  }

  /** This takes the next lines of the piece that change nothing. The result is how many tools they call. */
  pass(piece: LensPiece, isWaiting: boolean): number {
    const program = this.#program;
    this.#told = undefined;
    if (program === undefined || this.#pieceAt === -1) return 0;
    const start = this.#pieceAt + piece.at;
    const passed = program.codex(start, this.#pieceAt + piece.bytes.length, isWaiting) - start;
    const { numbers } = program;
    const kind = kinds[numbers[told + 2] ?? 0];
    const [begin, end] = [(numbers[told + 3] ?? 0) - this.#pieceAt, (numbers[told + 4] ?? 0) - this.#pieceAt];
    if (kind !== undefined) this.#told = { kind, begin, end };
    piece.at += passed;
    piece.offset += passed;
    piece.number += numbers[told] ?? 0;
    return numbers[told + 1] ?? 0;
  }

  /** The result is where the next line of the piece ends, or -1 if it does not end there. */
  endOf({ bytes, at }: LensPiece): number {
    if (this.#told === undefined) return bytes.indexOf(lineFeed, at);
    return this.#told.end < bytes.length ? this.#told.end : -1;
  }

  /** The result says what the next line of the piece is. It is undefined if only a closer look can tell. `isWaiting`: an output may matter. */
  settle({ bytes, at }: LensPiece, end: number, isWaiting: boolean): CodexFound | undefined {
    const head = this.#told;
    if (head === undefined) return this.#settleAt(bytes, at, end, isWaiting, () => this.#placeIn(at, end));
    return this.#foundIn(head.kind, bytes.subarray(at, end), head.begin - at, isWaiting, () => this.#placeIn(at, end));
  }

  #placeIn(at: number, end: number): MemoryPlace | undefined {
    return this.#pieceAt === -1 ? undefined : { from: this.#pieceAt + at, to: this.#pieceAt + end };
  }

  /** The result says the same of a line that stands in no piece, or in one that was not looked at. */
  settleLine(line: LensLine, isWaiting: boolean): CodexFound | undefined {
    return this.#settleAt(line.bytes, 0, line.bytes.length, isWaiting, () => {
      this.#program ??= lineHeads(line.bytes.length);
      const from = this.#program?.placeOfLine(line) ?? -1;
      return from === -1 ? undefined : { from, to: from + line.bytes.length };
    });
  }

  /** The result says what a line is that was not settled: it may be a context that is not known from then on. */
  lookCloser(bytes: Buffer): CodexFound {
    this.#context = undefined;
    return scanCodex(bytes);
  }

  #settleAt(bytes: Buffer, from: number, end: number, isWaiting: boolean, place: Place): CodexFound | undefined {
    if (bytes !== this.#bytes) {
      this.#bytes = bytes;
      this.#view = viewOf(bytes);
    }
    const at = this.#headStart(bytes, from, end);
    const head = at === -1 ? undefined : this.#headAt(bytes, at, end);
    if (head === undefined) return undefined;
    this.#learnHead(head);
    return this.#foundIn(head.kind, bytes.subarray(from, end), at - from, isWaiting, place);
  }

  /** The head of the line begins at `begin`, and `place` answers where the line stands in the memory of the program. */
  #foundIn(kind: CodexKind, line: Buffer, begin: number, isWaiting: boolean, place: Place): CodexFound {
    if (kind === "pass" || (kind === "output" && !isWaiting)) return "pass";
    if (kind === "turn") return turnIn(line);
    const rest = line.subarray(begin);
    if (kind === "context") return this.#isKnownContext(rest) ? "pass" : "parse";
    if (kind === "compaction" || kind === "patch") return this.#longLine(kind, place()) ?? "parse";
    const found = foundIn(rest, kind, 0);
    if (kind === "call" && found === "call") this.#learnName(stringAfter(rest, nameKey) ?? "");
    return kind === "call" && found === "parse" && this.#isOtherPatch(rest) ? "call" : found;
  }

  #longLine(kind: "compaction" | "patch", line: MemoryPlace | undefined): CodexFound | undefined {
    if (line === undefined || this.#program === undefined) return undefined;
    return kind === "patch" ? otherPatchIn(this.#program, line, this.#files) : compactionIn(this.#program, line);
  }

  #learnHead({ kind, text }: CodexHead): void {
    this.#program?.add("codexHeads", { text, means: kinds.indexOf(kind) });
  }

  /** Calls of this tool change no plan. */
  #learnName(text: string): void {
    if (plainName.test(text)) this.#program?.add("codexNames", { text, means: 1 });
  }

  /** It says the same as the one before: each turn has one, and few of them say anything new. */
  #isKnownContext(rest: Buffer): boolean {
    const ids = contextStart.exec(rest.toString("latin1", 0, headBytes))?.[0].length;
    const context = ids === undefined ? undefined : rest.subarray(ids);
    if (context !== undefined && this.#context?.equals(context) === true) return true;
    this.#context = context === undefined ? undefined : Buffer.from(context);
    return false;
  }

  /** It is a patch, and none of its files is followed. */
  #isOtherPatch(rest: Buffer): boolean {
    if (stringAfter(rest, nameKey) !== "apply_patch") return false;
    const patch = rest.toString("utf8");
    if (patch.includes(hidden) || patch.includes(planCall)) return false;
    return fileMarks.every((mark) => {
      for (let at = patch.indexOf(mark); at !== -1; at = patch.indexOf(mark, at + 1)) {
        fileName.lastIndex = at + mark.length;
        const [, name = "", ending] = fileName.exec(patch) ?? [];
        if (ending === undefined || this.#files.has(name)) return false;
      }
      return true;
    });
  }

  /** The result is where the comma stands before the type, or -1 if the line begins in another way. */
  #headStart(bytes: Buffer, from: number, end: number): number {
    if (end - from < leastBytes || !isAt(this.#view, from, end, start) || !isTime(bytes, from + timeStart)) return -1;
    const at = from + behindTime;
    if (bytes[at - 1] !== quote) return -1;
    if (!isAt(this.#view, at, end, ordinal)) return at;
    const digits = at + ordinal.length;
    for (let behind = digits; behind <= digits + ordinalDigitsMax; behind++) {
      const byte = bytes[behind] ?? 0;
      if (byte === comma) return behind > digits ? behind : -1;
      if (byte < zero || byte > nine) return -1;
    }
    return -1;
  }

  #headAt(bytes: Buffer, at: number, end: number): CodexHead | undefined {
    const heads = this.#heads;
    for (let index = 0; index < heads.length; index++) {
      const head = heads[index];
      if (head === undefined || !isAt(this.#view, at, end, head.words)) continue;
      const before = heads[index - 1];
      if (before !== undefined) [heads[index - 1], heads[index]] = [head, before];
      return head;
    }
    const head = headOf(bytes, at, end);
    if (head !== undefined) heads[Math.min(heads.length, headsMax - 1)] = head;
    return head;
  }
}

function isTime(bytes: Buffer, at: number): boolean {
  for (let index = 0; index < inTime.length; index++) {
    const pair = inTime[index];
    if (pair === undefined || bytes[at + pair[0]] !== pair[1]) return false;
  }
  return true;
}

function headOf(bytes: Buffer, at: number, end: number): CodexHead | undefined {
  const found = beginning.exec(bytes.toString("latin1", at, Math.min(end, at + headBytes)));
  if (found === null) return undefined;
  const [all, type = "", what] = found;
  const isSpoken = type === "response_item" || type === "event_msg";
  if (!lineTypes.has(type) || (isSpoken && what === undefined)) return undefined;
  return { kind: kindOf(type, what), text: all, words: wordsOf(all) };
}

/** All of such a line is looked at: it is short, and there are as many as a person asked for something. */
function turnIn(line: Buffer): CodexFound {
  const turn = line.length < turnBytesMax ? turnLine.exec(line.toString("latin1"))?.[1] : undefined;
  return turn === undefined ? "parse" : { what: "turn", turn };
}

/** The result is the time of a line that was settled. */
export function printedTime({ bytes }: LensLine): string {
  return bytes.toString("latin1", timeStart, timeStart + timeBytes);
}

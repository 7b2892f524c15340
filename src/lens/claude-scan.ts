/**
 * Most lines of Claude Code's are settled by their heads and the place of their id: a conversation is mostly what tools
 * answered, what the model said, and what the client noted. Answers only what looking closer would answer.
 */
import { stringAfter } from "./bytes.ts";
import { checklistTools, fileTools, planTools } from "./claude-calls.ts";
import { type ClaudeHead, headOf, headStart, otherHeadOf, type SettledKind } from "./claude-heads.ts";
import { pathKey, useKey, wantedAttachments } from "./claude-lines.ts";
import type { LensLine, LensPiece } from "./lens.ts";
import { type LineHeads, lineHeads, toldAt, toldDoubles, toldInts } from "./line-heads.ts";
import type { TrackedFiles } from "./tracked-files.ts";

/** These numbers stand for the kinds and for what is told of a line, in the program as well. */
const kindNumbers: Readonly<Record<SettledKind, number>> = { result: 1, progress: 2, attachment: 3, assistant: 4 };
const plainCall = 1;
const closeCall = 2;
const fileCall = 3;
const [calls, isClose, isOfFile, isOther] = [0x100, 0x200, 0x400, 0x800];
const headNumber = 0xff;

const callPattern = /^"type":"tool_use","id":"[^"\\]*","name":"([^"\\]{1,64})"/;
const callBytesMax = 256;

/** This says what the heads mean that the program knows by their numbers. */
const heads: ClaudeHead[] = [];

/** What the line is that was settled last. Filled anew by each: making an object for every line would cost as much as looking at it. */
export class ClaudeLineScan {
  kind: SettledKind = "progress";
  /** It belongs to a subagent. */
  side = false;
  key = 0;
  parent = 0;
  /** This is the id of its message as a number, or 0 for none. */
  message = 0;
  /** The model of an assistant's line. */
  model = "";
  /** The line calls so many tools. */
  calls = 0;
  /** The line is in its place, but it is to be parsed for what it says. */
  matters = false;
  /** The line is one of those that are not in the tree; nothing else holds of it. */
  isOther = false;
  /** The line ends here, in its bytes. */
  end = 0;
  readonly #files: TrackedFiles;
  #program: LineHeads | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  /** The bytes begin here in the memory of the program. */
  #at = 0;

  constructor(files: TrackedFiles) {
    this.#files = files;
  }

  /** This says that the next lines stand in the piece. The result is false if none of them can be settled. */
  over(piece: LensPiece): boolean {
    return this.#begin(piece.bytes, (program) => program.placeOf(piece));
  }

  /** This says the same of one line that stands in no piece. */
  overLine(line: LensLine): boolean {
    return this.#begin(line.bytes, (program) => program.placeOfLine(line));
  }

  #begin(bytes: Buffer, place: (program: LineHeads) => number): boolean {
    this.#program = lineHeads(bytes.length);
    this.#bytes = bytes;
    this.#at = this.#program === undefined ? -1 : place(this.#program);
    return this.#at !== -1;
  }

  /** The result is how many lines from `start` on are settled which end before `end`. What is learned of the next line settles more. */
  settle(start: number, end: number): number {
    return this.#program?.claude(this.#at + start, this.#at + end) ?? 0;
  }

  /** This tells of a line that was settled: `start` is where it begins. */
  take(index: number, start: number): void {
    const { numbers, doubles } = this.#program as LineHeads;
    const ints = toldAt / 4 + index * toldInts;
    const told = numbers[ints + 7] ?? 0;
    this.end = (numbers[ints + 6] ?? 0) - this.#at;
    this.isOther = (told & isOther) !== 0;
    if (this.isOther) return;
    const at = toldAt / 8 + index * toldDoubles;
    this.key = doubles[at] ?? 0;
    this.parent = doubles[at + 1] ?? 0;
    this.message = doubles[at + 2] ?? 0;
    const { kind, side, what } = heads[told & headNumber] as ClaudeHead;
    this.kind = kind;
    this.side = side;
    this.model = what;
    this.calls = (told & calls) === 0 ? 0 : 1;
    this.matters =
      (told & isClose) !== 0 ||
      (kind === "attachment" && wantedAttachments.has(what)) ||
      ((told & isOfFile) !== 0 && this.#isFollowed(start, this.end));
  }

  /** The result says whether something was learned of a line that was not settled. It has to be settled once more then. */
  learn(start: number, end: number): boolean {
    const program = this.#program as LineHeads;
    const other = otherHeadOf(this.#bytes, start, end);
    if (other !== undefined) return program.add("claudeOthers", { text: other, means: 1 }) !== -1;
    const head = headOf(this.#bytes, start, end);
    if (head === undefined) return false;
    const { text, behind, kind } = head;
    const number = program.add("claudeHeads", { text, behind, means: kindNumbers[kind] });
    if (number !== -1) heads[number] = head;
    return number !== -1 || (kind === "assistant" && this.#learnCall(program, start, end));
  }

  #learnCall(program: LineHeads, start: number, end: number): boolean {
    const use = this.#bytes.subarray(start, end).indexOf(useKey, headStart);
    if (use === -1) return false;
    const from = start + use;
    const tool = callPattern.exec(this.#bytes.toString("latin1", from, Math.min(end, from + callBytesMax)))?.[1];
    if (tool === undefined) return false;
    const isCloseTool = planTools.has(tool) || checklistTools.has(tool);
    const means = isCloseTool ? closeCall : fileTools.has(tool) ? fileCall : plainCall;
    return program.add("claudeNames", { text: tool, means }) !== -1;
  }

  /** The result is true for a call that changes a file which is followed. */
  #isFollowed(start: number, end: number): boolean {
    const line = this.#bytes.subarray(start, end);
    const path = stringAfter(line, pathKey, line.indexOf(useKey, headStart));
    return path === undefined || this.#files.has(path);
  }
}

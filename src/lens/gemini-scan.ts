/**
 * Most lines of Gemini CLI's are settled without being parsed: what the model said, calls of tools that change no plan, their
 * answers, and what the client sets. Answers only what looking closer would answer.
 */
import { plainName, stringAfter } from "./bytes.ts";
import { fileTools, modelKey, namesIn, parsedNames } from "./gemini-lines.ts";
import type { LensPiece } from "./lens.ts";
import { behindAt, type LineHeads, lineHeads, toldAt, toldDoubles, toldInts } from "./line-heads.ts";

/** A line that is to be parsed, or looked at more closely, and of which nothing else is known. */
const isUnsettled = 4 | 8;
const [works, isParsed, changesFiles] = [2, 4, 16];
const timeBytes = "2026-01-01T00:00:00.000Z".length;

/** A line that has more is full of other names than those of tools, and the table has no room for them. */
const namesMax = 16;

/** The program knows these models by their numbers, which begin with 1. */
const models: string[] = [];
const modelsMax = 255;

/** This knows what the program said of lines. It holds until the program is asked for the next ones. */
export class GeminiLineScan {
  /** So many lines were settled, and so many of them are to be taken: the others say nothing. The next line begins there in the piece. */
  lines = 0;
  count = 0;
  next = 0;
  #program: LineHeads | undefined;
  #bytes: Buffer = Buffer.alloc(0);
  /** The piece begins here in the memory of the program. */
  #at = 0;
  #numbers: Int32Array = new Int32Array(0);
  #doubles: Float64Array = new Float64Array(0);

  /** This says that the next lines stand in the piece. The result is false if none of them can be settled. */
  over(piece: LensPiece): boolean {
    this.#program = lineHeads(piece.bytes.length);
    this.#bytes = piece.bytes;
    this.#at = this.#program?.placeOf(piece) ?? -1;
    if (this.#program !== undefined) ({ numbers: this.#numbers, doubles: this.#doubles } = this.#program);
    return this.#at !== -1;
  }

  /** This settles the next lines from `start` on. What is learned of the line behind them settles more. */
  settle(start: number, isKnown: boolean): void {
    this.count = (this.#program as LineHeads).gemini(this.#at + start, this.#at + this.#bytes.length, isKnown);
    this.next = (this.#numbers[behindAt / 4] ?? 0) - this.#at;
    this.lines = this.#numbers[behindAt / 4 + 1] ?? 0;
  }

  /** The result says whether nothing of the settled line matters but its message and its work: the model is this one, and no file is changed. */
  isOfMessage(index: number, model: string | undefined): boolean {
    const told = this.#told(index, 7);
    return (told & (isUnsettled | changesFiles)) === 0 && this.isOfModel(index, model);
  }

  /** No other model than this one speaks in the settled line. */
  isOfModel(index: number, model: string | undefined): boolean {
    const number = this.#told(index, 7) >> 8;
    return number === 0 || models[number - 1] === model;
  }

  /** All is known of the line but whether a file that it changes is followed. */
  changesFiles(index: number): boolean {
    return (this.#told(index, 7) & changesFiles) !== 0;
  }

  /** The result is the id of its message as a number. */
  keyAt(index: number): number {
    return this.#doubles[toldAt / 8 + index * toldDoubles] ?? 0;
  }

  /** The result says whether it calls tools that are no plan tools. */
  worksAt(index: number): boolean {
    return (this.#told(index, 7) & works) !== 0;
  }

  /** The line is to be parsed, and nothing else is known of it. */
  isParsed(index: number): boolean {
    return (this.#told(index, 7) & isParsed) !== 0;
  }

  /** The line begins and ends here, in its piece. */
  beginAt(index: number): number {
    return this.#told(index, 2) - this.#at;
  }

  endAt(index: number): number {
    return this.#told(index, 6) - this.#at;
  }

  /** So many lines stand before it that were settled with it. */
  before(index: number): number {
    return this.#told(index, 3);
  }

  /** The result is the time that this line names. It is undefined if nothing else of a message is known either. */
  timeOf(index: number): string | undefined {
    if ((this.#told(index, 7) & isUnsettled) !== 0) return undefined;
    const at = this.#told(index, 4) - this.#at;
    return this.#bytes.toString("latin1", at, at + timeBytes);
  }

  /** The result says whether something was learned of a line that was not settled. It has to be settled once more then. */
  learn(start: number, end: number): boolean {
    const program = this.#program as LineHeads;
    const line = this.#bytes.subarray(start, end);
    let hasLearned = false;
    const names = [...namesIn(line)];
    if (names.length > namesMax) return false;
    for (const text of names) {
      if (!plainName.test(text)) return hasLearned;
      hasLearned = program.add("geminiNames", { text, means: meaningOf(text) }) !== -1 || hasLearned;
    }
    const model = stringAfter(line, modelKey);
    if (model === undefined || !plainName.test(model)) return hasLearned;
    if (!models.includes(model) && models.length < modelsMax) models.push(model);
    const means = models.indexOf(model) + 1;
    return (means > 0 && program.add("geminiModels", { text: model, means }) !== -1) || hasLearned;
  }

  #told(index: number, what: number): number {
    return this.#numbers[toldAt / 4 + index * toldInts + what] ?? 0;
  }
}

/** The result says what is to be done with a line in which a tool of this name is called. */
function meaningOf(tool: string): number {
  if (parsedNames.has(tool)) return isParsed;
  return fileTools.has(tool) ? changesFiles : 1;
}

/**
 * Most lines of Claude Code's are settled by their first bytes and the place of their id: a conversation is mostly what
 * tools answered, what the model said, and what the client noted. Answers only what looking closer would answer.
 */
import { key, stringAfter, stringEnd } from "./bytes.ts";
import { checklistTools, fileTools, planTools } from "./claude-calls.ts";
import { wantedAttachments } from "./claude-lines.ts";
import { idKey } from "./main-line.ts";
import type { TrackedFiles } from "./tracked-files.ts";

const quote = 0x22;
const comma = 0x2c;
const brace = 0x7b;
const closingBrace = 0x7d;

const uuidKey = Buffer.from('"uuid":"');
/** The end of a message of one block, and the id of its line. */
const messageEnd = Buffer.from('}]},"uuid":"');
const attachmentUuidKey = Buffer.from('"type":"attachment","uuid":"');
const toolUse = Buffer.from('"type":"tool_use"');

const parentFirst = Buffer.from('{"parentUuid":"');
const mainFollows = Buffer.from('","isSidechain":false,');
const sideFollows = Buffer.from('","isSidechain":true,');
const userFollows = Buffer.from('"user","message":{"role":"user","content":[{"');
const resultKeys = [Buffer.from('tool_use_id":"'), Buffer.from('type":"tool_result"')];
const progressFollows = Buffer.from('"progress",');
const messageFollows = Buffer.from('{"');
const attachmentFollows = Buffer.from('{"type":"');
const callIdFollows = Buffer.from(',"id":"');
const callNameFollows = Buffer.from('","name":"');
/** Calls of these are looked at more closely. */
const closeTools: ReadonlySet<string> = new Set([...planTools, ...checklistTools]);
const nameMax = 64;
const pathKey = key("file_path");

/** Settled lines are of these kinds. */
export type SettledKind = "result" | "assistant" | "attachment" | "progress";

/** Keys and values of at most this length are stepped over. The unit is bytes. */
const keyMax = 24;
const valueMax = 512;
/** The longest name of an attachment that is wanted. */
const attachmentMax = 20;

/** What the last line that was settled is. Filled anew by each: making an object for every line would cost as much as looking at it. */
export class ClaudeLineScan {
  kind: SettledKind = "progress";
  /** It belongs to a subagent. */
  side = false;
  key = 0;
  parent = 0;
  /** This is the id of its message as a number, or 0 for none. */
  message = 0;
  /** The model as it stands in the line. */
  modelStart = 0;
  modelEnd = 0;
  /** How many tools it calls. */
  calls = 0;
  /** Of an attachment: what it is. */
  typeStart = 0;
  typeEnd = 0;
  #at = 0;
  readonly #files: TrackedFiles;

  constructor(files: TrackedFiles) {
    this.#files = files;
  }

  /** False: only a closer look can tell. */
  settle(b: Buffer): boolean {
    if (b.length < 128 || !follows(b, 0, parentFirst)) return false;
    const parentEnd = parentFirst.length + 36;
    this.side = follows(b, parentEnd, sideFollows);
    if (!this.side && !follows(b, parentEnd, mainFollows)) return false;
    this.parent = idKey(b, parentFirst.length, parentEnd);
    this.message = 0;
    this.calls = 0;
    this.#at = parentEnd + (this.side ? sideFollows : mainFollows).length;
    return this.#settleFields(b);
  }

  #settleFields(b: Buffer): boolean {
    for (let fields = 0; fields < 16; fields++) {
      const start = this.#at + 1;
      const end = keyEnd(b, this.#at);
      if (end === -1) return false;
      const length = end - start;
      if (length === 4 && isKey(b, start, "type")) return this.#settleType(b, end + 2);
      if (length === 7 && isKey(b, start, "message")) return this.#settleAssistant(b, end + 2);
      if (length === 10 && isKey(b, start, "attachment")) return this.#settleAttachment(b, end + 2);
      this.#at = pastScalar(b, end + 2);
      if (this.#at === -1) return false;
    }
    return false;
  }

  #settleType(b: Buffer, at: number): boolean {
    if (follows(b, at, progressFollows)) {
      this.kind = "progress";
      return this.#idFromEnd(b);
    }
    if (!follows(b, at, userFollows)) return false;
    const block = at + userFollows.length;
    if (!resultKeys.some((key) => follows(b, block, key))) return false;
    this.kind = "result";
    // A longer needle that begins with a rarer byte is found several times as fast.
    const found = b.indexOf(messageEnd, block);
    return found !== -1 && this.#take(b, found + messageEnd.length);
  }

  #settleAttachment(b: Buffer, at: number): boolean {
    if (!follows(b, at, attachmentFollows)) return false;
    this.kind = "attachment";
    this.typeStart = at + attachmentFollows.length;
    this.typeEnd = stringEnd(b, this.typeStart);
    const found = b.indexOf(attachmentUuidKey, this.typeEnd);
    return found !== -1 && b[found - 2] === closingBrace && this.#take(b, found + attachmentUuidKey.length);
  }

  /** Its message's id and model stand before what it says. */
  #settleAssistant(b: Buffer, at: number): boolean {
    if (!follows(b, at, messageFollows)) return false;
    this.kind = "assistant";
    this.calls = 0;
    this.modelEnd = 0;
    this.#at = at + 1;
    for (let fields = 0; fields < 8; fields++) {
      const start = this.#at + 1;
      const end = keyEnd(b, this.#at);
      const past = end === -1 ? -1 : pastScalar(b, end + 2);
      if (past === -1) break;
      this.#at = past;
      this.#noteField(b, start, end, past - 2);
    }
    return this.message !== 0 && this.modelEnd !== 0 && this.#settleCall(b) && this.#idFromEnd(b);
  }

  #noteField(b: Buffer, start: number, end: number, valueEnd: number): void {
    if (end - start === 2 && isKey(b, start, "id")) this.message = idKey(b, end + 3, valueEnd);
    if (end - start !== 5 || !isKey(b, start, "model")) return;
    this.modelStart = end + 3;
    this.modelEnd = valueEnd;
  }

  /** It calls no tool, or one that changes no plan and no file. */
  #settleCall(b: Buffer): boolean {
    const use = b.indexOf(toolUse, this.#at);
    if (use === -1) return true;
    const id = use + toolUse.length;
    if (!follows(b, id, callIdFollows)) return false;
    const idEnd = stringEnd(b, id + callIdFollows.length);
    if (idEnd === -1 || !follows(b, idEnd, callNameFollows)) return false;
    const name = idEnd + callNameFollows.length;
    const nameEnd = stringEnd(b, name);
    if (nameEnd - name > nameMax) return false;
    const tool = b.toString("latin1", name, nameEnd);
    if (closeTools.has(tool) || (fileTools.has(tool) && !this.#isOfOthers(b, nameEnd))) return false;
    this.calls = 1;
    return b.indexOf(toolUse, nameEnd) === -1;
  }

  /** A call that changes a file which nobody follows. */
  #isOfOthers(b: Buffer, from: number): boolean {
    const path = stringAfter(b, pathKey, from);
    return path !== undefined && !this.#files.has(path);
  }

  /** The last id of the line, where nothing that could hold another one stands behind it. */
  #idFromEnd(b: Buffer): boolean {
    const found = b.lastIndexOf(uuidKey);
    return found !== -1 && b.indexOf(closingBrace, found) === b.length - 1 && this.#take(b, found + uuidKey.length);
  }

  #take(b: Buffer, start: number): boolean {
    if (b[start + 36] !== quote) return false;
    this.key = idKey(b, start, start + 36);
    return true;
  }
}

/** Of an attachment that was settled. */
export function isWantedAttachment(bytes: Buffer, { typeStart, typeEnd }: ClaudeLineScan): boolean {
  return typeEnd - typeStart <= attachmentMax && wantedAttachments.has(bytes.toString("latin1", typeStart, typeEnd));
}

function follows(b: Buffer, at: number, bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index++) if (b[at + index] !== bytes[index]) return false;
  return true;
}

function isKey(b: Buffer, at: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) if (b[at + index] !== name.charCodeAt(index)) return false;
  return true;
}

/** Of the key whose first quote is at `at`; -1 where none stands there, or a long one, or white space behind it. */
function keyEnd(b: Buffer, at: number): number {
  if (b[at] !== quote) return -1;
  for (let end = at + 1; end < at + keyMax; end++) if (b[end] === quote) return b[end + 1] === 0x3a ? end : -1;
  return -1;
}

/** Past the value at `at` and its comma; -1 for one that is no short scalar without escapes. */
function pastScalar(b: Buffer, at: number): number {
  if (b[at] === quote) {
    const end = endOf(b, at + 1, quote);
    return end !== -1 && b[end + 1] === comma ? end + 2 : -1;
  }
  if (b[at] === brace || b[at] === 0x5b) return -1;
  const end = endOf(b, at, comma);
  return end === -1 ? -1 : end + 1;
}

/** Where `wanted` stands next; -1 behind a backslash, or too far. */
function endOf(b: Buffer, at: number, wanted: number): number {
  for (let end = at; end < at + valueMax; end++) {
    const byte = b[end];
    if (byte === wanted) return end;
    if (byte === 0x5c) return -1;
  }
  return -1;
}

/**
 * Most lines of Claude Code's are settled by their first bytes and the place of their id: a conversation is mostly what
 * tools answered, what the model said, and what the client noted. Answers only what looking closer would answer.
 */
import { key, stringAfter, stringEnd } from "./bytes.ts";
import { checklistTools, fileTools, planTools } from "./claude-calls.ts";
import { idKey } from "./main-line.ts";
import type { TrackedFiles } from "./tracked-files.ts";

const quote = 0x22;
const closingBrace = 0x7d;

const uuidKey = Buffer.from('"uuid":"');
/** The end of a message of one block, and the id of its line. */
const messageEnd = Buffer.from('}]},"uuid":"');
const attachmentUuidKey = Buffer.from('"type":"attachment","uuid":"');
const toolUse = Buffer.from('"type":"tool_use"');

const callIdFollows = Buffer.from(',"id":"');
const callNameFollows = Buffer.from('","name":"');
/** Calls of these are looked at more closely. */
const closeTools: ReadonlySet<string> = new Set([...planTools, ...checklistTools]);
const nameMax = 64;
const pathKey = key("file_path");

/** Settled lines are of these kinds. */
export type SettledKind = "result" | "assistant" | "attachment" | "progress";

/** The beginning of a line must stand in so many first bytes. */
const headBytes = 512;
const parentStart = '{"parentUuid":"'.length;
const parentEnd = parentStart + 36;
/** A string without escapes, or another scalar. */
const scalar = String.raw`(?:"[^"\\]*"|[\w.+-]+)`;
const fieldsBut = (names: string) => String.raw`(?:"(?!(?:${names})")[^"\\]*":${scalar},)*`;
/**
 * The beginning of a line as clients print it. An expression is compiled at its second use, a loop over bytes after
 * thousands: most processes read one session.
 */
const beginning = new RegExp(
  String.raw`^\{"parentUuid":"[^"\\]{36}","isSidechain":(?:false|(true)),${fieldsBut("type|message|attachment")}` +
    String.raw`(?:"type":"(?:(progress)",|(user)","message":\{"role":"user","content":\[\{"(?:tool_use_id":"|type":"tool_result"))` +
    String.raw`|"attachment":\{"type":"([^"\\]{1,64})"` +
    // Newer clients write the model first.
    String.raw`|"message":\{(?:"model":"([^"\\]+)","id":"([^"\\]+)"|"id":"([^"\\]+)","type":"message","role":"assistant","model":"([^"\\]+)"))`,
);
const modelFollows = '","type":"message","role":"assistant","model":"'.length;

/** What the last line that was settled is. Filled anew by each: making an object for every line would cost as much as looking at it. */
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
  /** This says what an attachment is. */
  attached = "";
  readonly #files: TrackedFiles;

  constructor(files: TrackedFiles) {
    this.#files = files;
  }

  /** False: only a closer look can tell. */
  settle(b: Buffer): boolean {
    const found = beginning.exec(b.toString("latin1", 0, headBytes));
    if (found === null) return false;
    const { length } = found[0];
    this.side = found[1] !== undefined;
    this.parent = idKey(b, parentStart, parentEnd);
    this.message = 0;
    this.calls = 0;
    if (found[3] !== undefined) return this.#settleResult(b, length);
    if (found[2] !== undefined) return this.#settleProgress(b);
    if (found[4] !== undefined) return this.#settleAttachment(b, found[4], length);
    const [model, id] = found[5] === undefined ? [found[8], found[7]] : [found[5], found[6]];
    this.model = model ?? "";
    const idEnd = length - 1 - (found[5] === undefined ? this.model.length + modelFollows : 0);
    this.message = idKey(b, idEnd - (id ?? "").length, idEnd);
    this.kind = "assistant";
    return this.#settleCall(b, length) && this.#idFromEnd(b);
  }

  #settleResult(b: Buffer, from: number): boolean {
    this.kind = "result";
    // A longer needle that begins with a rarer byte is found several times as fast.
    const found = b.indexOf(messageEnd, from);
    return found !== -1 && this.#take(b, found + messageEnd.length);
  }

  #settleAttachment(b: Buffer, attached: string, from: number): boolean {
    this.kind = "attachment";
    this.attached = attached;
    const found = b.indexOf(attachmentUuidKey, from);
    return found !== -1 && b[found - 2] === closingBrace && this.#take(b, found + attachmentUuidKey.length);
  }

  #settleProgress(b: Buffer): boolean {
    this.kind = "progress";
    return this.#idFromEnd(b);
  }

  /** It calls no tool, or one that changes no plan and no file. */
  #settleCall(b: Buffer, from: number): boolean {
    const use = b.indexOf(toolUse, from);
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

  /** The result is true for a call that changes a file which nobody follows. */
  #isOfOthers(b: Buffer, from: number): boolean {
    const path = stringAfter(b, pathKey, from);
    return path !== undefined && !this.#files.has(path);
  }

  /** This takes the last id of the line, if nothing that could hold another one stands behind it. */
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

function follows(b: Buffer, at: number, bytes: Buffer): boolean {
  for (let index = 0; index < bytes.length; index++) if (b[at + index] !== bytes[index]) return false;
  return true;
}

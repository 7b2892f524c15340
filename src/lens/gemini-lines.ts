/** Which lines of Gemini CLI's can matter, as their bytes tell: the others are never parsed. */
import { type Fields, fields, isFields } from "../event/fields.ts";
import { isPrettyPrinted, key, stringAfter, stringAt, stringEnd } from "./bytes.ts";
import { list, text } from "./fields.ts";
import { keyOf } from "./main-line.ts";
import type { TrackedFiles } from "./tracked-files.ts";

/** What a line that is not parsed says of its message. */
export interface GeminiHead {
  /** This is its id as a number. */
  readonly key: number;
  readonly type: string;
  readonly at: string | undefined;
  readonly model: string | undefined;
  /** It calls tools that are no plan tools. */
  readonly works: boolean;
}

/** Using them is no work on a step. */
const planTools: ReadonlySet<string> = new Set([
  ...["write_todos", "save_memory", "enter_plan_mode", "exit_plan_mode"],
  ...["tracker_create_task", "tracker_update_task", "tracker_add_dependency"],
  ...["tracker_list_tasks", "tracker_get_task", "tracker_visualize"],
]);
export const fileTools: ReadonlySet<string> = new Set(["write_file", "replace"]);
export const snapshotTag = "<state_snapshot>";
const snapshotBytes = Buffer.from(snapshotTag);
/** This stands before the text of a compressed history. No string of JSON has such quotes in it, so it is the beginning of an object. */
const snapshotHead = /\{"id":"([\w.-]{1,64})","timestamp":"[^"\\]{20,30}","type":"user","content":\[\{"text":"$/;
const snapshotHeadBytes = 200;

const idStart = Buffer.from('{"id":"');
const setStart = Buffer.from('{"$set":');
const metaKeys = ['"directories":', '"kind":', '"sessionId":'].map((key) => Buffer.from(key));
const messagesKey = Buffer.from('"messages":[');
const timeKey = key("timestamp");
const timeFirst = Buffer.from('","timestamp":"');
const typeKey = key("type");
export const modelKey = key("model");
/** Without the quote behind: tools answer with text that is full of quotes, and a search is as fast as its last byte is rare. */
const nameKey = Buffer.from('"name":');
const pathKeys = ['"file_path":', '"filePath":'].map((key) => Buffer.from(key));
const toolsKey = Buffer.from('"toolCalls":[{');
const answerKey = Buffer.from('"content":[{"functionResponse":');
const textKey = key("text");
export const parsedNames: ReadonlySet<string> = new Set([...planTools, "invoke_agent"]);

/** `isBegun`: a message was seen and whose session it is, so that what sets the context of the session is over. */
export function scanGemini(bytes: Buffer, files: TrackedFiles, isBegun: boolean): GeminiHead | "parse" | "pass" {
  if (isPrettyPrinted(bytes)) return "parse";
  if (startsWith(bytes, setStart)) return !isBegun || maySay(bytes) ? "parse" : "pass";
  return startsWith(bytes, idStart) ? scanMessage(bytes, files) : "parse";
}

function scanMessage(bytes: Buffer, files: TrackedFiles): GeminiHead | "parse" {
  const [id, type] = [stringAt(bytes, idStart.length), stringAfter(bytes, typeKey)];
  if (id === undefined || (type !== "user" && type !== "gemini") || !isTimeBehind(bytes)) return "parse";
  if (type === "user" && (!bytes.includes(answerKey) || bytes.includes(textKey))) return "parse";
  const toolsAt = bytes.indexOf(toolsKey);
  const works = toolsAt !== -1;
  if (works ? mayBePlanned(bytes, files) : type === "gemini" && bytes.includes(nameKey)) return "parse";
  // A model within a call is not that of the message.
  if (works && bytes.indexOf(modelKey) > toolsAt) return "parse";
  const model = type === "gemini" ? stringAfter(bytes, modelKey) : undefined;
  return { key: keyOf(id), type, works, at: stringAfter(bytes, timeKey), model };
}

/** The time stands behind the id. A message without one has other times within it. */
function isTimeBehind(bytes: Buffer): boolean {
  const end = stringEnd(bytes, idStart.length);
  return end !== -1 && startsWith(bytes.subarray(end), timeFirst);
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start);
}

function maySay(bytes: Buffer): boolean {
  return saysWhose(bytes) || (bytes.includes(messagesKey) && bytes.includes(snapshotTag));
}

function saysWhose(bytes: Buffer): boolean {
  return metaKeys.some((key) => bytes.includes(key));
}

/**
 * The result says whether a line that sets the messages tells of no compression but those that are known, by the ids of their messages. The client sets
 * all of them again with each of its later changes.
 */
export function hasKnownSnapshots(bytes: Buffer, known: ReadonlySet<string>): boolean {
  if (known.size === 0 || bytes[2] !== 0x24 || !startsWith(bytes, setStart) || saysWhose(bytes)) return false;
  for (let at = bytes.indexOf(snapshotBytes); at !== -1; at = bytes.indexOf(snapshotBytes, at + snapshotBytes.length)) {
    const before = bytes.toString("latin1", Math.max(0, at - snapshotHeadBytes), at);
    if (!known.has(snapshotHead.exec(before)?.[1] ?? "")) return false;
  }
  return true;
}

function mayBePlanned(bytes: Buffer, files: TrackedFiles): boolean {
  let editsFiles = false;
  for (const name of namesIn(bytes)) {
    if (parsedNames.has(name)) return true;
    editsFiles ||= fileTools.has(name);
  }
  return editsFiles && namesFollowed(bytes, files);
}

/** The result says whether a call in the line is about a file that is followed, if it edits one. */
export function namesFollowed(bytes: Buffer, files: TrackedFiles): boolean {
  return pathKeys.some((key) => {
    for (const path of valuesOf(bytes, key)) if (files.has(path)) return true;
    return false;
  });
}

/** The result has every name in the line, those of tools among them. */
export function namesIn(bytes: Buffer): Iterable<string> {
  return valuesOf(bytes, nameKey);
}

function* valuesOf(bytes: Buffer, needle: Buffer): Generator<string> {
  for (let at = bytes.indexOf(needle); at !== -1; at = bytes.indexOf(needle, at + needle.length)) {
    const value = bytes[at + needle.length] === 0x22 ? stringAt(bytes, at + needle.length + 1) : undefined;
    if (value !== undefined) yield value;
  }
}

export function isWork(call: Fields): boolean {
  return !planTools.has(text(call["name"]) ?? "");
}

/** Among the first lines, only Gemini CLI writes such a line. */
export function isGeminiLine(line: unknown): boolean {
  if (!isFields(line)) return false;
  if (text(line["sessionId"]) !== undefined && text(line["projectHash"]) !== undefined) return true;
  return line["type"] === "gemini" && text(line["id"]) !== undefined;
}

/** What a person wrote in a message; undefined where it holds answers of tools, or what the client adds by itself. */
export function writtenIn(message: Fields): string | undefined {
  const { content } = message;
  const parts =
    typeof content === "string" ? [content] : list(content).flatMap((part) => text(fields(part)["text"]) ?? []);
  const own = parts.filter(
    (part) => !/^\s*<\w{1,32}_context>/.test(part) && !part.startsWith("This is the Gemini CLI."),
  );
  return own.length === 0 ? undefined : own.join("\n");
}

/** The result is the folder of the session, if it names a file of it by the path from there. */
export function folderIn(path: string, description: string): string | undefined {
  const rest = pathsIn(description).findLast((each) => each !== "" && path.endsWith(`/${each}`));
  return rest === undefined ? undefined : path.slice(0, -rest.length - 1);
}

const writing = "Writing to ";
/** A path may have a colon itself, but not as many as this. */
const colonsMax = 32;

/** The result has all that may be the path of the file in what its client says of a call, the longest last. */
function pathsIn(description: string): string[] {
  const paths: string[] = [];
  for (let colon = description.indexOf(": "); colon !== -1; colon = description.indexOf(": ", colon + 1)) {
    if (paths.push(description.slice(0, colon)) === colonsMax) break;
  }
  if (description.startsWith(writing)) paths.push(description.slice(writing.length));
  return paths;
}

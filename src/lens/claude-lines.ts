/** Which lines of Claude Code's can matter, as their bytes tell: the others are never parsed. */
import { isPrettyPrinted, key, stringAfter, stringAt, stringEnd, stringsAfter } from "./bytes.ts";
import { checklistTools, fileTools, planTools } from "./claude-calls.ts";
import { otherKind, resultKind, spokenKind, type TreeKind } from "./main-line.ts";
import type { TrackedFiles } from "./tracked-files.ts";

/** What a line is, as far as its bytes tell. "parse": only its fields can tell. */
export type ClaudeFound = "parse" | ScannedLine;

export interface ScannedLine {
  readonly type: string;
  /** This is its place in the tree, if it has one. */
  readonly node?: ClaudeNode;
  /** It is worth parsing. */
  readonly matters: boolean;
  readonly model?: string | undefined;
  /** These are the ids of the calls that it has results of. */
  readonly results?: readonly string[];
  /** How many calls of tools it has. */
  readonly calls?: number;
}

/** This is a line's place in the tree. */
export interface ClaudeNode {
  readonly id: string;
  readonly parent: string | undefined;
  /** The line is a part of the message with this id. */
  readonly message: string | undefined;
  readonly kind: TreeKind;
  /** It belongs to a subagent. */
  readonly side: boolean;
}

const parentKey = Buffer.from('"parentUuid":');
const logicalKey = key("logicalParentUuid");
const uuidKey = key("uuid");
const typeKey = key("type");
const sideKey = Buffer.from('"isSidechain":');
const messageKey = Buffer.from('"message":{');
const attachmentKey = Buffer.from('"attachment":{"type":"');
const idKey = key("id");
const modelKey = key("model");
const resultKey = key("tool_use_id");
export const useKey = Buffer.from('"type":"tool_use"');
const nameKey = key("name");
export const pathKey = key("file_path");
const timestampKey = key("timestamp");
const boundaryKey = Buffer.from('"subtype":"compact_boundary"');
const typeFirst = Buffer.from('{"type":"');
const parentFirst = Buffer.from('{"parentUuid":');

/** Lines of these types are in the tree. */
export const treeTypes: ReadonlySet<string> = new Set(["user", "assistant", "system", "attachment", "progress"]);
export const wantedAttachments: ReadonlySet<string> = new Set([
  ...["task_reminder", "todo_reminder", "deferred_tools_delta", "model", "goal_status", "plan_mode"],
]);

/** Settles only lines that are not in the tree. */
export function scanOther(bytes: Buffer): ClaudeFound {
  const type = startsWith(bytes, typeFirst) ? stringAt(bytes, typeFirst.length) : undefined;
  return type === undefined || treeTypes.has(type) ? "parse" : { type, matters: type === "api-request-shape" };
}

export function scanLine(bytes: Buffer, files: TrackedFiles): ClaudeFound {
  if (isPrettyPrinted(bytes)) return "parse";
  const other = scanOther(bytes);
  if (other !== "parse") return other;
  const node = nodeOf(bytes);
  if (node === "parse") return node;
  return spoken(bytes, node, files);
}

/** Where a key stands twice, only parsing tells which of them is the line's own. */
function nodeOf(bytes: Buffer): ClaudeNode | "parse" {
  const parentAt = startsWith(bytes, parentFirst) ? 1 : bytes.indexOf(parentKey);
  const uuidAt = bytes.indexOf(uuidKey, parentAt === 1 ? 15 : 0);
  if (parentAt === -1 || uuidAt === -1) return "parse";
  const start = uuidAt + uuidKey.length;
  const end = stringEnd(bytes, start);
  if (end === -1 || bytes.indexOf(uuidKey, end) !== -1) return "parse";
  const id = stringAt(bytes, start);
  if (id === undefined) return "parse";
  const parentStart = parentAt + parentKey.length;
  const isNull = bytes[parentStart] !== 0x22;
  const parent = isNull ? stringAfter(bytes, logicalKey) : stringAt(bytes, parentStart + 1);
  if (isNull && parent === undefined && bytes.indexOf(boundaryKey) !== -1) return "parse";
  const sideAt = bytes.indexOf(sideKey);
  const side = sideAt !== -1 && bytes[sideAt + sideKey.length] === 0x74;
  return { id, parent, side, message: undefined, kind: otherKind };
}

function spoken(bytes: Buffer, node: ClaudeNode, files: TrackedFiles): ClaudeFound {
  const typeAt = bytes.indexOf(typeKey);
  const type = typeAt === -1 ? undefined : stringAt(bytes, typeAt + typeKey.length);
  if (type === "user") return userLine(bytes, node);
  if (type === "message" || type === "assistant") return assistantLine(bytes, node, files);
  if (type === "system") return { type, node, matters: bytes.indexOf(boundaryKey) !== -1 };
  if (type === "progress") return { type, node, matters: false };
  const attachedAt = bytes.indexOf(attachmentKey);
  if (attachedAt === -1) return "parse";
  const attached = stringAt(bytes, attachedAt + attachmentKey.length) ?? "";
  return { type: "attachment", node, matters: wantedAttachments.has(attached) };
}

function userLine(bytes: Buffer, node: ClaudeNode): ScannedLine {
  const results = [...stringsAfter(bytes, resultKey)];
  if (results.length === 0) return { type: "user", node: { ...node, kind: spokenKind }, matters: true };
  return { type: "user", node: { ...node, kind: resultKind }, matters: false, results };
}

function assistantLine(bytes: Buffer, node: ClaudeNode, files: TrackedFiles): ClaudeFound {
  const messageAt = bytes.indexOf(messageKey);
  if (messageAt === -1) return "parse";
  const message = stringAfter(bytes, idKey, messageAt);
  const model = stringAfter(bytes, modelKey, messageAt);
  const matters = bytes.indexOf(useKey, messageAt) !== -1 && callsMatter(bytes, messageAt, files);
  return {
    type: "assistant",
    node: { ...node, message, kind: spokenKind },
    matters,
    model,
    calls: callsIn(bytes, messageAt),
  };
}

/** Calls of the checklist's own tools are no work. Their names stand in the blocks in any order of keys. */
function callsIn(bytes: Buffer, from: number): number {
  let calls = 0;
  for (let at = bytes.indexOf(useKey, from); at !== -1; at = bytes.indexOf(useKey, at + 1)) calls += 1;
  if (calls === 0) return 0;
  const own = [...stringsAfter(bytes, nameKey, from)].filter((name) => checklistTools.has(name)).length;
  return Math.max(0, calls - own);
}

function callsMatter(bytes: Buffer, from: number, files: TrackedFiles): boolean {
  let changesFile = false;
  for (const name of stringsAfter(bytes, nameKey, from)) {
    if (planTools.has(name)) return true;
    changesFile ||= fileTools.has(name);
  }
  if (!changesFile) return false;
  for (const path of stringsAfter(bytes, pathKey, from)) if (files.has(path)) return true;
  return false;
}

/** The result is the first time that the line names. */
export function timestampIn(bytes: Buffer): string | undefined {
  return stringAfter(bytes, timestampKey);
}

function startsWith(bytes: Buffer, beginning: Buffer): boolean {
  return bytes.length >= beginning.length && beginning.compare(bytes, 0, beginning.length) === 0;
}

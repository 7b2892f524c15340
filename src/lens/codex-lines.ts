/** Which lines of Codex's can matter, as their bytes tell: the others are never parsed. */
import { type Fields, fields, isFields } from "../event/fields.ts";
import { isPrettyPrinted, key, stringAfter, stringAt } from "./bytes.ts";
import { goalTools } from "./codex-calls.ts";
import { text } from "./fields.ts";

/**
 * This is all that matters of a line that is not parsed, besides its time: a turn begins, somebody said something, the conversation was compacted,
 * or a patch changed no file that is followed.
 */
export type CodexSettled =
  | { readonly what: "turn"; readonly turn: string | undefined }
  | { readonly what: "context"; readonly cwd: string | undefined; readonly model: string | undefined }
  | { readonly what: "said"; readonly message: string | undefined }
  | { readonly what: "compaction" }
  | { readonly what: "patch"; readonly call: string };

/**
 * A line with "parse" may matter. A line with "call" calls a tool that changes no plan. An output is awaited if its call is, and so is what the
 * client says of a patch.
 */
export type CodexFound = "parse" | "pass" | "call" | { readonly what: "output"; readonly call: string } | CodexSettled;

/** These are the types of lines. */
export const lineTypes: ReadonlySet<string> = new Set([
  ...["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state", "token_usage_record"],
  ...["inter_agent_communication_metadata"],
]);

/** In the oldest files items stand bare. */
const bareTypes: readonly string[] = ["message", "reasoning", "function_call", "function_call_output"];
export const knownTypes: ReadonlySet<string> = new Set([
  ...lineTypes,
  ...bareTypes,
  "custom_tool_call",
  "custom_tool_call_output",
  "header",
]);

export const wantedTools: ReadonlySet<string> = new Set(["update_plan", "apply_patch", "exec", "wait", ...goalTools]);

const wantedItems: ReadonlySet<string> = new Set(["Plan", "FileChange", "UserMessage", "CollabAgentToolCall"]);

const brace = 0x7b;
const payloadKey = Buffer.from('"payload":{"type":"');
const itemKey = Buffer.from('"item":{"type":"');
const typeKey = key("type");
const nameKey = key("name");
const callKey = key("call_id");

/** This says what a line is by its type and that of its payload. Most kinds are settled by what stands in the line. */
export type CodexKind = "parse" | "pass" | "item" | "call" | "output" | CodexSettled["what"];

const kindsOfTypes: ReadonlyMap<string, CodexKind> = new Map([
  ["world_state", "pass"],
  ["token_usage_record", "pass"],
  ["turn_context", "context"],
  ["compacted", "compaction"],
]);
/** Other events are passed. */
const kindsOfEvents: ReadonlyMap<string, CodexKind> = new Map([
  ["user_message", "said"],
  ["thread_goal_updated", "parse"],
  ["thread_rolled_back", "parse"],
  ["task_started", "turn"],
  ["turn_started", "turn"],
  ["item_completed", "item"],
  ["patch_apply_end", "patch"],
]);
/** Other items are passed. */
const kindsOfItems: ReadonlyMap<string, CodexKind> = new Map([
  ["function_call", "call"],
  ["custom_tool_call", "call"],
  ["function_call_output", "output"],
  ["custom_tool_call_output", "output"],
]);

/** `what` is the type of the payload. */
export function kindOf(type: string, what: string | undefined): CodexKind {
  const kind = kindsOfTypes.get(type);
  if (kind !== undefined) return kind;
  if ((type !== "response_item" && type !== "event_msg") || what === undefined) return "parse";
  return (type === "event_msg" ? kindsOfEvents : kindsOfItems).get(what) ?? "pass";
}

export function scanCodex(bytes: Buffer): CodexFound {
  if (isPrettyPrinted(bytes)) return "parse";
  const typeAt = bytes.indexOf(typeKey);
  // A type within another object is not that of the line.
  if (typeAt === -1 || bytes.indexOf(brace, 1) < typeAt) return "parse";
  const type = stringAt(bytes, typeAt + typeKey.length);
  if (type === undefined || !lineTypes.has(type)) return "parse";
  const at = bytes.indexOf(payloadKey);
  const what = at === -1 ? undefined : stringAt(bytes, at + payloadKey.length);
  return foundIn(bytes, kindOf(type, what), at);
}

/** The payload stands in the bytes from `from` on. */
export function foundIn(bytes: Buffer, kind: CodexKind, from: number): CodexFound {
  switch (kind) {
    case "parse":
    case "pass":
      return kind;
    case "context":
    case "compaction":
    case "patch":
    case "turn":
    case "said":
      return "parse";
    case "item": {
      const at = bytes.indexOf(itemKey, from);
      const item = at === -1 ? undefined : stringAt(bytes, at + itemKey.length);
      return item === undefined || wantedItems.has(item) ? "parse" : "pass";
    }
    case "call": {
      const name = stringAfter(bytes, nameKey, from);
      return name === undefined || wantedTools.has(name) ? "parse" : "call";
    }
    case "output": {
      const call = stringAfter(bytes, callKey, from);
      return call === undefined ? "parse" : { what: "output", call };
    }
  }
}

/** The result is the session that began this one, or that it was copied from. */
export function parentIn(meta: Fields): string | undefined {
  const spawned = fields(fields(fields(meta["source"])["subagent"])["thread_spawn"]);
  return text(meta["parent_thread_id"]) ?? text(spawned["parent_thread_id"]) ?? text(meta["forked_from_id"]);
}

/** When a UUID of version 7 was made, in milliseconds. */
export function timeIn(id: string): number | undefined {
  const digits = /^([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id);
  return digits === null ? undefined : Number.parseInt(`${digits[1]}${digits[2]}`, 16);
}

/** Among the first lines, only Codex writes such a line. */
export function isCodexLine(line: unknown): boolean {
  if (!isFields(line)) return false;
  if (isFields(line["payload"]))
    return lineTypes.has(text(line["type"]) ?? "") && text(line["timestamp"]) !== undefined;
  return (
    text(line["id"]) !== undefined &&
    text(line["timestamp"]) !== undefined &&
    "instructions" in line &&
    !("type" in line)
  );
}

/** Which lines of Codex's can matter, as their bytes tell: the others are never parsed. */
import { isPrettyPrinted, key, stringAfter, stringAt } from "./bytes.ts";
import { goalTools } from "./codex-calls.ts";
import { isFields, text } from "./fields.ts";

/** A line with "parse" may matter. A line with "call" calls a tool that changes no plan. An output is awaited if its call is. */
export type CodexFound = "parse" | "pass" | "call" | { readonly outputOf: string };

/** These are the types of lines. */
export const lineTypes: ReadonlySet<string> = new Set([
  ...["session_meta", "response_item", "event_msg", "turn_context", "compacted", "world_state", "token_usage_record"],
  ...["inter_agent_communication_metadata"],
]);

export const wantedTools: ReadonlySet<string> = new Set(["update_plan", "apply_patch", "exec", ...goalTools]);

const wantedEvents: ReadonlySet<string> = new Set([
  ...["task_started", "turn_started", "user_message", "thread_goal_updated", "patch_apply_end", "thread_rolled_back"],
]);
const wantedItems: ReadonlySet<string> = new Set(["Plan", "FileChange", "UserMessage"]);
const passedTypes: ReadonlySet<string> = new Set(["world_state", "token_usage_record"]);

const payloadKey = Buffer.from('"payload":{"type":"');
const itemKey = Buffer.from('"item":{"type":"');
const typeKey = key("type");
const nameKey = key("name");
const callKey = key("call_id");

export function scanCodex(bytes: Buffer): CodexFound {
  if (isPrettyPrinted(bytes)) return "parse";
  const type = stringAfter(bytes, typeKey);
  if (type === undefined || !lineTypes.has(type)) return "parse";
  if (passedTypes.has(type)) return "pass";
  if (type !== "response_item" && type !== "event_msg") return "parse";
  const at = bytes.indexOf(payloadKey);
  const what = at === -1 ? undefined : stringAt(bytes, at + payloadKey.length);
  if (what === undefined) return "parse";
  return type === "event_msg" ? scanEvent(bytes, what, at) : scanItem(bytes, what, at);
}

function scanEvent(bytes: Buffer, what: string, from: number): CodexFound {
  if (what !== "item_completed") return wantedEvents.has(what) ? "parse" : "pass";
  const at = bytes.indexOf(itemKey, from);
  const item = at === -1 ? undefined : stringAt(bytes, at + itemKey.length);
  return item === undefined || wantedItems.has(item) ? "parse" : "pass";
}

function scanItem(bytes: Buffer, what: string, from: number): CodexFound {
  switch (what) {
    case "function_call":
    case "custom_tool_call": {
      const name = stringAfter(bytes, nameKey, from);
      return name === undefined || wantedTools.has(name) ? "parse" : "call";
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return { outputOf: stringAfter(bytes, callKey, from) ?? "" };
    default:
      return "pass";
  }
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

/** This file says what the fields of Claude Code's lines mean. */
import { type Fields, fields, isFields } from "../event/fields.ts";
import { unusedText } from "./checklist.ts";
import type { ClaudeNode } from "./claude-lines.ts";
import { blockText, list, text } from "./fields.ts";
import type { FactsKeeper } from "./keeper.ts";
import { otherKind, resultKind, spokenKind } from "./main-line.ts";

/** Types that can stand in the first lines, and in no other client's files. */
const ownTypes: ReadonlySet<string> = new Set([
  ...["file-history-snapshot", "last-prompt", "queue-operation", "permission-mode", "atis-latch", "api-request-shape"],
  ...["api-request-blob", "api-request", "tools-used", "cost-state", "custom-title", "ai-title", "agent-name"],
]);

/** Lines of these types are no surprise. */
export const otherTypes: ReadonlySet<string> = new Set([
  ...ownTypes,
  ...["user", "assistant", "system", "attachment", "progress", "summary", "mode", "frame-link", "pr-link", "started"],
  ...["result", "relocated", "worktree-state", "bridge-session"],
]);

/** Among the first lines, only Claude Code writes such a line. */
export function isTreeLine(line: unknown): boolean {
  if (!isFields(line)) return false;
  if ("uuid" in line && "parentUuid" in line && text(line["sessionId"]) !== undefined) return true;
  if (line["type"] === "summary") return text(line["leafUuid"]) !== undefined;
  if (line["type"] === "mode") return text(line["sessionId"]) !== undefined;
  return ownTypes.has(text(line["type"]) ?? "");
}

/** The result is undefined if the line is not in the tree. */
export function nodeIn(line: Fields): ClaudeNode | undefined {
  const id = text(line["uuid"]);
  if (id === undefined || !("parentUuid" in line)) return undefined;
  const message = fields(line["message"]);
  const isResult = list(message["content"]).some((block) => text(fields(block)["tool_use_id"]) !== undefined);
  const isSpoken = line["type"] === "user" || line["type"] === "assistant";
  return {
    id,
    parent: text(line["parentUuid"]) ?? text(line["logicalParentUuid"]) ?? parentOfRoot(line),
    side: line["isSidechain"] === true,
    message: line["type"] === "assistant" ? text(message["id"]) : undefined,
    kind: line["type"] === "user" && isResult ? resultKind : isSpoken ? spokenKind : otherKind,
  };
}

/** A compaction goes on with what stands before it, also where the client does not say so. No line has this id, so it hangs on the line before. */
function parentOfRoot(line: Fields): string | undefined {
  return line["type"] === "system" && line["subtype"] === "compact_boundary" ? "" : undefined;
}

const noPrompts = [
  "<command-name>",
  "<local-command-",
  "<bash-",
  "<task-notification>",
  "[Request interrupted by user",
];

/** Whether a user's line without results begins a turn. `side`: it is read as the session of a subagent. */
export function isPrompt(line: Fields, side: boolean): boolean {
  if (line["isMeta"] === true || line["isCompactSummary"] === true) return false;
  if (line["isSidechain"] === true && !side) return false;
  if (line["interruptedMessageId"] !== undefined && line["interruptedMessageId"] !== null) return false;
  const origin = text(fields(line["origin"])["kind"]);
  if (origin !== undefined) return origin === "human";
  const said = blockText(fields(line["message"])["content"]).trimStart();
  return !noPrompts.some((beginning) => said.startsWith(beginning));
}

/** The text says why there is no checklist. `offered` has the tools that the client says it offered. */
export function noChecklistText(
  { versions, newestModel }: FactsKeeper,
  offered: ReadonlySet<string>,
  refused: string | undefined,
): string {
  const client = `Claude Code ${versions.at(-1) ?? ""}`.trim();
  const tool = ["TaskCreate", "TodoWrite"].find((name) => offered.has(name));
  if (tool !== undefined) {
    const unused = unusedText(tool, refused);
    return refused === undefined ? `${unused}, which ${client} offered` : unused;
  }
  if (offered.size === 0) return "no checklist in this session: the agent used none";
  const model = newestModel ?? "this model";
  return `no checklist in this session: ${client} offers none to ${model} (CLAUDE_CODE_ENABLE_TODO_TOOLS=1 brings it back)`;
}

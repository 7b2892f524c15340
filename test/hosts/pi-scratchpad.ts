/** What a model of Anthropic's shape can see of the scratchpad in one request. */
import type { Block, MessageRequest } from "./scripted-anthropic.ts";

/** Without what only marks where caches end. */
export function messagesOf(request: MessageRequest): MessageRequest["messages"] {
  return JSON.parse(JSON.stringify(request.messages), (name, value) => (name === "cache_control" ? undefined : value));
}

type Part = { readonly type: string; readonly text?: string; readonly id?: string; readonly input?: unknown };

function partsOf(request: MessageRequest): Part[] {
  return request.messages.flatMap(({ content }) =>
    typeof content === "string" ? [{ type: "text", text: content }] : (content as Part[]),
  );
}

export function textsOf(request: MessageRequest): string[] {
  return partsOf(request).flatMap(({ text }) => (text === undefined ? [] : [text]));
}

/** The plan as the last block or call says it; undefined where neither is in sight. */
export function planIn(request: MessageRequest): string | undefined {
  return partsOf(request).reduce<string | undefined>((plan, part) => planOf(part) ?? plan, undefined);
}

function planOf({ text, input }: Part): string | undefined {
  const { action, content } = (input ?? {}) as { readonly action?: string; readonly content?: string };
  if (action === "set_plan") return content;
  const block = /\[Session Scratchpad\]\n([\s\S]*?)\n\[End Scratchpad\]/.exec(text ?? "");
  return block === null ? undefined : /Plan:\n([\s\S]*?)(?=\n\nReferences:|$)/.exec(block[1] ?? "")?.[1];
}

export function say(text: string): Block[] {
  return [{ type: "text", text }];
}

let calls = 0;

export function call(name: string, input: object): Block[] {
  calls += 1;
  return [{ type: "tool_use", id: `toolu_${String(calls).padStart(4, "0")}`, name, input }];
}

/** pi asks for a summary without offering tools. */
export function isSummary({ tools = [] }: MessageRequest): boolean {
  return tools.length === 0;
}

/** What is used of pi's `ExtensionAPI`, of 0.73 and of later releases. */
import type { ObjectSchema } from "../event/json-schema.ts";

/** This is the part of pi's API that the extension uses. */
export interface PiApi {
  on(event: "before_agent_start", handler: PiHandler<PiPrompt, { readonly systemPrompt: string } | undefined>): unknown;
  on(event: "context", handler: PiHandler<PiMessages, object>): unknown;
  on(event: "message_end", handler: PiHandler<{ readonly message: PiMessage }, undefined>): unknown;
  on(event: "turn_end", handler: PiHandler<{ readonly toolResults: readonly object[] }, undefined>): unknown;
  on(event: "session_before_compact", handler: PiHandler<PiCompaction, { readonly cancel: true } | undefined>): unknown;
  on(
    event: "session_start" | "session_compact" | "session_tree" | "session_shutdown",
    handler: PiHandler<object, undefined>,
  ): unknown;
  registerTool(tool: PiTool): void;
  registerCommand(name: string, command: PiCommand): void;
  appendEntry(customType: string, data?: unknown): unknown;
}

export type PiHandler<Event, Result> = (event: Event, context: PiContext) => Promise<Result>;

export interface PiContext {
  readonly sessionManager: PiSession;
  /** It is true in the terminal and in RPC mode. */
  readonly hasUI: boolean;
  readonly ui: PiUi;
  getContextUsage(): { readonly tokens: number | null; readonly contextWindow: number } | undefined;
}

export interface PiSession {
  getSessionId(): string;
  getSessionFile(): string | undefined;
  getLeafId(): string | null;
  getEntries(): readonly PiEntry[];
  /** This returns the entries from the first one to the one on which the conversation stands. */
  getBranch(): readonly PiEntry[];
}

export interface PiEntry {
  readonly id: string;
  readonly type: string;
  /** This is an ISO time. */
  readonly timestamp: string;
}

export interface PiUi {
  readonly theme: PiTheme;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  setStatus(key: string, text: string | undefined): void;
}

export interface PiTheme {
  fg(color: PiColor, text: string): string;
  bold(text: string): string;
}

export type PiColor = "accent" | "dim" | "error" | "muted" | "success" | "toolOutput" | "toolTitle" | "warning";

export interface PiPrompt {
  readonly systemPrompt: string;
}

export interface PiMessages {
  readonly messages: PiMessage[];
}

/** This is a message of the user or the assistant, a tool result, or one of pi's own kinds. */
export interface PiMessage {
  readonly role: string;
  /** The time is in milliseconds since 1970. */
  readonly timestamp: number;
  readonly content?: string | readonly { readonly type: string; readonly text?: string }[];
}

export interface PiCompaction {
  /** It is absent in 0.73. */
  readonly reason?: string;
  readonly preparation: { readonly tokensBefore: number };
}

export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: ObjectSchema;
  execute(
    toolCallId: string,
    input: unknown,
    signal: AbortSignal | undefined,
    onUpdate: unknown,
    context: PiContext,
  ): Promise<PiToolResult>;
  renderCall(input: unknown, theme: PiTheme): PiComponent;
  renderResult(
    result: { readonly content: readonly { readonly type: string; readonly text?: string }[] },
    options: { readonly expanded: boolean; readonly isPartial: boolean },
    theme: PiTheme,
    context: { readonly args: unknown; readonly isError: boolean },
  ): PiComponent;
}

export interface PiToolResult {
  readonly content: { readonly type: "text"; readonly text: string }[];
  readonly details: unknown;
}

export interface PiCommand {
  readonly description: string;
  handler(args: string, context: PiContext): Promise<void>;
}

/** A component gives lines for a terminal of `width` columns, none of them wider. */
export interface PiComponent {
  render(width: number): string[];
  invalidate(): void;
}

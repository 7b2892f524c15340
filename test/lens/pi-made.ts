/** A session of pi, made line by line as pi writes it, with its todo extension and its plan mode. */
type Line = Record<string, unknown>;

export class MadePi {
  readonly lines: Line[] = [
    { type: "session", version: 3, id: "s", timestamp: "2026-01-01T00:00:00.000Z", cwd: "/home/dev/project" },
  ];
  /** The entry that the next one hangs on. */
  tip: string | null = null;

  entry(type: string, fields: Line, before: Line = {}): void {
    const id = `e${String(this.lines.length).padStart(7, "0")}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, this.lines.length)).toISOString();
    this.lines.push({ type, ...before, id, parentId: this.tip, timestamp, ...fields });
    this.tip = id;
  }

  said(text: string): void {
    this.entry("message", { message: { role: "user", content: [{ type: "text", text }] } });
  }

  /** Answers the id of the call. */
  call(name: string, args: object): string {
    const id = `call_${this.lines.length}`;
    this.entry("message", {
      message: { role: "assistant", content: [{ type: "toolCall", id, name, arguments: args }] },
    });
    return id;
  }

  result(toolName: string, details: Line): void {
    const toolCallId = this.call(toolName, { action: details["action"] });
    const content = [{ type: "text", text: "ok" }];
    this.entry("message", { message: { role: "toolResult", toolCallId, toolName, content, details, isError: false } });
  }

  todo(action: string, todos: readonly (readonly [number, string, boolean])[], error?: string): void {
    const list = todos.map(([id, text, done]) => ({ id, text, done }));
    this.result("todo", { action, todos: list, nextId: 9, ...(error === undefined ? {} : { error }) });
  }

  planMode(data: object): void {
    this.entry("custom", { data }, { customType: "plan-mode" });
  }
}

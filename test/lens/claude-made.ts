/** A session of Claude Code, made line by line as its client does: each hangs on the one before, unless told otherwise. */
type Line = Record<string, unknown>;

export class MadeClaude {
  readonly lines: Line[] = [];
  /** The line that the next one hangs on. */
  tip: string | null = null;
  #count = 0;

  get last(): string {
    return String(this.lines.at(-1)?.["uuid"]);
  }

  line(type: string, more: Line = {}): string {
    const number = ++this.#count;
    const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString();
    const own = { sessionId: "session-1", version: "2.1.330", cwd: "/home/dev/project" };
    this.lines.push({ parentUuid: this.tip, isSidechain: false, type, ...more, uuid, timestamp, ...own });
    this.tip = uuid;
    return uuid;
  }

  prompt(content: string, more: Line = {}): string {
    return this.line("user", { message: { role: "user", content }, ...more });
  }

  /** Answers the id of the call. */
  call(name: string, input: object, message = `msg_${this.#count + 1}`, more: Line = {}): string {
    const id = `toolu_${this.#count + 1}`;
    const content = [{ type: "tool_use", id, name, input }];
    this.line("assistant", {
      message: { model: "claude-sonnet-4-5", id: message, type: "message", role: "assistant", content },
      ...more,
    });
    return id;
  }

  result(call: string, data: unknown, { said = "ok", isError = false, ...more }: Line = {}): string {
    const block = {
      tool_use_id: call,
      type: "tool_result",
      content: said,
      ...(isError === true ? { is_error: true } : {}),
    };
    const result = data === undefined ? {} : { toolUseResult: data };
    return this.line("user", { message: { role: "user", content: [block] }, ...result, ...more });
  }

  todos(...todos: readonly (readonly [string, string])[]): void {
    const list = todos.map(([content, status]) => ({ content, status, activeForm: content }));
    this.result(this.call("TodoWrite", { todos: list }), { oldTodos: this.held, newTodos: list });
    this.held = list;
  }

  /** What TodoWrite says that the list was before. */
  held: readonly object[] = [];

  task(id: string, subject: string, more?: Line): void {
    const call = this.call("TaskCreate", { subject, description: subject }, undefined, more);
    this.result(call, { task: { id, subject } });
  }

  update(taskId: string, change: object, more?: Line): void {
    this.result(this.call("TaskUpdate", { taskId, ...change }, undefined, more), {
      success: true,
      taskId,
      updatedFields: Object.keys(change),
    });
  }

  reminder(type: string, content: readonly object[]): void {
    this.line("attachment", { attachment: { type, content, itemCount: content.length } });
  }

  compaction(): void {
    const logicalParentUuid = this.tip;
    this.tip = null;
    this.line("system", {
      logicalParentUuid,
      subtype: "compact_boundary",
      compactMetadata: { trigger: "auto", preTokens: 9 },
    });
    this.prompt("This session is being continued", { isCompactSummary: true });
  }
}

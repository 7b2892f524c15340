/** A host as small as can be: entries in memory, written late as pi does, at the first message of the assistant. */
import { appendFileSync } from "node:fs";
import type { HostSession } from "../../src/store/host/host-view.ts";

export interface ArrayEntry {
  readonly type: string;
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
  readonly [field: string]: unknown;
}

export class ArrayHost implements HostSession {
  readonly sessionId: string;
  readonly file: string | undefined;
  readonly held: ArrayEntry[] = [];
  leaf: string | null = null;
  #flushed = false;

  constructor(sessionId: string, file?: string) {
    this.sessionId = sessionId;
    this.file = file;
  }

  append(customType: string, data: unknown): string {
    return this.add({ type: "custom", customType, data });
  }

  message(role: "user" | "assistant", text: string): string {
    return this.add({ type: "message", message: { role, content: [{ type: "text", text }] } });
  }

  entries(): readonly ArrayEntry[] {
    return [...this.held];
  }

  leafId(): string | null {
    return this.leaf;
  }

  /** The user goes back to an entry. */
  navigate(id: string | null): void {
    this.leaf = id;
  }

  add(fields: { readonly type: string; readonly [field: string]: unknown }): string {
    const id = `e${String(this.held.length).padStart(7, "0")}`;
    const entry = { ...fields, id, parentId: this.leaf, timestamp: new Date().toISOString() };
    this.held.push(entry);
    this.leaf = id;
    this.#write(entry);
    return id;
  }

  #write(entry: ArrayEntry): void {
    const { file } = this;
    if (file === undefined) return;
    const answered = this.held.some(({ message }) => (message as { role?: string } | undefined)?.role === "assistant");
    if (!answered) return;
    const header = { type: "session", version: 3, id: this.sessionId, timestamp: entry.timestamp, cwd: "/" };
    const due = this.#flushed ? [entry] : [header, ...this.held];
    for (const line of due) this.writeLine(file, `${JSON.stringify(line)}\n`);
    this.#flushed = true;
  }

  protected writeLine(file: string, line: string): void {
    appendFileSync(file, line);
  }
}

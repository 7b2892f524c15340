/** A home folder with sessions of several clients in it, gone after the test. */
import fs from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { FindOptions } from "../../src/find/finder.ts";

export const fixtures = path.resolve(import.meta.dirname, "../../fixtures/sessions");

export class Home {
  readonly path = fs.mkdtempSync(path.join(tmpdir(), "session-journal-home-"));
  #seconds = 0;

  constructor() {
    onTestFinished(() => fs.rmSync(this.path, { recursive: true, force: true }));
  }

  /** Each file is a minute newer than the one before. */
  put(name: string, content: string | Buffer): string {
    const file = path.join(this.path, name);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
    const at = new Date(Date.UTC(2026, 0, 1) + 60_000 * ++this.#seconds);
    fs.utimesSync(file, at, at);
    return file;
  }

  putFixture(name: string, fixture: string): string {
    return this.put(name, fs.readFileSync(path.join(fixtures, fixture)));
  }

  options(more: FindOptions = {}): FindOptions {
    return { home: this.path, env: {}, platform: "linux", ...more };
  }
}

/** A session of Claude Code's with one message, begun in `cwd`. */
export function claudeSession(session: string, cwd: string, message = "Hello"): string {
  const line = { parentUuid: null, isSidechain: false, type: "user", message: { role: "user", content: message } };
  const more = {
    uuid: `${session}-1`,
    timestamp: "2026-01-01T00:00:00.000Z",
    sessionId: session,
    version: "2.1.330",
    cwd,
  };
  return `${JSON.stringify({ ...line, ...more })}\n`;
}

export function codexSession(session: string, cwd: string, more: object = {}, message = "Hello"): string {
  const timestamp = "2026-01-01T00:00:00.000Z";
  const lines = [
    { timestamp, type: "session_meta", payload: { id: session, timestamp, cwd, cli_version: "0.126.0", ...more } },
    { timestamp, type: "event_msg", payload: { type: "task_started", turn_id: "turn-1" } },
    { timestamp, type: "event_msg", payload: { type: "user_message", message } },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

/** Every path below a folder with its size and times: what a look must not change. */
export function printOf(folder: string): string[] {
  return fs.readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => {
    const { size, mtimeMs, atimeMs } = fs.statSync(path.join(folder, name));
    return `${name} ${size} ${mtimeMs} ${name.endsWith(".jsonl") ? atimeMs : ""}`;
  });
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { serveMcp } from "../../src/host/mcp.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";

const commandLine = resolve(import.meta.dirname, "../../dist/command/cli.cjs");
let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "session-journal-mcp-gone-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function lineOf(message: object): string {
  return `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`;
}

const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "gone", version: "1" } };
const hello = lineOf({ id: 0, method: "initialize", params });

function noteOf(content: string): string {
  const action = { action: "append_notes", content };
  return lineOf({ id: content, method: "tools/call", params: { name: "session_scratchpad", arguments: action } });
}

describe("an MCP server whose client is gone", () => {
  test("ends without a stack trace where nobody reads its answers any more, and has done what was asked", async () => {
    const session = join(folder, "session.jsonl");
    const server = spawn(process.execPath, [commandLine, "mcp", session]);
    const complaints = text(server.stderr);
    const ended = once(server, "exit");
    server.stdin.on("error", () => undefined);
    server.stdin.write(hello);
    await once(server.stdout, "data");
    server.stdout.destroy();
    server.stdin.write(noteOf("unheard"));
    expect(await ended).toEqual([0, null]);
    expect(await complaints).toBe("");
    await using journal = await openJournal(session, { readonly: true });
    expect(journal.state.notes).toBe("unheard");
  });

  test.each(["input", "output"] as const)("is served no longer where its %s breaks", async (broken) => {
    await using journal = await openJournal(memoryStore());
    const streams = { input: new PassThrough(), output: new PassThrough() };
    const served = serveMcp(journal, streams);
    streams.input.write(hello);
    await once(streams.output, "data");
    streams[broken].destroy(new Error("connection reset"));
    await served;
  });
});

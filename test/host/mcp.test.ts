import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { serveMcp } from "../../src/host/mcp.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { isFull } from "../reliability/results.ts";

const program = resolve(import.meta.dirname, "mcp-server.mjs");
let folder = "";
let session = "";
const clients: Client[] = [];
const endings: (() => Promise<void>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "session-journal-mcp-"));
  session = join(folder, "session.jsonl");
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await Promise.all(endings.splice(0).map((end) => end()));
  rmSync(folder, { recursive: true, force: true });
});

/** Driven by the protocol's own client, over streams as those of a process. */
async function connect(config: object = {}): Promise<Client> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const journal = await openJournal(session);
  const served = serveMcp(journal, { config, version: "1.2.3", input, output }).finally(() => journal.close());
  endings.push(() => {
    input.end();
    return served;
  });
  return connected(new StdioServerTransport(output, input));
}

/** The built package in a process of its own. */
function connectToProcess(): Promise<Client> {
  return connectTo([program, session, "{}"]);
}

async function connectTo(args: string[], env: Record<string, string> = {}): Promise<Client> {
  return connected(new StdioClientTransport({ command: process.execPath, args, env }));
}

async function connected(transport: Transport): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  clients.push(client);
  // The client checks each result against the output schema that it has listed.
  if (client.getServerCapabilities()?.tools) await client.listTools();
  return client;
}

function call(client: Client, input: Record<string, unknown>, name = "session_scratchpad") {
  return client.callTool({ name, arguments: input });
}

async function stateOf(client: Client) {
  const { contents } = await client.readResource({ uri: "session-journal://state" });
  const [content] = contents;
  return JSON.parse(content !== undefined && "text" in content ? content.text : "");
}

describe("the MCP server", () => {
  test("answers everything that was asked before the client hung up", () => {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "pipe", version: "1" } };
    const asked = [
      { id: 1, method: "initialize", params },
      { method: "notifications/initialized" },
      ...[2, 3, 4].map((id) => ({
        id,
        method: "tools/call",
        params: { name: "session_scratchpad", arguments: { action: "refs.add", ref: `r${id}` } },
      })),
    ];
    const input = asked.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
    const { stdout, status } = spawnSync(process.execPath, [program, session, "{}"], { input, encoding: "utf8" });
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(answers.flatMap(({ id, result }) => (result === undefined ? [] : [id]))).toEqual([1, 2, 3, 4]);
    expect(status).toBe(0);
  });

  test("says of a line that is no JSON, or no message, what is wrong with it, and goes on", () => {
    const ping = { jsonrpc: "2.0", id: 7, method: "ping" };
    const input = `{"broken\n["none"]\n${JSON.stringify(ping)}\n`;
    const { stdout } = spawnSync(process.execPath, [program, session, "{}"], { input, encoding: "utf8" });
    const answers = stdout.trim().split("\n");
    expect(answers.map((line) => JSON.parse(line))).toMatchObject([
      { jsonrpc: "2.0", id: null, error: { code: -32700 } },
      { jsonrpc: "2.0", id: null, error: { code: -32600 } },
      { jsonrpc: "2.0", id: 7, result: {} },
    ]);
  });

  // The SDK copies what it holds with each piece that comes, which takes long.
  if (isFull) {
    test("says why it ends at a message that is longer than the SDK holds", () => {
      const input = `${JSON.stringify({ jsonrpc: "2.0", id: 7, method: "x".repeat(11 * 1024 * 1024) })}\n`;
      const { stdout } = spawnSync(process.execPath, [program, session, "{}"], { input, encoding: "utf8" });
      const error = { code: -32600, message: expect.stringContaining("10 MB") };
      expect(JSON.parse(stdout)).toEqual({ jsonrpc: "2.0", id: null, error });
    });
  }

  test("tells a request whose params are wrong what is wrong with them, in one line", () => {
    const of = { jsonrpc: "2.0", method: "tools/call" };
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "pipe", version: "1" } };
    const asked = [
      { ...of, id: 5, method: "initialize", params },
      { ...of, id: 6 },
      { ...of, id: 7, params: { name: "session_scratchpad", arguments: null } },
      { ...of, id: 8, method: "resources/read", params: {} },
    ];
    const input = asked.map((message) => `${JSON.stringify(message)}\n`).join("");
    const { stdout } = spawnSync(process.execPath, [program, session, "{}"], { input, encoding: "utf8" });
    const answers = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ error }) => error !== undefined)
      .map(({ id, error: { code, message } }) => [id, code, message]);
    expect(answers).toEqual([
      [6, -32602, "Invalid params: params: expected object, received undefined"],
      [7, -32602, "Invalid params: params.arguments: expected record, received null"],
      [8, -32602, "Invalid params: params.uri: expected string, received undefined"],
    ]);
  });

  test("introduces itself, its guidance and its tool", async () => {
    const client = await connect();
    expect(client.getServerVersion()).toMatchObject({ name: "session-journal", version: "1.2.3" });
    expect(client.getInstructions()).toContain("## Session Scratchpad");
    expect(client.getInstructions()).toContain("`read` it at the start");
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["session_scratchpad", "session_scratchpad_read"]);
    expect(tools[0]).toMatchObject({
      title: "Session scratchpad",
      inputSchema: { type: "object", required: ["action"] },
      outputSchema: { type: "object", required: expect.arrayContaining(["ok", "message", "version"]) },
      annotations: { title: "Session scratchpad", readOnlyHint: false, destructiveHint: true, openWorldHint: false },
      _meta: { "anthropic/alwaysLoad": true },
    });
    expect(tools[1]).toMatchObject({
      title: "Session scratchpad read",
      inputSchema: { type: "object", properties: {}, additionalProperties: false },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    });
  });

  test("reads without writing, and without a budget of nothing", async () => {
    const client = await connect();
    await call(client, { action: "set_plan", content: "1. Fix X" });
    await call(client, { action: "refs.add", ref: "src/login.js" });
    const bytes = readFileSync(session, "utf8");
    const read = await call(client, {}, "session_scratchpad_read");
    expect(read.structuredContent).toEqual({ version: 2, notes: "", plan: "1. Fix X", refs: ["src/login.js"] });
    expect(read.content).toMatchObject([{ text: expect.stringContaining("Plan:\n1. Fix X") }]);
    const { structuredContent } = await call(client, { action: "read" });
    expect(structuredContent).toMatchObject({ ok: true, version: 2 });
    for (const name of ["space", "used", "limit"]) expect(structuredContent).not.toHaveProperty(name);
    expect(readFileSync(session, "utf8")).toBe(bytes);
  });

  test("hands out no half of a character that an older runtime left by its cut", async () => {
    const header = { type: "session", version: 3, id: "cut", timestamp: "2026-02-05T14:30:00.000Z", cwd: "/" };
    const values = Object.entries({ notes: "cut \ud83d", plan: "1. \ud83d", refs: ["\ud83d"] }).map(([space, data]) => {
      const customType = `openclaw:scratchpad:${space}`;
      return { type: "custom", customType, data, id: space, parentId: null, timestamp: header.timestamp };
    });
    writeFileSync(session, [header, ...values].map((line) => `${JSON.stringify(line)}\n`).join(""));
    const client = await connect();
    const read = await call(client, {}, "session_scratchpad_read");
    expect(read.structuredContent).toEqual({ version: 3, notes: "cut \ufffd", plan: "1. \ufffd", refs: ["\ufffd"] });
    const { contents } = await client.readResource({ uri: "session-journal://diff/v0/head" });
    expect(contents).toMatchObject([{ text: expect.stringContaining("+cut \ufffd\n") }]);
  });

  test.each([
    [{ action: "set_notes", contnt: "x" }, "session_scratchpad", "unknown parameter contnt: did you mean content?"],
    [{ action: "set_notes", content: "x", mode: "a" }, "session_scratchpad", "unknown parameter mode"],
    [{ space: "notes" }, "session_scratchpad_read", "unknown parameter space: session_scratchpad_read takes none"],
  ])("refuses %j of %s instead of doing half of it", async (input, name, message) => {
    const client = await connect();
    const refused = await call(client, input, name);
    expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(message) }] });
    expect(await stateOf(client)).toMatchObject({ version: 0 });
  });

  test.each(["scratchpad", "single-key", "notepad", "pad"])(
    "closes the schemas of %s to other parameters",
    async (face) => {
      const { tools } = await (await connect({ face })).listTools();
      for (const { inputSchema, title } of tools) {
        expect(inputSchema.additionalProperties).toBe(false);
        expect(title).toMatch(/^[A-Z][a-z ]+$/);
      }
      expect(tools.some(({ annotations }) => annotations?.readOnlyHint)).toBe(true);
    },
  );

  test("has the block as Markdown, and earlier points and differences by template", async () => {
    const client = await connect();
    await call(client, { action: "set_plan", content: "1. Fix X" });
    await call(client, { action: "set_plan", content: "1. Fix Y" });
    const text = async (uri: string) => (await client.readResource({ uri })).contents[0];
    expect(await text("session-journal://block")).toMatchObject({
      mimeType: "text/markdown",
      text: "[Session Scratchpad]\nPlan:\n1. Fix Y\n[End Scratchpad]",
    });
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      "session-journal://at/{point}",
      "session-journal://diff/{from}/{to}",
    ]);
    const earlier = (await text("session-journal://at/v1")) as { text: string };
    expect(JSON.parse(earlier.text)).toMatchObject({ version: 1, state: { plan: "1. Fix X" } });
    expect(await text("session-journal://diff/v1/head")).toMatchObject({
      mimeType: "text/x-diff",
      text: expect.stringMatching(/^-1\. Fix X\n\+1\. Fix Y$/m),
    });
    const later = encodeURIComponent(new Date(Date.now() + 60_000).toISOString());
    expect(await text(`session-journal://at/${later}`)).toMatchObject({ mimeType: "application/json" });
    for (const uri of ["at/v99", "at/%", "at/never"]) {
      await expect(text(`session-journal://${uri}`)).rejects.toMatchObject({ code: -32602 });
    }
    await expect(text("session-journal://diff/v1")).rejects.toMatchObject({ code: ErrorCode.InvalidParams });
  });

  test("applies an action and answers with text and structure", async () => {
    const client = await connect();
    const result = await call(client, { action: "set_plan", content: "1. Fix auth bug\n2. Add test" });
    expect(result.content).toEqual([{ type: "text", text: "plan set: 27/2000 chars used" }]);
    expect(result.structuredContent).toMatchObject({ ok: true, version: 1, space: "plan", used: 27, limit: 2000 });
    expect(result.structuredContent).not.toHaveProperty("events");
    expect(result.isError).toBe(false);
    const journal = await openJournal(session, { readonly: true });
    expect(journal.state.plan).toBe("1. Fix auth bug\n2. Add test");
    await journal.close();
  });

  test("tells a model of a refusal, and a host of a tool that is not there", async () => {
    const client = await connect();
    const refused = await call(client, { action: "refs.remove", ref: "absent" });
    expect(refused).toMatchObject({ isError: true, structuredContent: { ok: false, code: "not_found" } });
    expect(await call(client, { action: "explode" })).toMatchObject({ isError: true });
    await expect(call(client, {}, "other")).rejects.toThrow("unknown tool other: there is session_scratchpad");
  });

  test("does not say twice which code an error has", async () => {
    const client = await connect();
    const wrong = [
      call(client, {}, "other"),
      client.readResource({ uri: "session-journal://other" }),
      client.readResource({ uri: "session-journal://at/v99" }),
      client.getPrompt({ name: "other" }),
    ];
    for (const one of await Promise.allSettled(wrong)) {
      const { message } = (one as PromiseRejectedResult).reason;
      expect(message).toMatch(/^MCP error -32602: (?!MCP error)./);
    }
  });

  test("takes a call under the dotted name", async () => {
    const client = await connect();
    const result = await call(client, { action: "refs.add", ref: "r" }, "session.scratchpad");
    expect(result.structuredContent).toMatchObject({ ok: true });
  });

  test("has the state as a resource and the block as a prompt", async () => {
    const client = await connect();
    const { resources } = await client.listResources();
    expect(resources).toMatchObject([
      { uri: "session-journal://state", mimeType: "application/json", title: "Scratchpad state" },
      { uri: "session-journal://block", mimeType: "text/markdown", title: "Scratchpad" },
    ]);
    const prompt = async () => (await client.getPrompt({ name: "scratchpad" })).messages;
    expect(await prompt()).toEqual([
      { role: "user", content: { type: "text", text: "The session scratchpad is empty." } },
    ]);
    await call(client, { action: "set_notes", content: "n" });
    expect(await stateOf(client)).toMatchObject({ version: 1, turn: 0, state: { notes: "n", plan: "", refs: [] } });
    expect(await prompt()).toEqual([
      { role: "user", content: { type: "text", text: "[Session Scratchpad]\nn\n[End Scratchpad]" } },
    ]);
    expect((await client.listPrompts()).prompts).toMatchObject([{ name: "scratchpad" }]);
    await expect(client.readResource({ uri: "file:///etc/passwd" })).rejects.toMatchObject({
      code: ErrorCode.InvalidParams,
    });
    await expect(client.getPrompt({ name: "other" })).rejects.toMatchObject({ code: ErrorCode.InvalidParams });
  });

  test("tells a subscriber of what another process wrote", async () => {
    const client = await connectToProcess();
    await client.subscribeResource({ uri: "session-journal://state" });
    const told = new Promise((resolveTold) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => resolveTold(params.uri));
    });
    const other = await openJournal(session);
    await other.notes.set("from elsewhere");
    await other.close();
    expect(await told).toBe("session-journal://state");
    expect(await stateOf(client)).toMatchObject({ version: 1, state: { notes: "from elsewhere" } });
  });

  test("serves the notepad and the pad", async () => {
    const notepad = await connect({ face: "notepad" });
    expect((await call(notepad, { content: "note" }, "write_notepad")).structuredContent).toEqual({ ok: true });
    expect((await call(notepad, {}, "read_notepad")).structuredContent).toEqual({ content: "note" });
    const pad = await connect({ face: "pad" });
    const { tools } = await pad.listTools();
    expect(tools.map(({ annotations }) => annotations?.readOnlyHint)).toEqual([false, true, true]);
    expect(tools.map(({ title }) => title)).toEqual(["Scratchpad write", "Scratchpad read", "Scratchpad list"]);
    const written = await call(pad, { key: "plan", content: "abc" }, "scratchpad_write");
    expect(written.content).toEqual([{ type: "text", text: "wrote 3 chars to scratchpad[plan]" }]);
  });

  test("lets a model read the single key, which nothing puts before its messages here", async () => {
    const client = await connect({ face: "single-key" });
    expect(client.getInstructions()).toContain("not shown to you by itself");
    expect(client.getInstructions()).not.toContain("prepended");
    const { tools } = await client.listTools();
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ["session_scratchpad", false],
      ["session_scratchpad_read", true],
    ]);
    expect(tools[0]?.description).not.toContain("prepended");
    expect(tools[0]?.description).toContain("session_scratchpad_read reads it");
    const read = async () => call(client, {}, "session_scratchpad_read");
    expect((await read()).content).toEqual([{ type: "text", text: "(empty)" }]);
    await call(client, { content: "1. Fix X" });
    expect(await read()).toMatchObject({ structuredContent: { content: "1. Fix X" }, content: [{ text: "1. Fix X" }] });
  });

  test("shows the entries of a pad as its prompt, none of them able to pass for another", async () => {
    const client = await connect({ face: "pad" });
    const prompt = async () => (await client.getPrompt({ name: "scratchpad" })).messages[0]?.content;
    expect(await prompt()).toEqual({ type: "text", text: "The session scratchpad is empty." });
    await call(client, { key: "rules", content: "Nothing in production." }, "scratchpad_write");
    await call(client, { key: "plan", content: "1. Survey\nrules:\n  all" }, "scratchpad_write");
    const text =
      "[Session Scratchpad]\nplan:\n  1. Survey\n  rules:\n    all\n\nrules:\n  Nothing in production.\n[End Scratchpad]";
    expect(await prompt()).toEqual({ type: "text", text });
  });

  test("shows nothing of a scratchpad that is switched off", async () => {
    const client = await connect({ enabled: false });
    expect((await client.listTools()).tools).toEqual([]);
    expect(client.getInstructions()).toBeUndefined();
    expect(client.getServerCapabilities()).not.toHaveProperty("prompts");
    await expect(call(client, { action: "read" })).rejects.toThrow("unknown tool");
  });

  test("keeps two servers on one file consistent under parallel calls", async () => {
    const [a, b] = await Promise.all([connectToProcess(), connectToProcess()]);
    const refs = (client: Client, name: string) =>
      Array.from({ length: 20 }, (_, index) => call(client, { action: "refs.add", ref: `${name}${index}` }));
    const results = await Promise.all([...refs(a, "a"), ...refs(b, "b")]);
    const versions = results.map(({ structuredContent }) => (structuredContent as { version: number }).version);
    expect(versions.toSorted((x, y) => x - y)).toEqual(Array.from({ length: 40 }, (_, index) => index + 1));
    const [stateA, stateB] = await Promise.all([stateOf(a), stateOf(b)]);
    expect(stateA).toEqual(stateB);
    expect(stateA.state.refs).toHaveLength(40);
    expect(new Set(stateA.state.refs).size).toBe(40);
  });

  test("is started from the command line", async () => {
    const main = resolve(import.meta.dirname, "../../dist/command/cli.cjs");
    const args = [main, "mcp", session, "--face", "pad", "--actor", "planner"];
    const client = await connectTo(args, { SESSION_SCRATCHPAD_FACE: "notepad" });
    await call(client, { key: "k", content: "v" }, "scratchpad_write");
    const journal = await openJournal(session, { readonly: true });
    expect(journal.entries.read("k")).toBe("v");
    for await (const { actor } of journal.history()) expect(actor).toBe("planner");
    await journal.close();
  });

  test("takes budgets from the environment, and keeps the single key for runtimes that know of no other", async () => {
    const main = resolve(import.meta.dirname, "../../dist/command/cli.cjs");
    const settings = { SESSION_SCRATCHPAD_FACE: "single-key", SESSION_SCRATCHPAD_LIMITS_ENTRY: "7" };
    const client = await connectTo([main, "mcp", session], settings);
    await call(client, { content: "1. Fix X" });
    const lines = readFileSync(session, "utf8").trimEnd().split("\n");
    const values = lines.map((line) => JSON.parse(line)).filter(({ mirror }) => mirror !== undefined);
    expect(values).toMatchObject([{ customType: "openclaw:scratchpad", data: "1. Fix X" }]);

    const pad = await connectTo([main, "mcp", session, "--face", "pad"], settings);
    const { content } = await call(pad, { key: "k", content: "12345678" }, "scratchpad_write");
    expect(content).toMatchObject([{ text: expect.stringContaining("8/7 bytes") }]);
  });

  test("ends by itself when its client hangs up", async () => {
    const server = spawn(process.execPath, [program, session], { stdio: ["pipe", "ignore", "inherit"] });
    const ended = new Promise((resolveEnded) => server.once("exit", (code, signal) => resolveEnded({ code, signal })));
    server.stdin.end();
    expect(await ended).toEqual({ code: 0, signal: null });
  });
});

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { EmptyResultSchema, ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { serveMcpHttp } from "../../src/entry/mcp.ts";
import { openJournal } from "../../src/open/open-journal.ts";

const main = resolve(import.meta.dirname, "../../dist/command/cli.cjs");
const hello = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};
const token = "0123456789abcdef0123";
let folder = "";
let session = "";
const closing: (() => Promise<unknown>)[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "session-journal-http-"));
  session = join(folder, "session.jsonl");
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** The built command in a process of its own, and what it said. */
async function start(...options: string[]): Promise<{ url: string; token: string }> {
  const child = spawn(process.execPath, [main, "mcp", session, "--http", "0", "--json", ...options], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  closing.push(() => stop(child));
  for await (const chunk of child.stdout) return JSON.parse(String(chunk));
  throw new Error("it said nothing");
}

function stop(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((done) => child.once("exit", (code) => done(code)));
  child.kill("SIGTERM");
  return ended;
}

async function connect({ url, token }: { url: string; token: string }): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  closing.push(() => client.close());
  return client;
}

/** Status and text of the answer to a first message with these headers. */
function ask(
  url: string,
  headers: Record<string, string>,
  body: unknown = hello,
): Promise<{ status: number; text: string }> {
  return new Promise((done, fail) => {
    const types = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const asking = request(url, { method: "POST", headers: { ...types, ...headers } }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => done({ status: response.statusCode ?? 0, text }));
    });
    asking.on("error", fail);
    asking.end(JSON.stringify(body));
  });
}

describe("the MCP server over HTTP", () => {
  test("tells who sends wrong params so, in one line", async () => {
    const client = await connect(await start());
    await expect(client.request({ method: "resources/read", params: {} } as never, EmptyResultSchema)).rejects.toThrow(
      "MCP error -32602: Invalid params: params.uri: expected string, received undefined",
    );
  });

  test("serves several clients of one scratchpad, and tells each of changes", async () => {
    const serving = await start();
    const [a, b] = await Promise.all([connect(serving), connect(serving)]);
    await b.subscribeResource({ uri: "session-journal://state" });
    const told = new Promise((done) => {
      b.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => done(params.uri));
    });
    const written = await a.callTool({ name: "session_scratchpad", arguments: { action: "set_notes", content: "n" } });
    expect(written.structuredContent).toMatchObject({ ok: true, version: 1 });
    expect(await told).toBe("session-journal://state");
    const read = await b.callTool({ name: "session_scratchpad_read", arguments: {} });
    expect(read.structuredContent).toMatchObject({ notes: "n" });
  });

  test("ends with 0 when it is interrupted, also while a client listens", async () => {
    const child = spawn(process.execPath, [main, "mcp", session, "--http", "0", "--json"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const serving = await new Promise<{ url: string; token: string }>((done) => {
      child.stdout.once("data", (chunk) => done(JSON.parse(String(chunk))));
    });
    await connect(serving);
    expect(await stop(child)).toBe(0);
  });

  test("takes the token from a file, and does not print it", async () => {
    const file = join(folder, "token");
    writeFileSync(file, `${token}\n`);
    const said = await start("--token-file", file);
    expect(said).not.toHaveProperty("token");
    const client = await connect({ url: said.url, token });
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  test.each([
    ["no token", 401, {}],
    ["a wrong token", 401, { authorization: "Bearer 0123456789abcdef0124" }],
    ["another way to show it", 401, { authorization: `Basic ${token}` }],
    ["a page of another site", 403, { authorization: `Bearer ${token}`, origin: "https://example.org" }],
    ["a page without an origin", 403, { authorization: `Bearer ${token}`, origin: "null" }],
    ["a name that was bent to this address", 403, { authorization: `Bearer ${token}`, host: "example.org:80" }],
  ])("refuses %s", async (_, status, headers: Record<string, string>) => {
    const journal = await openJournal(session);
    const serving = await serveMcpHttp(journal, { token });
    expect((await ask(serving.url, headers)).status).toBe(status);
    expect((await ask(serving.url, { authorization: `Bearer ${token}` })).status).toBe(200);
    await serving.close();
    await journal.close();
  });

  test("tells what is wrong with a call that is none of a client's", async () => {
    const journal = await openJournal(session);
    const serving = await serveMcpHttp(journal);
    const authorization = `Bearer ${serving.token}`;
    expect(await ask(serving.url.replace("/mcp", "/other"), { authorization })).toMatchObject({ status: 404 });
    expect(await ask(serving.url, { authorization, "mcp-session-id": "gone" })).toMatchObject({
      status: 404,
      text: expect.stringContaining("initialize again"),
    });
    const noHello = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await ask(serving.url, { authorization }, noHello)).status).toBe(400);
    expect((await ask(serving.url, { authorization })).status).toBe(200);
    await serving.close();
    await journal.close();
  });

  test("forgets the client that was silent longest once there are too many, and not for a call that is no client's", async () => {
    const journal = await openJournal(session);
    const serving = await serveMcpHttp(journal);
    const authorization = `Bearer ${serving.token}`;
    const first = await connect(serving);
    for (let count = 1; count < 64; count += 1) {
      expect((await ask(serving.url, { authorization })).status).toBe(200);
    }
    const noHello = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    expect((await ask(serving.url, { authorization }, noHello)).status).toBe(400);
    expect((await first.listTools()).tools).toHaveLength(2);
    for (let count = 0; count < 64; count += 1) {
      expect((await ask(serving.url, { authorization })).status).toBe(200);
    }
    await expect(first.listTools()).rejects.toThrow("initialize again");
    expect((await (await connect(serving)).listTools()).tools).toHaveLength(2);
    await serving.close();
    await journal.close();
  });

  test.each([
    [{ port: 70_000 }, "port"],
    [{ token: "short" }, "token"],
    [{ host: "0.0.0.0" }, "host"],
  ])("refuses %j", async (options: object, name) => {
    const journal = await openJournal(session);
    await expect(serveMcpHttp(journal, options)).rejects.toThrow(name);
    await journal.close();
  });
});

import fs, { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { cli, root, values } from "./cli.ts";

const session = resolve("my session.jsonl");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const pinned = `session-journal@${version}`;
const args = ["-y", pinned, "mcp", session];

/** As printed for a client that runs on such a system. */
async function printed(client: string, ...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(["setup", client, "my session.jsonl", "--system", "posix", ...options]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return stdout;
}

describe("setup", () => {
  test.each([
    ["claude-desktop", "mcpServers"],
    ["cline", "mcpServers"],
    ["cursor", "mcpServers"],
    ["gemini-cli", "mcpServers"],
    ["vscode", "servers"],
    ["windsurf", "mcpServers"],
    ["zed", "context_servers"],
  ])("gives %s its JSON, with the session's whole path and this version", async (client, section) => {
    expect(JSON.parse(await printed(client))).toEqual({ [section]: { "session-journal": { command: "npx", args } } });
  });

  test("gives opencode a server whose command is a list", async () => {
    const server = { type: "local", command: ["npx", ...args], enabled: true };
    expect(JSON.parse(await printed("opencode"))).toEqual({ mcp: { "session-journal": server } });
  });

  test("gives claude-code one command, whose server is there at the first message", async () => {
    const [, json = ""] = /^claude mcp add-json session-journal '(.*)'\n$/.exec(await printed("claude-code")) ?? [];
    expect(JSON.parse(json)).toEqual({ type: "stdio", command: "npx", args, alwaysLoad: true });
  });

  test("gives codex a table", async () => {
    const text = await printed("codex");
    expect(text.split("\n")[0]).toBe("[mcp_servers.session-journal]");
    expect(text).toContain(`command = "npx"\nargs = ["-y","${pinned}",`);
  });

  test.each([
    ["sqlite:j.db#s", `sqlite:${resolve("j.db")}#s`],
    ["sqlite:///var/j.db#s", "sqlite:/var/j.db#s"],
    ["postgres://ann@host/db#s", "postgres://ann@host/db#s"],
    ["nats://host/prefix#s", "nats://host/prefix#s"],
    ["file:///tmp/s.jsonl", "file:///tmp/s.jsonl"],
  ])("takes %s for the address that it is", async (where, named) => {
    const text = (await cli(["setup", "cursor", where, "--system", "posix"])).stdout;
    expect(JSON.parse(text).mcpServers["session-journal"].args.at(-1)).toBe(named);
  });

  test("starts npx by the shell on Windows, where it is a script", async () => {
    const text = (await cli(["setup", "cursor", "my session.jsonl", "--system", "windows"])).stdout;
    const server = { command: "cmd", args: ["/c", "npx", ...args] };
    expect(JSON.parse(text)).toEqual({ mcpServers: { "session-journal": server } });
    const { stdout } = await cli(["setup", "claude-code", "s.jsonl", "--system", "windows"]);
    expect(stdout).toMatch(/^claude mcp add-json session-journal "\{\\"type\\":\\"stdio\\",\\"command\\":\\"cmd\\"/);
  });

  test("starts the installed command itself where asked to", async () => {
    const command = join(root, "dist", "command", "cli.cjs");
    const server = { command: process.execPath, args: [command, "mcp", session] };
    expect(JSON.parse(await printed("cursor", "--installed"))).toEqual({ mcpServers: { "session-journal": server } });
  });

  test("says where it goes on a terminal and in JSON", async () => {
    const { stdout } = await cli(["setup", "cursor", "s.jsonl"], { columns: 80, env: { NO_COLOR: "1" } });
    expect(stdout).toMatch(/^# \.cursor\/mcp\.json\n\{/);
    expect(values((await cli(["setup", "cursor", "s.jsonl", "--json"])).stdout)).toMatchObject([
      { client: "cursor", place: ".cursor/mcp.json" },
    ]);
  });

  test("prints nothing for what the server would refuse", async () => {
    const foreign = join(root, "fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl");
    for (const [session, why] of [
      ["", "SESSION is empty"],
      [root, "is a folder"],
      [foreign, "is a session of claude-code, which is read and never written"],
    ] as const) {
      const { code, stdout, stderr } = await cli(["setup", "cursor", session]);
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining(why) });
    }
  });

  test("prints nothing for a file that its server could not read", async () => {
    const refused = vi.spyOn(fs, "accessSync").mockImplementation(() => {
      throw Object.assign(new Error("EACCES"), { code: "EACCES" });
    });
    const { code, stdout, stderr } = await cli(["setup", "cursor", "s.jsonl"]);
    refused.mockRestore();
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: "", stderr: expect.stringContaining("permissions") });
  });

  test("names the nearest client that it knows", async () => {
    const { code, stderr } = await cli(["setup", "cursr", "s.jsonl"]);
    expect(code).toBe(2);
    expect(stderr).toContain('no snippet for "cursr": did you mean cursor?');
    expect((await cli(["setup", "cursor"])).code).toBe(2);
  });
});

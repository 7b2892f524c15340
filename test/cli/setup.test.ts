import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { cli, values } from "./cli.ts";

const session = resolve("my session.jsonl");
const args = ["-y", "-p", "session-journal", "-p", "@modelcontextprotocol/sdk", "session-journal", "mcp", session];

describe("setup", () => {
  it.each([
    ["claude-desktop", "mcpServers"],
    ["cursor", "mcpServers"],
    ["gemini-cli", "mcpServers"],
    ["vscode", "servers"],
  ])("gives %s its JSON, with the session's whole path", async (client, section) => {
    const { code, stdout } = await cli(["setup", client, "my session.jsonl"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ [section]: { "session-journal": { command: "npx", args } } });
  });

  it("gives claude-code a command with a quoted path", async () => {
    const { stdout } = await cli(["setup", "claude-code", "my session.jsonl"]);
    expect(stdout).toBe(`claude mcp add session-journal -- npx ${args.slice(0, -1).join(" ")} '${session}'\n`);
  });

  it("gives codex a table", async () => {
    const { stdout } = await cli(["setup", "codex", "s.jsonl"]);
    expect(stdout.split("\n")[0]).toBe("[mcp_servers.session-journal]");
    expect(stdout).toContain('command = "npx"\nargs = ["-y",');
  });

  it("says where it goes on a terminal and in JSON", async () => {
    const { stdout } = await cli(["setup", "cursor", "s.jsonl"], { columns: 80, env: { NO_COLOR: "1" } });
    expect(stdout).toMatch(/^# \.cursor\/mcp\.json\n\{/);
    expect(values((await cli(["setup", "cursor", "s.jsonl", "--json"])).stdout)).toMatchObject([
      { client: "cursor", place: ".cursor/mcp.json" },
    ]);
  });

  it("names the nearest client that it knows", async () => {
    const { code, stderr } = await cli(["setup", "cursr", "s.jsonl"]);
    expect(code).toBe(2);
    expect(stderr).toContain('no snippet for "cursr": did you mean cursor?');
    expect((await cli(["setup", "cursor"])).code).toBe(2);
  });
});

import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Options } from "@anthropic-ai/claude-agent-sdk";
import { expect, test } from "vitest";
import { claudeScratchpad } from "../../src/entry/claude-agent-sdk.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { newFolder } from "./driver.ts";
import { runExample } from "./example.ts";
import { serveAnthropic } from "./scripted-anthropic.ts";

const toolName = "mcp__scratchpad__session_scratchpad";
const plan = "1. Tag 2.14.1\n2. Tell support";
const block = `[Session Scratchpad]\nPlan:\n${plan}\n[End Scratchpad]`;

/** The client's own process, with a scripted model on the loopback interface. */
test("the real client shows an agent its scratchpad again after a compaction", async () => {
  const requests: string[] = [];
  const server = await serveAnthropic((body) => {
    const text = JSON.stringify(body);
    if (!body.tools?.some(({ name }) => name === toolName)) return [{ type: "text", text: "A title." }];
    requests.push(text);
    if (requests.length > 1) return [{ type: "text", text: `Answer ${requests.length}.` }];
    return [{ type: "tool_use", id: "toolu_01", name: toolName, input: { action: "set_plan", content: plan } }];
  });
  const { stdout, folder } = await runExample({
    name: "claude-agent-sdk",
    packages: ["@anthropic-ai/claude-agent-sdk"],
    env: {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: "none",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    },
  });
  await server.close();
  expect(stdout).toMatch(/^Answer 2\.\n\nAnswer \d\.\n$/);
  const [first = "", second = ""] = requests;
  expect(first).toContain("## Session Scratchpad");
  expect(first).toContain(`The tool \`${toolName}\``);
  expect(first).not.toContain("[End Scratchpad]");
  expect(second).toContain("plan set: 29/2000 chars used");
  // The compaction took the tool's answer away, and the block is there.
  const last = requests.at(-1) ?? "";
  expect(last).toContain("What is the next step?");
  expect(last).not.toContain("plan set:");
  expect(last).toContain(JSON.stringify(block).slice(1, -1));

  const [file = ""] = readdirSync(join(folder, ".scratchpads")).filter((name) => name.endsWith(".jsonl"));
  const journal = await openJournal(join(folder, ".scratchpads", file), { readonly: true });
  expect(journal.state.plan).toBe(plan);
  expect(journal.turn).toBeGreaterThan(1);
  const commands: (string | undefined)[] = [];
  for await (const { command } of journal.history()) commands.push(command);
  expect(commands).toContain("toolu_01");
  await journal.close();
}, 120_000);

test("its options are those of the client's types", async () => {
  const scratchpad = await claudeScratchpad({ folder: newFolder() });
  const options: Options = scratchpad.options;
  expect(options.allowedTools).toEqual([toolName]);
  await scratchpad.close();
});

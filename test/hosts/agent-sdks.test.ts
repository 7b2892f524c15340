import { join } from "node:path";
import { tool } from "@openai/agents";
import { generateText, isStepCount, jsonSchema, type ToolSet } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";
import { aiTools } from "../../src/entry/ai-sdk.ts";
import { agentTools } from "../../src/entry/openai-agents.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { type ExampleRun, runExample } from "./example.ts";
import { newerNode } from "./newer-node.ts";

const block = "[Session Scratchpad]\nPlan:\n1. Tag 2.14.1\n2. Tell support\n[End Scratchpad]";

const examples: readonly ExampleRun[] = [
  { name: "ai-sdk", packages: ["ai"], node: newerNode },
  { name: "openai-agents", packages: ["@openai/agents"] },
];

test.each(examples)(
  "the real $name calls the tool, and the next message shows what it wrote",
  async (example) => {
    const { stdout, folder } = await runExample(example);
    expect(stdout).toBe(`Plan the release.\n-> Planned.\n${block}\n\nWhat is the next step?\n-> Tag 2.14.1.\n`);
    const journal = await openJournal(join(folder, "session.jsonl"), { readonly: true });
    const told: unknown[] = [];
    for await (const { event, turn, command } of journal.history()) told.push([event.type, turn, command]);
    expect(told).toEqual([
      ["turn.began", 1, undefined],
      ["plan.set", 1, "call_1"],
      ["turn.began", 2, undefined],
    ]);
    await journal.close();
  },
  120_000,
);

test("a model that calls the tool by its dotted name is understood, and is offered the other one only", async () => {
  const journal = await openJournal(memoryStore());
  const input = JSON.stringify({ action: "refs.add", ref: "a" });
  const offered: unknown[] = [];
  const contents = [
    [{ type: "tool-call", toolCallId: "call_1", toolName: "session.scratchpad", input }],
    [{ type: "text", text: "Done." }],
  ] as const;
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const model = new MockLanguageModelV4({
    doGenerate: (async ({ tools = [] }: { tools?: { name: string }[] }) => {
      offered.push(tools.map(({ name }) => name));
      const content = contents[offered.length - 1] ?? contents[1];
      return {
        content,
        finishReason: { unified: content[0].type === "text" ? "stop" : "tool-calls" },
        usage,
        warnings: [],
      };
    }) as never,
  });
  const tools = aiTools(journal, { jsonSchema }) satisfies ToolSet;
  const { text } = await generateText({ model, prompt: "Keep a.", tools, stopWhen: isStepCount(3) });
  expect({ text, offered }).toEqual({ text: "Done.", offered: [["session_scratchpad"], ["session_scratchpad"]] });
  expect(journal.state.refs).toEqual(["a"]);
  await journal.close();
});

test("a refusal is told to the model, and a repeated call does nothing twice", async () => {
  const journal = await openJournal(memoryStore());
  const { session_scratchpad } = aiTools(journal, { jsonSchema }) satisfies ToolSet;
  const run = (input: object, toolCallId: string) => session_scratchpad?.execute(input, { toolCallId });
  expect(await run({ action: "refs.remove", ref: "absent" }, "1")).toContain("not found");
  await run({ action: "refs.add", ref: "a" }, "2");
  await run({ action: "refs.add", ref: "a" }, "2");
  expect(journal.state.refs).toEqual(["a"]);
  const [agentTool] = agentTools(journal, { tool });
  expect(agentTool).toMatchObject({ type: "function", name: "session_scratchpad", strict: false });
  expect(aiTools(journal, { jsonSchema, config: { enabled: false } })).toEqual({});
  await journal.close();
});

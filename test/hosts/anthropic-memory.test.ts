import { join } from "node:path";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { expect, test } from "vitest";
import { memoryHandlers } from "../../src/entry/anthropic-memory.ts";
import { openJournal } from "../../src/open.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { runExample } from "./example.ts";
import { type Block, serveAnthropic } from "./scripted-anthropic.ts";

const path = "/memories/plan";

test("the real client's tool runner keeps its memory in entries", async () => {
  const results: string[] = [];
  const inputs = [
    { command: "create", path, file_text: "1. Tag\n2. Tell support" },
    { command: "str_replace", path, old_str: "1. Tag", new_str: "1. Tag 2.14.1" },
    { command: "insert", path, insert_line: 1, insert_text: "1b. Sign\n" },
    { command: "rename", old_path: path, new_path: "/memories/release" },
    { command: "view", path },
    { command: "view", path: "/memories/release" },
    { command: "view", path: "/memories" },
  ];
  const server = await serveAnthropic(({ messages }): Block[] => {
    results.push(JSON.stringify(messages.at(-1)));
    const input = inputs[results.length - 1];
    if (input === undefined) return [{ type: "text", text: "Remembered." }];
    return [{ type: "tool_use", id: `toolu_${results.length}`, name: "memory", input }];
  });
  const { stdout, folder } = await runExample({
    name: "anthropic-memory",
    packages: ["@anthropic-ai/sdk"],
    env: { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: "none" },
  });
  await server.close();
  expect(stdout).toBe("Remembered.\n");
  expect(results.slice(1).map((result) => result.includes('"is_error":true'))).toEqual([
    ...[false, false, false, false, true, false, false],
  ]);
  expect(results[6]).toContain("1b. Sign\\n     3\\t2. Tell support");
  expect(results[7]).toContain("/memories/release");
  const journal = await openJournal(join(folder, "session.jsonl"), { readonly: true });
  expect({ ...journal.state.entries }).toEqual({ release: "1. Tag 2.14.1\n1b. Sign\n2. Tell support" });
  expect(journal.version).toBe(5);
  await journal.close();
}, 120_000);

test("what cannot be done is told, and changes nothing", async () => {
  const journal = await openJournal(memoryStore());
  const handlers = memoryHandlers(journal);
  expect(betaMemoryTool(handlers).name).toBe("memory");
  await handlers.create({ path, file_text: "a a" });
  await expect(handlers.view({ path: "/etc/passwd" })).rejects.toThrow("is not in /memories");
  await expect(handlers.create({ path: "/memories/../x", file_text: "" })).rejects.toThrow("invalid key");
  await expect(handlers.str_replace({ path, old_str: "a", new_str: "b" })).rejects.toThrow("Multiple occurrences");
  await expect(handlers.str_replace({ path, old_str: "", new_str: "b" })).rejects.toThrow("did not appear");
  await expect(handlers.insert({ path, insert_line: 2, insert_text: "b" })).rejects.toThrow("[0, 1]");
  await expect(handlers.rename({ old_path: path, new_path: path })).rejects.toThrow("already exists");
  await expect(handlers.delete({ path: "/memories" })).rejects.toThrow("cannot be deleted");
  await expect(handlers.delete({ path: "/memories/toString" })).rejects.toThrow("does not exist");
  expect({ ...journal.state.entries }).toEqual({ plan: "a a" });
  expect(await handlers.delete({ path })).toBe("Successfully deleted /memories/plan");
  expect({ ...journal.state.entries }).toEqual({});
  await journal.close();
});

import { describe, expect, test, vi } from "vitest";
import type { Journal } from "../../src/journal/public.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { type PadOptions, padTools } from "../../src/tool/pad.ts";
import { toolsFor } from "../../src/tool/tools.ts";
import { memoryJournal } from "./memory-journal.ts";

function pad(journal: Journal, options?: PadOptions) {
  const tools = new Map(padTools(journal, options).map((tool) => [tool.name, tool]));
  return async (name: string, input: unknown = {}) => {
    const tool = tools.get(`scratchpad_${name}`);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.text(await tool.run(input));
  };
}

describe("the pad of entries", () => {
  test("offers three tools, and two more for leases", async () => {
    const journal = await memoryJournal();
    expect(padTools(journal).map(({ name }) => name)).toEqual([
      "scratchpad_write",
      "scratchpad_read",
      "scratchpad_list",
    ]);
    expect(
      padTools(journal, { leases: true })
        .map(({ name }) => name)
        .slice(3),
    ).toEqual(["scratchpad_claim", "scratchpad_release"]);
    expect(padTools(journal).map(({ readsOnly }) => readsOnly)).toEqual([false, true, true]);
  });

  test("writes, reads and lists", async () => {
    const call = pad(await memoryJournal());
    expect(await call("list")).toBe("(empty)");
    expect(await call("write", { key: "plan", content: "1. look\n2. fix" })).toBe("wrote 14 chars to scratchpad[plan]");
    expect(await call("write", { key: "findings-os", content: "Linux 😀" })).toBe(
      "wrote 7 chars to scratchpad[findings-os]",
    );
    expect(await call("write", { key: "B", content: "" })).toBe("wrote 0 chars to scratchpad[B]");
    expect(await call("read", { key: "plan" })).toBe("1. look\n2. fix");
    expect(await call("list")).toBe("B\nfindings-os\nplan");
    expect(await call("write", { key: "plan", content: "new" })).toBe("wrote 3 chars to scratchpad[plan]");
    expect(await call("read", { key: "plan" })).toBe("new");
  });

  test("names near keys for one that is not there", async () => {
    const call = pad(await memoryJournal());
    expect(await call("read", { key: "plan" })).toBe("scratchpad[plan] not found; nothing is stored yet");
    for (const key of ["plan-writer", "plan-investigator", "constraints"]) await call("write", { key, content: "x" });
    expect(await call("read", { key: "plan" })).toBe(
      "scratchpad[plan] not found; near it: plan-writer, plan-investigator",
    );
    expect(await call("read", { key: "constrains" })).toBe("scratchpad[constrains] not found; near it: constraints");
    expect(await call("read", { key: "toString" })).toContain("scratchpad[toString] not found");
  });

  test.each([
    ["a/b", 'invalid key "a/b": use [A-Za-z0-9_-]+'],
    ["../../etc/evil", 'invalid key "../../etc/evil": use [A-Za-z0-9_-]+'],
    ["a.b", 'invalid key "a.b": use [A-Za-z0-9_-]+'],
    ["", "key cannot be empty"],
  ])("refuses the key %j for writing and for reading", async (key, message) => {
    const journal = await memoryJournal();
    const call = pad(journal);
    expect(await call("write", { key, content: "x" })).toBe(message);
    expect(await call("read", { key })).toBe(message);
    expect(journal.version).toBe(0);
  });

  test("refuses a text over budget under the name that the agent knows", async () => {
    const call = pad(await memoryJournal({ limits: { entry: 3 } }));
    expect(await call("write", { key: "k", content: "abcd" })).toMatch(/^scratchpad_write rejected: .*over its budget/);
  });

  test("lets one agent hold a key against the others", async () => {
    const store = memoryStore();
    const first = pad(await memoryJournal({ store, actor: "first" }), { leases: true });
    const second = pad(await memoryJournal({ store }), { leases: true, actor: "second" });
    expect(await first("claim", { key: "plan", ttlSeconds: 60 })).toContain("claimed");
    const refused = await second("write", { key: "plan", content: "x" });
    expect(refused).toContain('held by "first"');
    expect(refused).toMatch(/\d+ s/);
    expect(await second("claim", { key: "plan" })).toContain('held by "first"');
    expect(await first("write", { key: "plan", content: "mine" })).toBe("wrote 4 chars to scratchpad[plan]");
    await first("release", { key: "plan" });
    expect(await second("write", { key: "plan", content: "ours" })).toBe("wrote 4 chars to scratchpad[plan]");
  });

  test("frees a key whose lease ran out", async () => {
    const store = memoryStore();
    const first = pad(await memoryJournal({ store, actor: "first" }), { leases: true });
    const second = pad(await memoryJournal({ store, actor: "second" }));
    const start = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: start });
    try {
      await first("claim", { key: "plan", ttlSeconds: 60 });
      vi.setSystemTime(start + 59_999);
      expect(await second("write", { key: "plan", content: "x" })).toContain("1 s left");
      vi.setSystemTime(start + 60_000);
      expect(await second("write", { key: "plan", content: "x" })).toBe("wrote 1 chars to scratchpad[plan]");
    } finally {
      vi.useRealTimers();
    }
  });
});

test("a configuration chooses the tools, and none when it is switched off", async () => {
  const journal = await memoryJournal();
  const names = (face: "scratchpad" | "single-key" | "notepad" | "pad", enabled = true) =>
    toolsFor(journal, { enabled, face, maxTokens: 10 }).map(({ name }) => name);
  expect(names("scratchpad")).toEqual(["session_scratchpad"]);
  expect(names("single-key")).toEqual(["session_scratchpad"]);
  expect(names("notepad")).toEqual(["read_notepad", "write_notepad", "update_notepad"]);
  expect(names("pad")).toEqual(["scratchpad_write", "scratchpad_read", "scratchpad_list"]);
  expect(names("notepad", false)).toEqual([]);
});

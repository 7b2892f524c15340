import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import type { Journal } from "../../src/journal/public.ts";
import { allOf } from "../../src/journal/readings.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { pathOfKey } from "../../src/tool/memory-paths.ts";
import type { MemoryKind } from "../../src/workspace/import/kinds.ts";
import { readMemory } from "../../src/workspace/import/read-memory.ts";

let folder: string;
let journal: Journal;
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-import-"));
  journal = await openJournal(memoryStore());
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

function written(name: string, text: string | Uint8Array): string {
  const file = path.join(folder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, text);
  return file;
}
const imported = async (kind: MemoryKind, file: string) => journal.import(await readMemory(kind, file));
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

async function events(): Promise<RecordedEvent[]> {
  return allOf(journal.history());
}

const graph = [
  { type: "entity", name: "Ann Lee", entityType: "person", observations: ["likes tea", "in UTC+2"], since: 2024 },
  { type: "entity", name: "api", entityType: "service", observations: [] },
  { type: "relation", from: "Ann Lee", to: "api", relationType: "owns" },
].map((line) => JSON.stringify(line));

describe("each kind is taken whole", () => {
  test("memory-tool: each file is the entry that the memory tool finds again", async () => {
    written("memories/plan.md", "# Plan\n");
    written("memories/docs/api.md", "GET /\n");
    written("memories/.DS_Store", "x");
    expect((await imported("memory-tool", path.join(folder, "memories"))).ok).toBe(true);
    const files = Object.entries(journal.state.entries).map(([key, text]) => [pathOfKey(key), text]);
    expect(files.toSorted()).toEqual([
      ["docs/api.md", "GET /\n"],
      ["plan.md", "# Plan\n"],
    ]);
  });

  test("server-memory: each entity keeps its lines and those of its relations, byte for byte", async () => {
    await imported("server-memory", written("memory.jsonl", `${graph.join("\n")}\n\n`));
    const texts = Object.entries(journal.state.entries).map(([key, text]) => [pathOfKey(key), text]);
    expect(texts).toEqual([
      ["Ann Lee", `${graph[0]}\n${graph[2]}`],
      ["api", graph[1]],
    ]);
  });

  test("scratchpad: each heading of the working-memory file is a section, another page is one", async () => {
    const golden = path.join(import.meta.dirname, "SCRATCHPAD.golden.md");
    await imported("scratchpad", golden);
    const names = [...fs.readFileSync(golden, "utf8").matchAll(/^## (.*)$/gm)].map(([, name]) => name);
    expect(Object.keys(journal.state.sections)).toEqual(names);
    expect(journal.state.sections["Relevant Memories"]?.text).toContain("- Lab disk at ~87% (improved from 96%)");
    await imported("scratchpad", written("SCRATCHPAD.md", "# Mine\n\nfree text\n"));
    expect(journal.state.sections["SCRATCHPAD.md"]?.text).toBe("# Mine\n\nfree text");
  });

  test.each<[string, unknown]>([
    ["a list", [{ label: "human", value: "Ann", limit: 5000 }]],
    ["an agent", { memory: { blocks: [{ label: "human", value: "Ann" }] } }],
    ["an agent file", { agents: [], blocks: [{ id: "block-0", label: "human", value: "Ann" }] }],
    ["an older agent file", { core_memory: [{ label: "human", value: "Ann" }] }],
  ])("letta: the blocks of %s are entries", async (_, value) => {
    await imported("letta", written("agent.af", JSON.stringify(value)));
    expect({ ...journal.state.entries }).toEqual({ human: "Ann" });
  });

  test("todo.txt: tasks become steps, with all that they say", async () => {
    await imported(
      "todo.txt",
      written(
        "todo.txt",
        "(A) 2026-01-02 Call Ann +api @phone due:2026-02-01\r\nx 2026-01-03 2026-01-01 Fix it\n\nxylophone\n",
      ),
    );
    expect(journal.state.plan).toBe(
      "- [ ] (A) 2026-01-02 Call Ann +api @phone due:2026-02-01\n- [x] 2026-01-03 2026-01-01 Fix it\n- [ ] xylophone",
    );
  });

  test("tasks: a list in Markdown is the plan as it stands", async () => {
    await imported("tasks", written("TODO.md", "# Todo\n- [x] One\n- [ ] Two\n"));
    expect(journal.state.plan).toBe("# Todo\n- [x] One\n- [ ] Two");
  });
});

test("the history begins the import with what was read, and marks the texts as imported", async () => {
  const text = `${graph.join("\n")}\n`;
  await journal.notes.set("mine");
  await imported("server-memory", written("memory.jsonl", text));
  const [, first, ...rest] = await events();
  expect(first?.event).toEqual({
    type: "session.imported",
    from: { client: "server-memory", session: "memory.jsonl", bytes: text.length, sha256: sha256(text) },
  });
  expect(rest.map(({ actor, source, commit }) => [actor, source, commit])).toEqual(
    rest.map(() => ["server-memory", "imported", first?.commit]),
  );
  expect((await journal.verify()).ok).toBe(true);
});

test("of a folder, the SHA-256 is that of the list of its files", async () => {
  written("memories/b.md", "b");
  written("memories/a.md", "a");
  const { from } = await readMemory("memory-tool", path.join(folder, "memories"));
  expect(from).toMatchObject({ session: "memories", bytes: 2 });
  expect(from.sha256).toBe(sha256(`${sha256("a")}  a.md\n${sha256("b")}  b.md\n`));
});

test("the same bytes are taken once, until a restore takes them back", async () => {
  const file = written("todo.txt", "Call Ann\n");
  const { before } = await imported("todo.txt", file);
  const { version } = journal;
  expect(await imported("todo.txt", file)).toMatchObject({
    ok: true,
    actions: [],
    message: "imported before, at v1: nothing to do",
  });
  expect(journal.version).toBe(version);
  await journal.restore(before);
  expect(journal.state.plan).toBe("");
  expect((await imported("todo.txt", file)).answers).toHaveLength(1);
  expect(journal.state.plan).toBe("- [ ] Call Ann");
});

test("another text is replaced only on request, and a text that stands there is not written again", async () => {
  await journal.plan.set("1. Mine");
  const memory = await readMemory("todo.txt", written("todo.txt", "Call Ann"));
  const refused = await journal.import(memory);
  expect(refused).toMatchObject({ ok: false, answers: [] });
  expect(refused.message).toBe("not imported: the plan holds another text: replace it, or import into another session");
  expect(journal.version).toBe(1);
  expect((await journal.import(memory, { replace: true })).ok).toBe(true);
  expect(journal.state.plan).toBe("- [ ] Call Ann");
  const same = await readMemory("tasks", written("todo.md", "- [ ] Call Ann"));
  expect(await journal.import(same)).toMatchObject({ ok: true, actions: [] });
});

test("what a budget has no room for is refused, not cut", async () => {
  const long = await imported("todo.txt", written("todo.txt", "t".repeat(3000)));
  expect(long.message).toBe(
    "not imported: the plan has room for 2000 characters, and it has 3006: shorten it, or raise the limit",
  );
  const pages = Array.from({ length: 21 }, (_, index) => `## Section ${index}\ntext\n`).join("\n");
  const many = await imported(
    "scratchpad",
    written("SCRATCHPAD.md", `# SCRATCHPAD.md — Working Memory (auto-generated)\n\n${pages}`),
  );
  expect([many.ok, many.message]).toEqual([false, expect.stringContaining("too many sections")]);
  expect(journal.version).toBe(0);
});

test("a dry run says what would be taken, and appends nothing", async () => {
  const memory = await readMemory("tasks", written("TODO.md", "- [ ] One"));
  expect(await journal.import(memory, { dryRun: true })).toMatchObject({
    ok: true,
    actions: [{ action: "set_plan" }],
    answers: [],
  });
  expect(journal.version).toBe(0);
});

test.each<[MemoryKind, string, string | Uint8Array, RegExp]>([
  ["server-memory", "no JSON", `${graph[0]}\noops\n`, /line 2 is neither an entity nor a relation of server-memory/],
  ["server-memory", "an empty file", "", /there is no entity in it/],
  [
    "server-memory",
    "a name that is too long",
    JSON.stringify({ type: "entity", name: "n".repeat(200), entityType: "t", observations: [] }),
    /is too long for the key of an entry/,
  ],
  ["letta", "an empty name", JSON.stringify([{ label: "", value: "1" }]), /an empty name, which cannot be the key/],
  [
    "letta",
    "two agents",
    JSON.stringify([
      { label: "a", value: "1" },
      { label: "a", value: "2" },
    ]),
    /there are two blocks "a"/,
  ],
  ["letta", "no blocks", "{}", /there are no blocks in it/],
  ["letta", "no JSON", "{", /it is not JSON/],
  ["tasks", "prose", "Nothing to do", /there is no task in it/],
  ["todo.txt", "nothing", "\n", /there is no task in it/],
  ["scratchpad", "nothing", "\n \n", /it is empty/],
  [
    "scratchpad",
    "a head alone",
    "# SCRATCHPAD.md — Working Memory (auto-generated)\n",
    /there is no section in it: none of its lines begins with ##/,
  ],
  [
    "scratchpad",
    "two equal headings",
    "# SCRATCHPAD.md — Working Memory (auto-generated)\n\n## A\n1\n## A\n2\n",
    /two headings "A"/,
  ],
  ["tasks", "no UTF-8", new Uint8Array([0x2d, 0xff]), /is not text in UTF-8/],
])("%s: %s is refused by name, and nothing is imported", async (kind, _, text, why) => {
  const file = written("file", text);
  await expect(readMemory(kind, file)).rejects.toThrow(why);
  await expect(readMemory(kind, file)).rejects.toMatchObject({ code: "storage", fate: "not-written" });
});

test("a folder where a file is meant, a file where a folder is, a link and what is not there are refused", async () => {
  const refused = { code: "storage", fate: "not-written" };
  await expect(readMemory("tasks", folder)).rejects.toMatchObject(refused);
  await expect(readMemory("memory-tool", written("file", "x"))).rejects.toMatchObject(refused);
  await expect(readMemory("tasks", path.join(folder, "absent"))).rejects.toMatchObject(refused);
  expect(await readMemory("memory-tool", folder)).toBeDefined();
  fs.symlinkSync("/etc/hostname", path.join(folder, "link"));
  await expect(readMemory("memory-tool", folder)).rejects.toMatchObject(refused);
  await expect(readMemory("trello" as never, folder)).rejects.toThrow(TypeError);
});

test.each([[undefined], [{}], [{ from: { client: "x" }, actions: [] }], [{ actions: [null] }]])(
  "%j is no memory, and its caller is told what one is",
  async (wrong) => {
    const asked = Reflect.apply(journal.import, journal, [wrong]) as Promise<unknown>;
    await expect(asked).rejects.toThrow("import takes a memory, { from, actions }: await readMemory(kind, place)");
    await expect(asked).rejects.toBeInstanceOf(TypeError);
    expect(journal.version).toBe(0);
  },
);

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openPad } from "../../src/entry/workspace.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import type { Pad } from "../../src/workspace/pad.ts";

let folder = "";
let pads: Pad[] = [];

beforeEach(() => {
  folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-pad-")), "pad");
});
afterEach(async () => {
  for (const pad of pads) await pad.close();
  pads = [];
  fs.rmSync(path.dirname(folder), { recursive: true, force: true });
});

async function open(options: OpenOptions = {}): Promise<Pad> {
  const pad = await openPad(folder, { durability: "os", ...options });
  pads.push(pad);
  return pad;
}

const at = (name: string) => path.join(folder, name);
const put = (name: string, text: string | Uint8Array) => {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(at(name), text);
};
const cat = (name: string) => fs.readFileSync(at(name), "utf8");
const files = () => fs.readdirSync(folder).filter((name) => name.endsWith(".txt"));
const codes = (pad: Pad) => pad.findings.map(({ file, code }) => [path.basename(file), code]);

async function events(pad: Pad): Promise<unknown[]> {
  const told: unknown[] = [];
  for await (const { event, actor } of pad.history()) {
    const { type } = event;
    told.push([actor, type, ...("key" in event ? [event.key] : []), ...("text" in event ? [event.text] : [])]);
  }
  return told;
}

describe("what an agent writes", () => {
  test("lies in a file to look at, and is there for the next session", async () => {
    const first = await open({ actor: "monday" });
    await first.entries.write("plan", "1. look\n2. fix");
    await first.entries.write("findings-os", "Linux 😀");
    expect(files()).toEqual(["findings-os.txt", "plan.txt"]);
    expect(cat("plan.txt")).toBe("1. look\n2. fix");
    expect(cat("findings-os.txt")).toBe("Linux 😀");
    await first.close();
    const second = await open({ actor: "tuesday" });
    expect(second.entries.list()).toEqual(["findings-os", "plan"]);
    expect(second.entries.read("plan")).toBe("1. look\n2. fix");
    await second.entries.delete("findings-os");
    expect(files()).toEqual(["plan.txt"]);
    expect(second.findings).toEqual([]);
  });

  test("goes through the tools of a pad as well", async () => {
    const pad = await open();
    const [write, read, list] = pad.tools();
    const told = await write?.run({ key: "plan", content: "x" });
    expect(told).toEqual({ ok: true, message: "wrote 1 chars to scratchpad[plan]" });
    put("rules.txt", "Read me first.");
    expect(await list?.run({})).toEqual({ ok: true, message: "plan\nrules" });
    expect(await read?.run({ key: "rules" })).toEqual({ ok: true, message: "Read me first." });
  });

  test("comes to the files also when another process or the journal itself wrote it", async () => {
    const pad = await open();
    await pad.entries.write("a", "1");
    const other = await openJournal(at("journal.jsonl"));
    await other.entries.write("a", "2");
    await other.entries.write("b", "1");
    await other.close();
    expect(cat("a.txt")).toBe("1");
    await pad.refresh();
    expect([cat("a.txt"), cat("b.txt")]).toEqual(["2", "1"]);
    await pad.journal.restore(1);
    await pad.refresh();
    expect([files(), cat("a.txt")]).toEqual([["a.txt"], "1"]);
    expect(await events(pad)).toHaveLength(4);
  });
});

describe("what a person does in the folder", () => {
  test("is taken in at the opening: files that were there before any session", async () => {
    put("persistent-rules.txt", "Never push on Fridays.\r\n");
    put("notes.md", "not a text of the pad");
    const pad = await open();
    expect(await events(pad)).toEqual([["human", "entry.written", "persistent-rules", "Never push on Fridays.\r\n"]]);
    expect(pad.findings).toEqual([]);
  });

  test("is taken in at a refresh: a change, a new file, a removed one, and only once", async () => {
    const pad = await open();
    await pad.entries.write("a", "1");
    await pad.entries.write("b", "1");
    put("a.txt", "by hand");
    put("c.txt", "");
    fs.rmSync(at("b.txt"));
    await pad.refresh();
    await pad.refresh();
    expect((await events(pad)).slice(2)).toEqual([
      ["human", "entry.written", "a", "by hand"],
      ["human", "entry.deleted", "b"],
      ["human", "entry.written", "c", ""],
    ]);
    expect(files()).toEqual(["a.txt", "c.txt"]);
  });

  test("counts also when it brings an old text back", async () => {
    const pad = await open();
    await pad.entries.write("a", "old");
    await pad.entries.write("a", "new");
    put("a.txt", "old");
    await pad.refresh();
    expect((await events(pad)).at(-1)).toEqual(["human", "entry.written", "a", "old"]);
  });

  test("wins over what an agent wrote meanwhile, whose text stays in the history", async () => {
    const pad = await open();
    await pad.entries.write("a", "base");
    put("a.txt", "person");
    await pad.journal.entries.write("a", "agent");
    await pad.refresh();
    expect([pad.entries.read("a"), cat("a.txt")]).toEqual(["person", "person"]);
    expect(await events(pad)).toContainEqual(["agent", "entry.written", "a", "agent"]);
  });

  test("is seen by an agent's write, which comes after it", async () => {
    const pad = await open();
    await pad.entries.write("a", "base");
    put("a.txt", "person");
    await pad.entries.write("a", "agent");
    expect(cat("a.txt")).toBe("agent");
    expect((await events(pad)).slice(1)).toEqual([
      ["human", "entry.written", "a", "person"],
      ["agent", "entry.written", "a", "agent"],
    ]);
  });

  test("does not remove what an agent changed meanwhile", async () => {
    const pad = await open();
    await pad.entries.write("a", "base");
    fs.rmSync(at("a.txt"));
    await pad.journal.entries.write("a", "agent");
    await pad.refresh();
    expect(cat("a.txt")).toBe("agent");
  });

  test("survives that the journal or the memory of the mirror is gone", async () => {
    const pad = await open();
    await pad.entries.write("a", "1");
    await pad.entries.write("a", "2");
    await pad.close();
    fs.rmSync(at(".session-journal/pad.json"));
    put("a.txt", "1");
    const again = await open();
    expect([again.entries.read("a"), cat("a.txt")]).toEqual(["2", "2"]);
    await again.close();
    fs.rmSync(at("journal.jsonl"));
    const anew = await open();
    expect(await events(anew)).toEqual([["human", "entry.written", "a", "2"]]);
  });

  test("survives that the memory of the mirror was damaged", async () => {
    const pad = await open();
    await pad.entries.write("a", "1");
    await pad.close();
    put(".session-journal/pad.json", JSON.stringify({ ...JSON.parse(cat(".session-journal/pad.json")), version: -1 }));
    const again = await open();
    expect([again.entries.read("a"), cat("a.txt"), again.findings]).toEqual(["1", "1", []]);
  });

  test("is not taken for what a crash left between the journal and the files", async () => {
    const pad = await open();
    await pad.entries.write("a", "1");
    const base = cat(".session-journal/pad.json");
    await pad.entries.write("a", "2");
    await pad.entries.write("a", "3");
    await pad.close();
    put(".session-journal/pad.json", base);
    put("a.txt", "2");
    const again = await open();
    expect([again.entries.read("a"), cat("a.txt"), again.version]).toEqual(["3", "3", 3]);
  });

  test("is left alone and reported where it is over budget, and nothing of it is recorded", async () => {
    put("a.txt", "12345");
    put("b.txt", "x".repeat(300_001));
    const pad = await open({ limits: { entry: 4 } });
    expect(codes(pad)).toEqual([
      ["b.txt", "too_large"],
      ["a.txt", "over_budget"],
    ]);
    await pad.refresh();
    expect([cat("a.txt"), pad.version, pad.findings.length]).toEqual(["12345", 0, 2]);
    put("a.txt", "1234");
    await pad.refresh();
    expect(pad.entries.read("a")).toBe("1234");
  });

  test.each([
    ["fits in the unit of the journal", (text: string) => text.length / 4, 300, undefined],
    ["is over budget in the unit of the journal", (text: string) => text.length * 10, 50, "over_budget"],
  ])("is taken in as the journal counts: what %s", async (_, measure, length, code) => {
    put("a.txt", "x".repeat(length));
    const pad = await open({ measure, limits: { entry: 100 } });
    expect(codes(pad)).toEqual(code === undefined ? [] : [["a.txt", code]]);
    expect(pad.entries.read("a")?.length).toBe(code === undefined ? length : undefined);
    expect(await pad.entries.write("b", "1")).toMatchObject({ ok: true });
  });

  test("waits for the end of another's lease", async () => {
    const pad = await open({ actor: "holder" });
    await pad.entries.write("a", "1");
    await pad.entries.claim("a", { ttlSeconds: 600 });
    put("a.txt", "person");
    await pad.refresh();
    expect(codes(pad)).toEqual([["a.txt", "held"]]);
    expect([pad.entries.read("a"), cat("a.txt")]).toEqual(["1", "person"]);
    await pad.entries.release("a");
    expect([pad.entries.read("a"), pad.findings]).toEqual(["person", []]);
  });
});

describe("what cannot be a file", () => {
  test.each(["CON", "nul", "Com1", "LPT9", "aux", "PRN"])("the key %s is kept without a file", async (key) => {
    const pad = await open();
    const answer = await pad.entries.write(key, "x");
    expect(answer.ok).toBe(true);
    expect(answer.warnings.join()).toContain(`${key} is a device on some systems: use another key`);
    expect([files(), pad.entries.read(key), codes(pad)]).toEqual([[], "x", [[`${key}.txt`, "reserved_name"]]]);
  });

  test("the agent that writes such a key is told that there is no file", async () => {
    const pad = await open();
    const [write] = pad.tools();
    const answer = await write?.run({ key: "CON", content: "x" });
    expect(answer).toMatchObject({ ok: true, message: "wrote 1 chars to scratchpad[CON]" });
    expect(answer && write?.text(answer)).toMatch(/^wrote 1 chars to scratchpad\[CON\]\nwarning: .*CON is a device/);
    expect(await write?.run({ key: "plan", content: "x" })).toEqual({
      ok: true,
      message: "wrote 1 chars to scratchpad[plan]",
    });
  });

  test("of keys that differ in case only, one has the file", async () => {
    const pad = await open();
    await pad.entries.write("plan", "small");
    const answer = await pad.entries.write("PLAN", "large");
    expect(answer.warnings.join()).toContain("the same file as plan.txt");
    expect([files(), pad.entries.list()]).toEqual([["plan.txt"], ["PLAN", "plan"]]);
    await pad.entries.delete("plan");
    await pad.refresh();
    expect([files(), cat("PLAN.txt"), pad.findings]).toEqual([["PLAN.txt"], "large", []]);
  });

  test("a link is neither followed nor replaced", async () => {
    put("../secret", "secret");
    put("keep.txt", "x");
    fs.symlinkSync("../secret", at("link.txt"));
    const pad = await open();
    expect(codes(pad)).toEqual([["link.txt", "symbolic_link"]]);
    const answer = await pad.entries.write("link", "text");
    expect(answer.warnings).toHaveLength(1);
    expect([fs.readlinkSync(at("link.txt")), cat("../secret"), pad.entries.read("link")]).toEqual([
      "../secret",
      "secret",
      "text",
    ]);
  });

  test("folders, other bytes and names that are no keys are reported and left alone", async () => {
    put("latin.txt", Uint8Array.of(0xe9));
    put("a b.txt", "x");
    put("__proto__.txt", "x");
    put(".swap.txt", "x");
    fs.mkdirSync(at("folder.txt"));
    const pad = await open();
    expect(codes(pad).sort()).toEqual([
      ["__proto__.txt", "invalid_key"],
      ["a b.txt", "invalid_key"],
      ["folder.txt", "not_a_file"],
      ["latin.txt", "not_text"],
    ]);
    expect(pad.version).toBe(0);
    expect(fs.statSync(at("folder.txt")).isDirectory()).toBe(true);
  });

  test("a place where nothing can be written costs only the file", async () => {
    const pad = await open();
    fs.mkdirSync(at("a.txt"));
    fs.writeFileSync(at("a.txt/x"), "");
    expect((await pad.entries.write("a", "x")).ok).toBe(true);
    expect(codes(pad)).toEqual([["a.txt", "not_a_file"]]);
  });
});

test("two pads on one folder agree", async () => {
  const [one, other] = [await open({ actor: "one" }), await open({ actor: "other" })];
  await Promise.all(
    Array.from({ length: 12 }, (_, index) =>
      (index % 2 ? one : other).entries.write(`key-${index % 3}`, `text ${index}`),
    ),
  );
  put("by-hand.txt", "once");
  await Promise.all([one.refresh(), other.refresh()]);
  await Promise.all([one.refresh(), other.refresh()]);
  expect(one.state).toEqual(other.state);
  for (const key of one.entries.list()) expect(cat(`${key}.txt`)).toBe(one.entries.read(key));
  const told = await events(one);
  expect(told).toHaveLength(13);
  expect(told.filter((event) => (event as string[])[0] === "human")).toHaveLength(1);
});

test("says that its folder is gone", async () => {
  const pad = await open();
  fs.rmSync(folder, { recursive: true });
  await expect(pad.refresh()).rejects.toMatchObject({
    code: "storage",
    message: expect.stringContaining("the folder"),
  });
});

test("a pad that is only read changes nothing, and one that is not there is not made", async () => {
  await expect(openPad(folder, { create: false })).rejects.toMatchObject({ code: "not_a_session" });
  expect(fs.existsSync(folder)).toBe(false);
  const pad = await open();
  await pad.entries.write("a", "1");
  put("a.txt", "person");
  const reader = await open({ readonly: true });
  expect([reader.entries.read("a"), cat("a.txt")]).toEqual(["1", "person"]);
  await expect(reader.entries.write("a", "2")).rejects.toMatchObject({ code: "readonly" });
});

test("stays where it is when the program goes to another folder", async () => {
  const before = process.cwd();
  fs.mkdirSync(folder, { recursive: true });
  process.chdir(path.dirname(folder));
  try {
    const pad = await openPad(path.basename(folder), { durability: "os" });
    pads.push(pad);
    process.chdir(before);
    await pad.entries.write("a", "1");
  } finally {
    process.chdir(before);
  }
  expect(cat("a.txt")).toBe("1");
});

test("refuses what is no folder, and options that do not exist", async () => {
  await expect(openPad("")).rejects.toThrow(TypeError);
  await expect(openPad(folder, { actors: "x" } as object)).rejects.toThrow('unknown option "actors"');
  put("file", "");
  await expect(openPad(at("file"))).rejects.toMatchObject({ code: "storage", fate: "not-written" });
});

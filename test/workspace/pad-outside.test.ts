/** A journal from elsewhere may hold anything: nothing of it leads out of the pad's folder. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openPad } from "../../src/entry/workspace.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { StoreReader } from "../../src/testing/store-reader.ts";
import type { Pad } from "../../src/workspace/pad.ts";

let top = "";
let pad: Pad | undefined;

beforeEach(() => {
  top = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-outside-"));
  fs.mkdirSync(directory(), { recursive: true });
});
afterEach(async () => {
  await pad?.close();
  pad = undefined;
  fs.rmSync(top, { recursive: true, force: true });
});

/** Deep enough for `../../pwned` to stay in what the test removes. */
const directory = () => path.join(top, "a", "b", "pad");

async function open(): Promise<Pad> {
  pad = await openPad(directory(), { durability: "os" });
  return pad;
}

/** As somebody does who may write the file and asks nobody. */
async function forge(...keys: readonly string[]): Promise<void> {
  const store = sessionFileStore(path.join(directory(), "journal.jsonl"), { durability: "os" });
  const reader = new StoreReader(store);
  for (const key of keys) await reader.append({ event: { type: "entry.written", key, text: "pwned" }, actor: "agent" });
  await store.close();
}

function everything(): string[] {
  return (fs.readdirSync(top, { recursive: true }) as string[]).filter((name) => !name.includes(".session-journal"));
}

const places = ["a", "a/b", "a/b/pad", "a/b/pad/journal.jsonl"];

const outside = [
  "../../pwned",
  "..",
  ".",
  "",
  "/tmp/session-journal-pwned",
  "sub/pwned",
  "sub\\pwned",
  "..\\pwned",
  "C:\\pwned",
  "nul\u0000byte",
  "line\nfeed",
  ".session-journal/pad",
  "__proto__",
  "con.aux",
  "x".repeat(129),
  "ключ",
];

test.each(outside)(
  "the key %j of a journal from elsewhere becomes no path, is named, and the pad works on",
  async (key) => {
    await forge(key, "good");
    const opened = await open();
    expect(opened.findings).toEqual([
      { file: directory(), key, code: "invalid_key", message: expect.stringContaining(JSON.stringify(key)) },
    ]);
    expect(everything().sort()).toEqual([...places, "a/b/pad/good.txt"].sort());
    expect(fs.existsSync("/tmp/session-journal-pwned.txt")).toBe(false);
    expect((await opened.entries.write("more", "text")).warnings).toEqual([]);
    expect(fs.readFileSync(path.join(directory(), "more.txt"), "utf8")).toBe("text");
    expect(opened.state.entries[key]).toBe("pwned");
  },
);

test("a restored and a forked state with such keys are no way out either", async () => {
  await forge("good");
  const journal = await openJournal(path.join(directory(), "journal.jsonl"), { durability: "os" });
  await journal.restore(1);
  await journal.close();
  const store = sessionFileStore(path.join(directory(), "journal.jsonl"), { durability: "os" });
  const state = { ...journal.state, entries: { "../../pwned": "pwned", kept: "1" } };
  await new StoreReader(store).append({ event: { type: "state.restored", to: 1, state }, actor: "agent" });
  await store.close();
  const opened = await open();
  expect(opened.findings.map(({ key }) => key)).toEqual(["../../pwned"]);
  expect(everything().sort()).toEqual([...places, "a/b/pad/kept.txt"].sort());
});

test("what a pad remembers of its files cannot make it remove one elsewhere", async () => {
  const victim = path.join(top, "a", "victim.txt");
  fs.writeFileSync(victim, "precious");
  await forge("../../victim");
  await (await open()).entries.write("good", "1");
  await pad?.close();
  const base = path.join(directory(), ".session-journal", "pad.json");
  const remembered = JSON.parse(fs.readFileSync(base, "utf8")) as { files: Record<string, string> };
  remembered.files["../../victim"] = "0".repeat(64);
  fs.writeFileSync(base, JSON.stringify(remembered));
  await (await open()).refresh();
  expect(fs.readFileSync(victim, "utf8")).toBe("precious");
});

test("a folder that is a link is refused with its name, and nothing is put behind it", async () => {
  const real = path.join(top, "elsewhere");
  fs.mkdirSync(real);
  fs.rmdirSync(directory());
  fs.symlinkSync(real, directory());
  await expect(openPad(directory())).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  expect(fs.readdirSync(real)).toEqual([]);
});

test("behind a link in the place of the side folder nothing is made, and the pad says so and works on", async () => {
  const real = path.join(top, "elsewhere");
  fs.mkdirSync(real);
  fs.symlinkSync(real, path.join(directory(), ".session-journal"));
  const opened = await open();
  expect((await opened.entries.write("good", "1")).ok).toBe(true);
  fs.writeFileSync(path.join(directory(), "good.txt"), "by hand");
  await opened.refresh();
  expect(opened.entries.read("good")).toBe("by hand");
  expect(opened.findings.map(({ file, code }) => [path.basename(file), code])).toEqual([
    [".session-journal", "unwritable"],
  ]);
  expect(fs.readdirSync(real)).toEqual([]);
});

test("a link in the place of a file is neither followed nor replaced, also when the entry comes later", async () => {
  const opened = await open();
  const target = path.join(top, "target");
  fs.writeFileSync(target, "secret");
  fs.symlinkSync(target, path.join(directory(), "late.txt"));
  expect((await opened.entries.write("late", "text")).warnings).toHaveLength(1);
  expect(fs.readFileSync(target, "utf8")).toBe("secret");
  expect(opened.entries.read("late")).toBe("text");
});

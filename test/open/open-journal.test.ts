import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { memoryStore } from "../../src/store/memory.ts";

let folder: string;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true }));

test("a path, its file: URL and its URL object are one journal", async () => {
  const file = path.join(folder, "a b#c.jsonl");
  const url = pathToFileURL(file);
  for (const [index, where] of [file, url.href, url].entries()) {
    const journal = await openJournal(where);
    await journal.refs.add(String(index));
    await journal.close();
  }
  const journal = await openJournal(file, { readonly: true });
  expect(journal.state.refs).toEqual(["0", "1", "2"]);
  await journal.close();
});

test("a place that cannot be opened is a TypeError that says what can", async () => {
  const places = ["https://example.org/x", "nats:host", "", undefined, 7, {}];
  for (const where of places) {
    const opening = openJournal(where as string);
    await expect(opening).rejects.toBeInstanceOf(TypeError);
    await expect(opening).rejects.toThrow(/path.*file:.*store/);
  }
  expect(fs.readdirSync(folder).filter((name) => name.includes("sqlite"))).toEqual([]);
});

test.each([
  ["follow up", { "follow up": true }],
  ["lock.wait", { lock: { wait: 5 } }],
  ["lock", { lock: true }],
  ["lock.mode", { lock: { mode: "sometimes" } }],
  ["lock.waitMs", { lock: { waitMs: -1 } }],
  ["actor", { actor: "" }],
  ["measure", { measure: "tokens" }],
  ["readonly", { readonly: "yes" }],
  ["create", { create: 1 }],
  ["strict", { strict: null }],
  ["namespace", { namespace: 7 }],
  ["fold", { fold: "tree" }],
  ["mirror", { mirror: "single" }],
  ["durability", { durability: "none" }],
  ["seal", { seal: "" }],
  ["limits", { limits: [] }],
  ["limits.note", { limits: { note: 1 } }],
  ["limits.notes", { limits: { notes: -1 } }],
  ["options", "readonly"],
])("a wrong option is a TypeError that names it: %s", async (name, options) => {
  const opening = openJournal(memoryStore(), options as OpenOptions);
  await expect(opening).rejects.toBeInstanceOf(TypeError);
  await expect(opening).rejects.toThrow(name);
});

test("an option that is undefined counts as absent", async () => {
  const lock = { waitMs: undefined };
  const options = { actor: undefined, limits: undefined, readonly: undefined, lock } as unknown as OpenOptions;
  const journal = await openJournal(memoryStore(), options);
  await journal.notes.set("x");
  for await (const { actor } of journal.history()) expect(actor).toBe("agent");
});

test("a store that was opened for a path is closed when opening fails", async () => {
  const descriptors = () => fs.readdirSync("/proc/self/fd").length;
  const before = fs.existsSync("/proc/self/fd") ? descriptors() : 0;
  for (let attempt = 0; attempt < 5; attempt++) {
    await expect(openJournal(folder)).rejects.toMatchObject({ code: "not_a_session", place: { file: folder } });
  }
  expect(fs.existsSync("/proc/self/fd") ? descriptors() : 0).toBe(before);
});

test("damage that strict reading meets is told with its line, behind lines of the host and blank ones", async () => {
  const file = path.join(folder, "damaged.jsonl");
  const journal = await openJournal(file, { mirror: false });
  await journal.plan.set("one");
  await journal.close();
  const [header = "", commit = ""] = fs.readFileSync(file, "utf8").split("\n");
  const before = `${header}\n\n{"type":"message","message":{"role":"user","content":"é\\n"}}\n`;
  fs.writeFileSync(file, `${before}${commit.replace("one", "two")}\n`);
  const byte = Buffer.byteLength(before);
  const error: unknown = await openJournal(file, { strict: true }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "corrupt_entry", place: { file, line: 4, byte } });
  expect(error).toHaveProperty("message", expect.stringContaining(`${file}, line 4, byte ${byte}: its hash does not`));
});

test.each([
  ["refresh", true, "always"],
  ["apply", false, "always"],
  ["apply", false, "off"],
] as const)("damage that %s meets later is told with its line, too", async (member, readonly, mode) => {
  const file = path.join(folder, `damaged-before-${member}-${mode}.jsonl`);
  const writer = await openJournal(file, { mirror: false });
  await writer.plan.set("one");
  await using journal = await openJournal(file, { strict: true, readonly, lock: { mode } });
  await journal.refresh();
  const before = fs.readFileSync(file, "utf8");
  await writer.plan.set("two");
  await writer.close();
  const later = fs.readFileSync(file, "utf8").slice(before.length).replace("two", "odd");
  const message = '{"type":"message","message":{"role":"user","content":"é\\n"}}';
  fs.writeFileSync(file, `${before}\n${message}\n${later}`);
  const error: unknown = await (member === "refresh" ? journal.refresh() : journal.plan.set("three")).catch(
    (thrown: unknown) => thrown,
  );
  const byte = Buffer.byteLength(`${before}\n${message}\n`);
  expect(error).toMatchObject({ code: "corrupt_entry", place: { file, line: 5, byte } });
  expect(error).toHaveProperty("message", expect.stringContaining(`${file}, line 5, byte ${byte}: its hash does not`));
});

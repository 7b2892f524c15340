import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AcceptedRecord, StreamRecord } from "../../../src/line/record.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { sessionFileStore } from "../../../src/store/session-file/session-file-store.ts";

let folder: string;
let file: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-key-"));
  file = path.join(folder, "session.jsonl");
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test.each([
  ["another key", { seal: "right" }],
  ["no key", {}],
])("with a seal, nothing is written that those who wrote with %s could not read", async (_, own) => {
  const first = await openJournal(file, own);
  await first.notes.set("mine");
  await first.close();
  const bytes = fs.readFileSync(file);
  const stranger = await openJournal(file, { seal: "wrong" });
  await expect(stranger.notes.set("lost")).rejects.toMatchObject({ code: "readonly" });
  await stranger.close();
  expect(fs.readFileSync(file).equals(bytes)).toBe(true);
  const again = await openJournal(file, own);
  expect((await again.notes.append("more")).version).toBe(2);
  await again.close();
});

test.each([
  ["is sealed with a key that it lacks", { seal: "right" }, {}, "readonly"],
  ["is folded by another policy", { fold: "branch" }, { fold: "file" }, "fold_policy"],
] as const)("a handle whose journal %s writes no values for a repeated command either", async (_, own, other, code) => {
  const first = await openJournal(file, { ...own, mirror: false });
  await first.apply({ action: "set_notes", content: "mine" }, { command: "c" });
  await first.close();
  const bytes = fs.readFileSync(file);
  const stranger = await openJournal(file, other);
  const repeated = stranger.apply({ action: "set_notes", content: "mine" }, { command: "c" });
  await expect(repeated).rejects.toMatchObject({ code });
  await stranger.close();
  expect(fs.readFileSync(file).equals(bytes)).toBe(true);
});

test("a key that does not fit leaves no snapshot that would let the next handle write", async () => {
  const first = await openJournal(file, {});
  await first.notes.set("mine");
  await first.close();
  const line = `${JSON.stringify({ type: "label", id: "0000beef", parentId: null, label: "x".repeat(900) })}\n`;
  fs.appendFileSync(file, line.repeat(400));
  for (const _ of [1, 2]) {
    const stranger = await openJournal(file, { seal: "wrong" });
    await expect(stranger.notes.set("lost")).rejects.toMatchObject({ code: "readonly" });
    await stranger.close();
  }
});

test("records that were sealed with another key are refused when they are read back", async () => {
  const source = path.join(folder, "source.jsonl");
  const first = await openJournal(source, { seal: "right" });
  await first.entries.write("key", "mine");
  await first.close();
  const from = sessionFileStore(source, { seal: "right" });
  const to = sessionFileStore(file, { seal: "wrong", sessionId: await from.sessionId() });
  const records = (from.records as () => AsyncIterable<AcceptedRecord>)();
  const imported = to.importRecords?.(0, plainly(records));
  await expect(imported).rejects.toMatchObject({ code: "corrupt_entry" });
  await Promise.all([from.close(), to.close()]);
});

async function* plainly(records: AsyncIterable<AcceptedRecord>): AsyncGenerator<StreamRecord> {
  for await (const { record } of records) yield record;
}

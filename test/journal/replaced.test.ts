/** A host puts another history in the place of a session, after what is shown was read, and before its events are. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-replaced-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** A session of three notes, which becomes one of these at its next reading for events. */
async function replacedBy(...notes: readonly string[]) {
  const [file, other] = ["session.jsonl", "other.jsonl"].map((name) => path.join(folder, name)) as [string, string];
  await write(file, ["first", "second", "third"]);
  fs.writeFileSync(other, `${fs.readFileSync(file, "utf8").split("\n")[0]}\n`);
  await write(other, notes);
  const store = sessionFileStore(file, { readonly: true });
  const journal = await openJournal(store, { readonly: true });
  const { read } = store;
  store.read = (from, pages) => {
    if (fs.existsSync(other)) fs.renameSync(other, file);
    return read.call(store, from, pages);
  };
  return journal;
}

async function write(file: string, notes: readonly string[]): Promise<void> {
  const journal = await openJournal(file);
  for (const text of notes) await journal.notes.set(text);
  await journal.close();
}

test("a version that the new history does not have is not answered with another state", async () => {
  await using journal = await replacedBy("another");
  await expect(journal.at("v2")).rejects.toMatchObject({ code: "bad_point" });
  expect(journal.state.notes).toBe("another");
});

test("what the new history has at a point is told as it stands there", async () => {
  await using journal = await replacedBy("one", "two", "three", "four");
  const { version, state } = await journal.at("t0");
  expect([version, state.notes]).toEqual([4, "four"]);
});

test.each(["diff", "span"] as const)("%s is between states of one history", async (name) => {
  await using journal = await replacedBy("one", "two");
  await expect(journal[name]("v1", "v3")).rejects.toMatchObject({ code: "bad_point" });
  expect(await journal.diff("v1")).toMatchObject({ from: 1, to: 2, events: [{ event: { text: "two" } }] });
});

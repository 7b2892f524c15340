/** A writer that appends at the very moment at which somebody else reads. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, test } from "vitest";
import { useFolder } from "./folder.ts";

const folder = useFolder();
const { readSync } = fs;

afterEach(() => {
  fs.readSync = readSync;
  syncBuiltinESMExports();
});

/** Calls `meanwhile` right after bytes up to the end of the file were read for the nth time. */
function afterRead(file: string, nth: number, meanwhile: () => void): void {
  let left = nth;
  fs.readSync = ((...given: Parameters<typeof readSync>) => {
    const count = readSync(...given);
    const position = given[4 as never] as unknown as number;
    if (left > 0 && position + count === fs.statSync(file).size && --left === 0) meanwhile();
    return count;
  }) as typeof readSync;
  syncBuiltinESMExports();
}

test.each([1, 2, 3])(
  "a branch is told as it was read, though the file has grown since its end was read, %s",
  async (nth) => {
    const session = folder.session();
    const root = session.user("hello");
    const writer = folder.reader(session.file, { fold: "branch" });
    await writer.append({ event: { type: "notes.set", text: "kept" }, actor: "agent" });
    const reader = folder.reader(session.file, { fold: "branch" });
    afterRead(session.file, nth, () => void session.user("more", root));
    await reader.catchUp();
    expect(reader.state.notes).toBe("kept");
  },
);

test("a long reading goes on though the snapshot is looked at meanwhile", async () => {
  const session = folder.session();
  const writer = folder.reader(session.file);
  const reader = folder.reader(session.file);
  await writer.append({ event: { type: "notes.set", text: "kept" }, actor: "agent" });
  await reader.store.saveSnapshot({ end: await reader.catchUp() });
  for (let turn = 0; turn < 18; turn++) session.user("x".repeat(1_000_000));
  await writer.append({ event: { type: "notes.set", text: "last" }, actor: "agent" });
  let isRead = false;
  const reading = reader.catchUp().finally(() => {
    isRead = true;
  });
  while (!isRead) {
    await reader.store.savedHead();
    await new Promise(setImmediate);
  }
  expect(await reading).toMatchObject({ version: 2, turn: 18 });
  expect([reader.events.length, reader.resets]).toEqual([2, 0]);
});

/** A live host's file that is cut while it is read. */
import fs from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { hostSessionStore } from "../../src/store/host/host-session-store.ts";
import { ArrayHost } from "./array-host.ts";
import { useFolder } from "./session-file/folder.ts";

afterEach(() => vi.restoreAllMocks());

const folder = useFolder();

/** More than is read at once. */
const megabytes = 3;

test.each([
  [300, 500],
  [900, 1500],
  [1500, 500],
])("it is not read for ever where it is cut to %d KB once %d KB were read", async (leftKb, readKb) => {
  const file = folder.path("session.jsonl");
  const host = new ArrayHost("00000000-0000-4000-8000-000000000001", file);
  host.message("user", "please");
  for (let index = 0; index < megabytes * 64; index++) host.message("assistant", "x".repeat(2 ** 14));
  // This the host has not written yet.
  const unwritten = { ...host.held.at(-1), id: "e9999999", parentId: host.leaf } as (typeof host.held)[number];
  host.held.push(unwritten);
  let reads = 0;
  const { readSync } = fs;
  vi.spyOn(fs, "readSync").mockImplementation((...words: unknown[]) => {
    reads += 1;
    if (reads > 10_000) throw new Error("it is read for ever");
    const count = Reflect.apply(readSync, fs, words);
    const end = Number(words[4]) + count;
    const isDue = end > readKb * 1024 && end < 2 ** 21;
    if (isDue && fs.statSync(file).size > leftKb * 1024) fs.truncateSync(file, leftKb * 1024);
    return count;
  });
  const opening = openJournal(hostSessionStore(host)).then((journal) => journal.close());
  await opening.catch((error: unknown) => expect(error).toMatchObject({ code: "storage" }));
  expect(reads).toBeLessThan(1000);
});

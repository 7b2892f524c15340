/** A store that is closed while somebody still reads its file from the beginning. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { openJournal } from "../../../src/open/open-journal.ts";
import { useFolder } from "./folder.ts";

const folder = useFolder();

/** How many descriptors of this process lead to the file: others come and go, as those of locks do. */
function descriptorsOf(file: string): number {
  const leadsTo = (descriptor: string): boolean => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${descriptor}`) === file;
    } catch {
      return false;
    }
  };
  return fs.readdirSync("/proc/self/fd").filter(leadsTo).length;
}

test("a file that was still being read when its store was closed does not stay open", async () => {
  const { file } = folder.session();
  const journal = await openJournal(file, { durability: "os" });
  for (const ref of ["a", "b"]) await journal.refs.add(ref);
  await journal.close();
  const store = folder.store(file, { readonly: true });
  const events = store.read(0)[Symbol.asyncIterator]();
  expect((await events.next()).value).toMatchObject({ version: 1 });
  expect(descriptorsOf(file)).toBeGreaterThan(0);
  await store.close();
  expect((await events.next()).value).toMatchObject({ version: 2 });
  expect(await events.next()).toMatchObject({ done: true });
  expect(descriptorsOf(file)).toBe(0);
});

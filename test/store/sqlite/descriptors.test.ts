import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { copyJournal } from "../../../src/open/copy-journal.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { openJournals } from "../../../src/open/open-journals.ts";
import { searchDatabase } from "../../../src/store/sqlite/search.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-descriptors-"));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
const database = path.join(folder, "all.db");
const copies = process.env["SESSION_JOURNAL_FULL"] === "1" ? 1000 : 25;

/** Files in the folder that this process holds open, by the names that Linux shows of its descriptors. */
function openFiles(): string[] {
  const links = fs.readdirSync("/proc/self/fd").map((descriptor) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return ""; // The one that the listing itself took.
    }
  });
  return links.filter((link) => link.startsWith(folder));
}

test(`${copies} copies into a database and out of it leave no descriptor open, and no side file`, async () => {
  const file = path.join(folder, "one.jsonl");
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.set("Root cause: timezone mismatch");
  await journal.close();
  const session = JSON.parse(fs.readFileSync(file, "utf8").split("\n")[0] ?? "").id as string;
  for (let copy = 1; copy <= copies; copy++) {
    const target = path.join(folder, `${copy}.db`);
    await copyJournal(file, `sqlite:${target}`);
    await copyJournal(`sqlite:${target}#${session}`, `sqlite:${database}`);
    expect(openFiles()).toEqual([]);
  }
  expect(fs.readdirSync(folder).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
});

async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  for await (const _ of items) count += 1;
  return count;
}

test("lists, searches, refused openings and journals that were closed while others wrote leave none open", async () => {
  const stores = await Promise.all(["a", "b", "c"].map((session) => openJournal(`sqlite:${database}#${session}`)));
  await Promise.all(stores.map((journal) => journal.notes.set("timezone")));
  const journals = await openJournals(`sqlite:${database}`, { readonly: true });
  expect(await countOf(journals.list())).toBeGreaterThanOrEqual(3);
  expect(await countOf(searchDatabase({ database }, "timezone"))).toBeGreaterThanOrEqual(3);
  await expect(openJournal(`sqlite:${folder}/none/x.db#a`)).rejects.toMatchObject({ code: "storage" });
  fs.writeFileSync(path.join(folder, "text.db"), "no database, but long enough to be looked at as one".repeat(100));
  await expect(openJournal(`sqlite:${folder}/text.db#a`)).rejects.toMatchObject({ code: "storage" });
  await journals.close();
  await Promise.all(stores.map((journal) => journal.close()));
  expect(openFiles()).toEqual([]);
});

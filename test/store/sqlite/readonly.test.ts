import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { Journal } from "../../../src/journal/public.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { sqliteCatalog } from "../../../src/store/sqlite/sqlite-store.ts";
import { type Program, program } from "../process/spawn.ts";

let writer: Program;
let unprivileged: Program;
beforeAll(async () => {
  [writer, unprivileged] = await Promise.all([program("write-marks.ts"), program("read-unprivileged.ts")]);
});
afterAll(() => {
  writer?.remove();
  unprivileged?.remove();
});

let folder: string;
let database: string;
let where: string;
let opened: Journal[];
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-readonly-"));
  database = path.join(folder, "a #1%20.db");
  where = `sqlite:${database}#s`;
  opened = [];
});
afterEach(async () => {
  for (const journal of opened) await journal.close();
  fs.chmodSync(folder, 0o755);
  fs.rmSync(folder, { recursive: true });
});

async function open(options: Parameters<typeof openJournal>[1] = {}): Promise<Journal> {
  const journal = await openJournal(where, options);
  opened.push(journal);
  return journal;
}

/** In a process of its own: where the last one ends, nothing but the database is left. */
async function write(name: string): Promise<void> {
  await writer.run(where, name, "1");
}

/** Who is not its owner may read all of it and write nothing. */
function protect(): void {
  for (const name of fs.readdirSync(folder)) fs.chmodSync(path.join(folder, name), 0o444);
  fs.chmodSync(folder, 0o555);
}

/** What reading must leave as it is. */
function traces(): unknown {
  const files = [folder, ...fs.readdirSync(folder).map((name) => path.join(folder, name))];
  return files.map((file) => [file, fs.statSync(file, { bigint: true }).mtimeNs]);
}

const isPosix = process.getuid !== undefined;

test.runIf(isPosix)(
  "a database that one may not write can be read, while nobody writes and while somebody does",
  async () => {
    await write("one");
    protect();
    expect(fs.readdirSync(folder).length).toBe(1);
    expect(JSON.parse(await unprivileged.run(where))).toEqual([true, "one 0"]);
    fs.chmodSync(folder, 0o755);
    fs.chmodSync(database, 0o644);
    const live = await open();
    await live.notes.append("two");
    protect();
    expect(JSON.parse(await unprivileged.run(where))).toEqual([true, "one 0\ntwo"]);
  },
);

test("reading changes nothing, the times of the files and of their folder included", async () => {
  await write("one");
  const before = traces();
  const reader = await open({ readonly: true });
  expect((await reader.verify()).ok).toBe(true);
  const catalog = sqliteCatalog({ database, readonly: true });
  for await (const { session } of catalog.list()) expect(session).toBe("s");
  expect(traces()).toEqual(before);
  await catalog.close();
  await reader.close();
  expect(traces()).toEqual(before);
});

test("a reader that came while nobody wrote sees what writers commit later, one after the other", async () => {
  await write("one");
  const reader = await open({ readonly: true });
  const newest = async (): Promise<string | undefined> => {
    await reader.refresh();
    return reader.state.notes.split("\n").at(-1);
  };
  for (const name of ["a", "b", "c"]) {
    await write(name);
    expect(fs.readdirSync(folder).length).toBe(1);
    expect(await newest()).toBe(`${name} 0`);
  }
  const live = await open();
  for (const text of ["live", "more"]) {
    await live.notes.append(text);
    expect(await newest()).toBe(text);
  }
  await live.close();
  await write("last");
  expect(await newest()).toBe("last 0");
  await expect(reader.notes.append("never")).rejects.toMatchObject({ code: "readonly" });
});

test.each(["closes", "stays"])("a follower that came while nobody wrote is woken by a writer that %s", async (how) => {
  await write("one");
  const follower = await open({ readonly: true, follow: true });
  const woken = new Promise<void>((resolve) => follower.onChange(() => resolve()));
  if (how === "closes") await write("two");
  else await (await open()).notes.append("two 0");
  await woken;
  expect(follower.state.notes).toBe("one 0\ntwo 0");
});

test("a reader that closes leaves a writer of the same process its locks, so that no other takes its log away", async () => {
  await write("one");
  const reader = await open({ readonly: true });
  const live = await open();
  await live.notes.append("two");
  await reader.refresh();
  await reader.close();
  await write("three");
  await live.notes.append("four");
  protect();
  expect(JSON.parse(await unprivileged.run(where))).toEqual([true, "one 0\ntwo\nthree 0\nfour"]);
});

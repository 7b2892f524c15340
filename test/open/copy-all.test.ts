/** A place that is moved must arrive whole, and one bad session must not keep the others. */
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { openJournals } from "../../src/open/open-journals.ts";
import { pruneJournals } from "../../src/open/prune-journals.ts";
import { cli, json, temporaryFolder } from "../cli/cli.ts";

async function write(where: string, ...texts: readonly string[]): Promise<void> {
  const journal = await openJournal(where, { durability: "os" });
  for (const text of texts) await journal.notes.append(text);
  await journal.close();
}

async function headsIn(place: string): Promise<string[]> {
  const heads: string[] = [];
  for (const each of await json("ls", place)) {
    const { where } = each as { where: string };
    const [head] = (await json("head", where)) as { version: number; hash: string }[];
    heads.push(`${head?.version} ${head?.hash}`);
  }
  return heads.sort();
}

test("a folder goes into a database and on into another folder, chain and all, and again what is new", async () => {
  const folder = temporaryFolder();
  const [from, to] = [path.join(folder, "from"), path.join(folder, "to")];
  fs.mkdirSync(path.join(from, "deep"), { recursive: true });
  const files = ["a.jsonl", "b.jsonl", path.join("deep", "c.jsonl")].map((name) => path.join(from, name));
  for (const [index, file] of files.entries())
    await write(file, ...Array.from({ length: index + 1 }, (_, n) => `${n}`));
  const database = `sqlite:${path.join(folder, "j.db")}`;
  // It was stopped behind the first.
  expect((await cli(["copy", files[0] as string, database])).code).toBe(0);
  expect((await cli(["copy", "--all", from, database])).stdout).toMatch(/^3 journals of .*: 5 events copied\n$/);
  expect((await cli(["copy", "--all", database, to])).stdout).toMatch(/: 6 events copied\n$/);
  const heads = await headsIn(from);
  expect([await headsIn(database), await headsIn(to)]).toEqual([heads, heads]);
  await write(files[2] as string, "more");
  expect((await cli(["copy", "--all", from, database])).stdout).toMatch(/: 1 event copied\n$/);
  const mirrored = path.join(folder, "mirrored");
  await cli(["copy", "--all", from, mirrored]);
  expect(fs.existsSync(path.join(mirrored, "deep", "c.jsonl"))).toBe(true);
});

test("a folder that is named by its URL has its files whatever they are called", async () => {
  const folder = temporaryFolder();
  const [from, to] = [path.join(folder, "from"), path.join(folder, "to")];
  fs.mkdirSync(from);
  const names = ["a b.jsonl", "c%20d.jsonl", "e#f.jsonl"];
  for (const name of names) await write(path.join(from, name), name);
  const url = pathToFileURL(from).href;
  expect((await cli(["copy", "--all", url, to])).code).toBe(0);
  expect(fs.readdirSync(to).filter((name) => name.endsWith(".jsonl"))).toEqual(names);
  expect(await headsIn(url)).toEqual(await headsIn(from));
});

test("a session that stands there with another history is told, and the others are copied", async () => {
  const folder = temporaryFolder();
  const [from, to] = [path.join(folder, "from"), path.join(folder, "to")];
  for (const each of [from, to]) fs.mkdirSync(each);
  await write(path.join(from, "a.jsonl"), "mine");
  await write(path.join(from, "b.jsonl"), "b");
  await write(path.join(to, "a.jsonl"), "yours");
  const { code, stdout, stderr } = await cli(["copy", "--all", from, to]);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^1 journal of .*; 1 journal could not be copied\n$/)]);
  expect(stderr).toMatch(/a\.jsonl was not copied/);
  expect((await cli(["copy", "--all", from, path.join(to, "b.jsonl")])).stderr).toContain("name a folder");
});

test("a session goes into a folder under a name that can be, however long its id is, and each under its own", async () => {
  const folder = temporaryFolder();
  const database = `sqlite:${path.join(folder, "j.db")}`;
  const ids = ["x".repeat(244), "x".repeat(245), `${"y".repeat(400)}1`, `${"y".repeat(400)}2`, "é".repeat(120)];
  const journals = await openJournals(database);
  for (const id of ids) {
    const journal = await journals.open(id);
    await journal.notes.set(id);
    await journal.close();
  }
  await journals.close();
  for (const [name, copied] of [
    ["to", ": 5 events copied"],
    ["to", ": 0 events copied"],
  ] as const)
    expect((await cli(["copy", "--all", database, path.join(folder, name)])).stdout).toContain(copied);
  const names = fs.readdirSync(path.join(folder, "to")).filter((name) => name.endsWith(".jsonl"));
  expect(names.map((name) => Math.min(name.length, 250)).sort()).toEqual([250, 250, 250, 250, 250]);
  expect(names).toContain(`${"x".repeat(244)}.jsonl`);
  expect(await headsIn(path.join(folder, "to"))).toEqual(await headsIn(database));
});

test("a folder of copies in the folder that is copied is filled, and not copied into itself", async () => {
  const from = temporaryFolder();
  await write(path.join(from, "a.jsonl"), "a");
  await write(path.join(from, "backups.jsonl"), "b");
  const to = path.join(from, "backups");
  const again = path.join(from, "deep", "..", "backups");
  fs.mkdirSync(path.join(from, "deep"));
  for (const [name, copied] of [
    [to, "2 events copied"],
    [again, "0 events copied"],
  ] as const)
    expect((await cli(["copy", "--all", from, name])).stdout).toMatch(new RegExp(`^2 journals of .*: ${copied}\n$`));
  expect(fs.readdirSync(to).filter((name) => !name.startsWith("."))).toEqual(["a.jsonl", "backups.jsonl"]);
});

test("a folder that cannot be made for copies or archives is named, with what to do", async () => {
  const folder = temporaryFolder();
  const from = path.join(folder, "from");
  fs.mkdirSync(from);
  await write(path.join(from, "a.jsonl"), "a");
  fs.writeFileSync(path.join(folder, "file"), "");
  const to = path.join(folder, "file", "copies");
  const copied = await cli(["copy", "--all", from, to]);
  expect([copied.code, copied.stderr]).toEqual([
    1,
    expect.stringMatching(
      /^session-journal: a\.jsonl was not copied: cannot make the folder .*copies \((?:ENOTDIR|EEXIST)\): check the path/,
    ),
  ]);
  const pruned: unknown[] = [];
  const options = { before: Date.now() + 86_400_000, held: new Set<string>(), archive: to, isDryRun: false };
  for await (const each of pruneJournals(from, options)) pruned.push(each);
  expect(pruned).toMatchObject([
    { fate: "kept", fault: expect.stringMatching(/^cannot make the folder .*: check the path/) },
  ]);
});

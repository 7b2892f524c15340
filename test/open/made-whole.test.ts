import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { madeWhole } from "../../src/open/made-whole.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { removeSessionFile } from "../../src/store/archive/remove-session.ts";
import { faultyFiles } from "../../src/testing/faulty-files.ts";
import { ways } from "./ways-to-a-file.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-whole-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const inFolder = (name: string): string => path.join(folder, name);
const there = (): string[] => fs.readdirSync(folder).filter((name) => name !== ".session-journal");

test.each(Object.keys(ways))(
  "a disk that becomes full while %s writes leaves nothing that looks like a session",
  async (way) => {
    const [from, to] = [inFolder("from.jsonl"), inFolder("to.jsonl")];
    const journal = await openJournal(from);
    for (let count = 0; count < 3; count++) await journal.notes.set(`secret ${count}`);
    await journal.close();
    for (const error of ["ENOSPC", "SHORT"]) {
      let call = 1;
      for (; ; call++) {
        const end = faultyFiles([{ on: "write", error, call, times: 99 }]);
        const failure = await ways[way]?.(from, to).then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        end();
        if (failure === undefined) break;
        expect(failure).toMatchObject({ code: "storage", fate: "not-written", place: { file: to } });
        expect((failure as Error).message).toContain(to);
        expect(there()).toEqual(["from.jsonl"]);
      }
      if (error === "ENOSPC") expect(call).toBeGreaterThan(1);
      expect(there()).toEqual(["from.jsonl", "to.jsonl"]);
      await using made = await openJournal(to, { readonly: true, create: false });
      expect((await made.verify()).ok).toBe(true);
      fs.rmSync(to);
    }
  },
);

test("what somebody else wrote there in between stays, also where nothing could be made", async () => {
  const target = inFolder("session.jsonl");
  const failing = madeWhole(target, "os", async (file) => {
    fs.writeFileSync(file, "half");
    fs.writeFileSync(target, "of another");
    throw new TypeError("it failed");
  });
  await expect(failing).rejects.toThrow("it failed");
  expect(there()).toEqual(["session.jsonl"]);
  fs.rmSync(target);
  const made: string[] = [];
  await madeWhole(target, "os", async (file) => {
    if (made.push(file) > 1) return;
    fs.writeFileSync(file, "whole");
    fs.writeFileSync(target, "of another");
  });
  expect(made).toEqual([expect.stringMatching(/\.unfinished$/), target]);
  expect(fs.readFileSync(target, "utf8")).toBe("of another");
  expect(there()).toEqual(["session.jsonl"]);
});

test("the snapshot of what was made goes with it, and nothing stays beside it", async () => {
  const [from, to] = [inFolder("from.jsonl"), inFolder("to.jsonl")];
  const journal = await openJournal(from);
  for (let count = 0; count < 60; count++)
    await journal.applyAll(Array.from({ length: 20 }, () => ({ action: "set_notes", content: "x".repeat(1500) })));
  await journal.close();
  await copyJournal(from, to);
  expect(fs.readdirSync(inFolder(".session-journal")).sort()).toEqual([
    "from.jsonl.snapshot.json",
    "to.jsonl.snapshot.json",
  ]);
  await using made = await openJournal(to, { readonly: true });
  expect(made.version).toBe(1200);
});

test("what a killed one left is removed by who makes a file there a day later, and what is younger stays", async () => {
  const side = inFolder(".session-journal");
  fs.mkdirSync(side);
  const name = (digit: number): string => `.${digit}0000000-0000-4000-8000-000000000000.unfinished`;
  const others = [inFolder(`${name(3)}.jsonl`), inFolder(".unfinished")];
  const old = [
    inFolder(name(1)),
    path.join(side, `${name(1)}.snapshot.json`),
    path.join(side, `${name(1)}.snapshot.json.tmp`),
  ];
  const young = [inFolder(name(2)), path.join(side, `${name(2)}.snapshot.json`)];
  for (const file of [...old, ...others, ...young]) fs.writeFileSync(file, "texts");
  for (const file of [...old, ...others]) fs.utimesSync(file, 0, Date.now() / 1000 - 90_000);
  await madeWhole(inFolder("session.jsonl"), "os", async (file) => fs.writeFileSync(file, "whole"));
  expect(old.filter((file) => fs.existsSync(file))).toEqual([]);
  expect([...others, ...young].filter((file) => !fs.existsSync(file))).toEqual([]);
});

test("a session that a killed one left two names is removed from both", async () => {
  const file = inFolder("session.jsonl");
  await (await openJournal(file)).close();
  fs.linkSync(file, inFolder(".10000000-0000-4000-8000-000000000000.unfinished"));
  expect(await removeSessionFile(file, async () => true)).toBe(true);
  expect(there()).toEqual([]);
});

test("what is not ours stays, though its name ends as those of ours do, and a hidden name is not opened as a session", async () => {
  const name = "20000000-0000-4000-8000-000000000000.unfinished";
  const from = inFolder("from.jsonl");
  await (await openJournal(from)).close();
  const others = [inFolder(`draft.${name}`), inFolder(`folder.${name}`), inFolder(`.${name}`)] as const;
  fs.writeFileSync(others[0], "a draft");
  fs.mkdirSync(others[1]);
  const days = new Date(Date.now() - 3 * 86_400_000);
  for (const other of others.slice(0, 2)) fs.utimesSync(other, days, days);
  fs.linkSync(from, others[2]);
  await expect(openJournal(others[2])).rejects.toMatchObject({ code: "not_a_session" });
  await copyJournal(from, inFolder("to.jsonl"));
  expect(others.map((other) => fs.existsSync(other))).toEqual([true, true, true]);
});

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { madeWhole } from "../../src/open/made-whole.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { redactJournal } from "../../src/open/redact-journal.ts";
import { faultyFiles } from "../../src/testing/faulty-files.ts";

let folder: string;
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-whole-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const inFolder = (name: string): string => path.join(folder, name);
const there = (): string[] => fs.readdirSync(folder).filter((name) => name !== ".session-journal");

const ways: Readonly<Record<string, (from: string, to: string) => Promise<unknown>>> = {
  copy: copyJournal,
  redact: (from, to) => redactJournal(from, to, { text: "secret" }),
  fork: async (from, to) => {
    await using journal = await openJournal(from, { readonly: true });
    await (await journal.fork(to)).close();
  },
  spawn: async (from, to) => {
    await using journal = await openJournal(from, { readonly: true });
    await (await journal.spawn(to)).close();
  },
};

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

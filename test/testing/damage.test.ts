import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { type Damage, damaged, damageFile } from "../../src/testing/damage.ts";
import { arbitraryDamagedFile, arbitrarySessionFile } from "../../src/testing/damaged-files.ts";

const text = "one\ntwo\nthree\n";

describe("damage", () => {
  test.each<[Damage, string]>([
    [{ damage: "cut", at: 5 }, "one\nt"],
    [{ damage: "cut", at: -3 }, "one\ntwo\nthr"],
    [{ damage: "cut", at: -99 }, ""],
    [{ damage: "flip", at: 0, bit: 5 }, "One\ntwo\nthree\n"],
    [{ damage: "flip", at: -2, bit: 5 }, "one\ntwo\nthreE\n"],
    [{ damage: "flip", at: text.length, bit: 5 }, "One\ntwo\nthree\n"],
    [{ damage: "nuls", at: 3, count: 2 }, "one\u0000\u0000\ntwo\nthree\n"],
    [{ damage: "nuls", at: -1, count: 1 }, "one\ntwo\nthree\n\u0000"],
    [{ damage: "hole", at: 2, count: 4 }, "ono\nthree\n"],
    [{ damage: "swap", lines: [0, -1] }, "three\ntwo\none\n"],
    [{ damage: "repeat", line: 1 }, "one\ntwo\nthree\ntwo\n"],
  ])("%j", (damage, expected) => {
    expect(Buffer.from(damaged(Buffer.from(text), [damage])).toString()).toBe(expected);
  });

  test("of any kind at any place of any file is possible", () => {
    fc.assert(
      fc.property(arbitraryDamagedFile(fc.constantFrom("", "\n", "a", text)), ({ whole, damages, bytes }) => {
        expect(Buffer.from(damaged(Buffer.from(whole), damages))).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

describe("a file", () => {
  let folder = "";
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-damage-"));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  test("is damaged in place, as its bytes would be", () => {
    const file = path.join(folder, "any.txt");
    fc.assert(
      fc.property(arbitraryDamagedFile(fc.constantFrom("", "a", text)), ({ whole, damages, bytes }) => {
        fs.writeFileSync(file, whole);
        const { ino } = fs.statSync(file);
        damageFile(file, ...damages);
        expect(fs.readFileSync(file)).toEqual(Buffer.from(bytes));
        expect(fs.statSync(file).ino).toBe(ino);
      }),
    );
  });

  test("of any session is read without a finding of damage", async () => {
    const file = path.join(folder, "session.jsonl");
    await fc.assert(
      fc.asyncProperty(arbitrarySessionFile(), async (whole) => {
        fs.writeFileSync(file, whole);
        const journal = await openJournal(file, { readonly: true });
        const { findings } = await journal.verify();
        await journal.close();
        const kinds = new Set(findings.filter(({ severity }) => severity === "damage").map(({ kind }) => kind));
        kinds.delete("mirror");
        kinds.delete("unknown_event");
        expect([...kinds]).toEqual([]);
      }),
    );
  });

  test("of a damaged session is read, and never written to", async () => {
    const file = path.join(folder, "damaged.jsonl");
    await fc.assert(
      fc.asyncProperty(arbitraryDamagedFile(), async ({ bytes }) => {
        fs.writeFileSync(file, bytes);
        const outcome = await openJournal(file, { readonly: true }).then(
          async (journal) => {
            await journal.verify();
            await journal.close();
            return "read";
          },
          (error: { code?: string }) => error.code,
        );
        expect(["read", "not_a_session"]).toContain(outcome);
        expect(fs.readFileSync(file)).toEqual(Buffer.from(bytes));
      }),
    );
  });
});

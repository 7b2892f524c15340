import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { type Program, program } from "../store/process/spawn.ts";

const marksEach = process.env["SESSION_JOURNAL_FULL"] ? 400 : 30;
let writer: Program;
let folder = "";

beforeAll(async () => {
  writer = await program("write-marks.ts");
});
afterAll(() => writer.remove());
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

test("what several processes write at once reaches every follower in order, each event once", async () => {
  const file = path.join(folder, "session.jsonl");
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.set("first");
  const names = ["a", "b", "c"];
  const total = 1 + names.length * marksEach;
  const writing = Promise.all(names.map((name) => writer.run(file, name, String(marksEach))));
  const followers = [0, 1].map(async (from) => {
    const told: string[] = [];
    for await (const change of journal.changes({ from })) {
      expect(change.type).toBe("event");
      expect(journal.version).toBeGreaterThanOrEqual(change.version);
      if (change.type === "event" && change.event.type === "notes.appended") told.push(change.event.text);
      if (change.version === total) break;
    }
    return told;
  });
  await writing;
  const [fromStart, fromFirst] = await Promise.all(followers);
  expect(fromStart).toEqual(fromFirst);
  for (const name of names) {
    const own = fromStart?.filter((text) => text.startsWith(`${name} `));
    expect(own).toEqual(Array.from({ length: marksEach }, (_, index) => `${name} ${index}`));
  }
  expect(journal.version).toBe(total);
  await journal.close();
});

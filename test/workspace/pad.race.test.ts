import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openPad } from "../../src/entry/workspace.ts";
import { type Program, program } from "../store/process/spawn.ts";

const writers = ["one", "two", "three"];
const writesEach = process.env["SESSION_JOURNAL_FULL"] ? 60 : 8;
let folder = "";
let writer: Program;

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-pad-"));
  writer = await program("../../workspace/pad-writer.ts");
});
afterAll(() => {
  writer.remove();
  fs.rmSync(folder, { recursive: true, force: true });
});

test("processes in one folder lose nothing of each other, and none is taken for a person", async () => {
  const printed = await Promise.all(writers.map((name) => writer.run(folder, name, String(writesEach))));
  const accepted = printed.flatMap((text) => text.trimEnd().split("\n"));
  expect(accepted).toHaveLength(writers.length * writesEach);

  const pad = await openPad(folder);
  try {
    const written: string[] = [];
    for await (const { event, actor } of pad.history()) {
      expect(writers).toContain(actor);
      if (event.type === "entry.written") written.push(`${event.key}: ${event.text}`);
    }
    expect(written.toSorted()).toEqual(accepted.toSorted());
    for (const key of pad.entries.list()) {
      expect(fs.readFileSync(path.join(folder, `${key}.txt`), "utf8")).toBe(pad.entries.read(key));
    }
    expect(pad.findings).toEqual([]);
  } finally {
    await pad.close();
  }
}, 300_000);

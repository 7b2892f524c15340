/** What is made holds what an agent was told in confidence: only its owner reads it, whatever the umask is. */
import { execFile } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Program, program } from "./process/spawn.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-modes-"));
let maker: Program;
beforeAll(async () => {
  maker = await program("make-everything.ts");
});
afterAll(() => {
  maker?.remove();
  fs.rmSync(folder, { recursive: true, force: true });
});

test.each(["000", "022", "077"])("under umask %s files are 0600 and folders 0700", async (umask) => {
  const place = path.join(folder, umask);
  fs.mkdirSync(place);
  const given = ["-c", `umask ${umask}; exec "$0" "$@"`, process.execPath, maker.file, place];
  await promisify(execFile)("/bin/sh", given);
  const made = fs.readdirSync(place, { recursive: true }) as string[];
  const modes = made.sort().map((name) => {
    const stats = fs.lstatSync(path.join(place, name));
    return [name, (stats.mode & 0o777).toString(8), stats.isDirectory() ? "700" : "600"];
  });
  for (const [name, mode, wanted] of modes) expect([name, mode]).toEqual([name, wanted]);
  // `-shm` and `-wal` are there as long as the database is open: the maker leaves without closing it.
  expect(made).toEqual(
    expect.arrayContaining([
      ".session-journal",
      ".session-journal/session.jsonl.snapshot.json",
      "SCRATCHPAD.md",
      "companions",
      "companions/abc.jsonl",
      "journals.db",
      "journals.db-shm",
      "journals.db-wal",
      "pad",
      "pad/.session-journal/pad.json",
      "pad/plan.txt",
      "session.jsonl",
    ]),
  );
});

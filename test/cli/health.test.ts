import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openJournal } from "../../src/index.ts";
import { applied, cli, json, newSession, temporaryFolder } from "./cli.ts";

const set = { action: "set_notes", content: "one" };

test("a session that is well, and one in a database", async () => {
  const file = await applied(newSession(), set);
  expect(await cli(["health", file, "--max-age", "3600"])).toEqual({ code: 0, stdout: "healthy: v1\n", stderr: "" });
  const place = `sqlite:${path.join(temporaryFolder(), "journals.db")}#one`;
  const journal = await openJournal(place);
  await journal.notes.set("one");
  const { head } = journal;
  await journal.close();
  const [told] = await json("health", place);
  expect(told).toMatchObject({ ok: true, where: place, version: 1, turn: 0, head, faults: [] });
});

test("a session that is named by a URL can be written like any other", async () => {
  const file = await applied(newSession(), set);
  expect((await cli(["health", pathToFileURL(file).href])).stdout).toBe("healthy: v1\n");
});

test("what a probe must hear of: damage, age, silence, what is not there", async () => {
  const file = await applied(newSession(), set, set);
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.toString().replace('"text":"one"', '"text":"two"'));
  const damaged = await cli(["health", file]);
  expect([damaged.code, damaged.stdout]).toEqual([
    1,
    "unhealthy: damaged: session-journal verify lists what is wrong\n",
  ]);
  const old = newSession();
  const journal = await openJournal(old);
  await journal.close();
  expect((await cli(["health", old, "--max-age", "1"])).stdout).toBe("unhealthy: nothing has been written yet\n");
  expect((await cli(["health", old])).code).toBe(0);
  const absent = await cli(["health", path.join(temporaryFolder(), "none.jsonl")]);
  expect([absent.code, absent.stdout, absent.stderr.split("\n").length]).toEqual([2, "", 2]);
  const soon = await cli(["health", old, "--max-age", "soon"]);
  expect([soon.code, soon.stderr]).toEqual([
    2,
    expect.stringContaining("takes seconds, or a duration such as 90s, 15m"),
  ]);
});

/** A session with one value, written at a time. */
function writtenAt(timestamp: string): string {
  const file = newSession();
  const header = { type: "session", version: 3, id: "s", timestamp, cwd: "/" };
  const value = { type: "custom", customType: "openclaw:scratchpad:notes", data: "old", id: "a", parentId: null };
  const lines = [header, { ...value, timestamp }];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
}

test("an event that is older than it may be", async () => {
  const file = writtenAt("2026-01-01T00:00:00.000Z");
  const { code, stdout } = await cli(["health", file, "--max-age", "60"]);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^unhealthy: the newest event is \d+ seconds old\n$/)]);
  expect((await cli(["health", file, "--max-age", "2h"])).code).toBe(1);
  expect((await cli(["health", file, "--max-age", "9999w"])).code).toBe(0);
});

test("an event that a wrong clock dated years ahead does not pass for new until then", async () => {
  const file = writtenAt(new Date(Date.now() + 5 * 365 * 86_400_000).toISOString());
  const { code, stdout } = await cli(["health", file, "--max-age", "1h"]);
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /^unhealthy: the newest event is dated \d+ seconds ahead: the clock of its writer or of this/,
    ),
  ]);
  expect(
    await cli(["health", writtenAt(new Date(Date.now() + 60_000).toISOString()), "--max-age", "1h"]),
  ).toMatchObject({
    code: 0,
  });
});

/** Who may do everything is told that it can be written. */
test("a file that this user cannot write", async () => {
  const file = await applied(newSession(), set);
  chmodSync(file, 0o400);
  const mayAll = process.getuid?.() === 0;
  expect((await cli(["health", file])).stdout).toBe(
    mayAll ? "healthy: v1\n" : "unhealthy: the session file or its folder cannot be written by this user\n",
  );
  expect((await cli(["health", file, "--read-only"])).code).toBe(0);
});

/** Histories and texts that are too long to be shown whole: what is left out is said. */
import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { longTextUnits } from "../../src/audit/long-text-units.ts";
import { applied, bytesOf, cli, json, newSession } from "./cli.ts";

test("a report of the newest events says how many there are, and shows the state that the journal has", async () => {
  const add = (index: number) => ({ action: "append_notes", content: `line ${index}` });
  const file = await applied(newSession(), ...Array.from({ length: 5 }, (_, index) => add(index)));
  const { code, stdout } = await cli(["report", file, "-n", "2", "-o", "-"]);
  expect(code).toBe(0);
  // The page says so in words.
  expect(stdout).toContain('"leftOut":3');
  expect(stdout).toContain("line 0");
  expect(stdout).toContain("earlier events");
  expect((await cli(["report", file, "-o", "-"])).stdout).not.toContain('"leftOut"');
});

test("a report of the newest marks of the host does not say that there were more", async () => {
  const file = await applied(newSession(), { action: "set_notes", content: "n" });
  const place = '"parentId":null,"timestamp":"2026-11-21T20:00:00.000Z"';
  const marks = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, at) => `{"type":"compaction","id":"c${from + at}",${place}}\n`).join("");
  writeFileSync(file, bytesOf(file) + marks(0, 10_000));
  expect((await cli(["report", file, "-o", "-"])).stdout).not.toContain("things that the host did");
  writeFileSync(file, bytesOf(file) + marks(10_000, 10_002));
  expect((await cli(["report", file, "-o", "-"])).stdout).toContain(
    "The newest 10,000 of 10,002 things that the host did are shown; session-journal log lists all.",
  );
});

test("a value of more characters than anybody reads is told by its length and its place, and its history stays exact", async () => {
  const file = await applied(newSession(), { action: "set_notes", content: "n" });
  const data = JSON.stringify("x".repeat(longTextUnits + 1));
  const line = `{"type":"custom","customType":"openclaw:scratchpad:notes","id":"a","parentId":null,"timestamp":"2026-11-21T20:00:00.000Z","data":${data}}\n`;
  const offset = bytesOf(file).length;
  writeFileSync(file, bytesOf(file) + line);
  const log = (await cli(["log", "-p", file])).stdout;
  expect(log).toContain("(1048577 characters, too many to be shown here; SHA-256");
  expect(log).toContain(`version 2, in the line at byte ${offset})`);
  expect(log.length).toBeLessThan(2000);
  expect((await cli(["diff", file, "v1"])).stdout).toContain("+(1048577 characters");
  for (const verb of ["log", "blame"]) {
    const { stdout } = await cli([verb, file]);
    expect(stdout).toContain("(1048577 characters, too many to be shown here; SHA-256");
    expect(stdout.length).toBeLessThan(2000);
  }
  expect((await cli(["report", file, "-o", "-"])).stdout).toContain(
    "1 event has a text of more than 1,048,576 characters",
  );
  const [, told] = (await json("log", "-p", file)) as { event: { text: string }; noDiff: string; patch?: unknown }[];
  expect([told?.event.text.length, told?.noDiff, told?.patch]).toEqual([
    longTextUnits + 1,
    "a text has more than 1048576 characters",
    undefined,
  ]);
});

test("of a value that is too deep to be read, log and lost tell how long its line is and where it stands", async () => {
  const file = await applied(newSession(), { action: "set_notes", content: "n" });
  const deep = `{"type":"custom","customType":"openclaw:scratchpad:notes","id":"a","parentId":null,"timestamp":"2026-11-21T20:00:00.000Z","data":${"[".repeat(70)}${"]".repeat(70)}}`;
  const long = deep.replace('"id":"a"', `"pad":"${"p".repeat(1 << 20)}","id":"b"`);
  const start = bytesOf(file).length;
  writeFileSync(file, `${bytesOf(file)}${deep}\n${long}\n`);
  const places = [
    `a line of ${deep.length} bytes at byte ${start})`,
    `a line of ${long.length} bytes at byte ${start + deep.length + 1})`,
  ];
  for (const verb of ["log", "lost"]) {
    const { stdout } = await cli([verb, file]);
    for (const place of places) expect(stdout).toContain(`(not read: nested too deeply, ${place}`);
  }
  expect(await json("lost", file)).toMatchObject([
    { reason: "ignored", text: "", unreadBytes: deep.length, offset: start },
    { reason: "ignored", text: "", unreadBytes: long.length, offset: start + deep.length + 1 },
  ]);
});

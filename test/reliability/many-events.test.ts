/** A session of very many events, read by each verb in a process that has little memory: nothing of it may be held. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isFull, recordResult } from "./results.ts";

const events = Number(process.env["SESSION_JOURNAL_EVENTS"] ?? (isFull ? 1_000_000 : 2_000));
/** What many events hold shows in small ones, what few hold only in long ones. */
const textUnits = isFull ? 40 : 10_000;
const heapMegabytes = isFull ? 128 : 48;
const program = path.join(import.meta.dirname, "run-verbs.mjs");
const followers = path.join(import.meta.dirname, "follow-rewrites.mjs");
const waitMs = 3_600_000;

const reading = [
  ["compare", "SESSION", "SESSION"],
  ["diff", "--json", "SESSION", "v1", "head"],
  ["grep", "expired", "SESSION"],
  ["render", "--face", "handoff", "SESSION"],
  ["redact", "--pattern", "token|expired|src", "SESSION", "-o", "REDACTED"],
  ["replay", "--skip", "v7", "SESSION"],
  ["report", "-o", "-", "SESSION"],
  ["verify", "SESSION"],
];
const writing = [["restore", "COPY", "v100"]];
/** What held nothing from the start. */
const more = [
  ...[
    ["show"],
    ["log"],
    ["log", "-p"],
    ["log", "--json"],
    ["blame"],
    ["lost"],
    ["lost", "--all"],
    ["doctor"],
    ["health"],
    ["head"],
  ],
  ...[
    ["diff"],
    ["diff", "SESSION", "v1", "head"],
    ["render"],
    ["render", "--at", "v100"],
    ["compare", "--json", "SESSION", "SESSION"],
  ],
  ...[
    ["copy", "SESSION", "TARGET"],
    ["copy", "SESSION", "sqlite:TARGET.db"],
    ["archive", "SESSION", "-o", "ARCHIVE"],
    ["fork", "SESSION", "FORK"],
    ["merge", "SESSION", "COPY", "--dry-run"],
    ["replay", "--json", "--skip", "v7", "SESSION"],
    ["snapshot", "COPY"],
  ],
].map((words) => (words.some((word) => /SESSION|COPY/.test(word)) ? words : [...words, "SESSION"]));

let folder = "";
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-many-"));
  const { writeManyEvents } = (await import("../../bench/lib/many-events.mjs" as string)) as {
    writeManyEvents: (file: string, count: number, options: { textUnits: number }) => void;
  };
  writeManyEvents(path.join(folder, "SESSION"), events, { textUnits });
  fs.copyFileSync(path.join(folder, "SESSION"), path.join(folder, "COPY"));
}, waitMs);
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const verbs = [...reading, ...writing, ...(isFull ? more : [])];
/** A process each takes a moment each. */
const runs = isFull ? verbs.map((words) => [words]) : [verbs];

test.each(runs.map((run) => [run]))(
  "%j hold no history",
  (run) => {
    const placed = run.map((words) =>
      words.map((word) => word.replace(/SESSION|COPY|TARGET|FORK|ARCHIVE|REDACTED/, (name) => path.join(folder, name))),
    );
    const argv = [`--max-old-space-size=${heapMegabytes}`, program, JSON.stringify(placed)];
    const { signal, stdout } = spawnSync(process.execPath, argv, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    expect(signal).toBe(null);
    expect(JSON.parse(stdout)).toEqual(run.map(([verb]) => ({ verb, code: 0, said: "" })));
  },
  waitMs,
);

test(
  "a follower, a lost race and a rewrite hold no history",
  () => {
    const file = path.join(folder, "FOLLOWED");
    fs.copyFileSync(path.join(folder, "SESSION"), file);
    const argv = [`--max-old-space-size=${isFull ? heapMegabytes : 34}`, followers, file];
    const { signal, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
    expect([signal, stderr]).toEqual([null, ""]);
    expect(JSON.parse(stdout)).toEqual({
      raced: events + 3,
      followed: { resets: [events + 2], version: events + 2 },
      putBack: { notes: "behind a lost race", version: events + 4 },
    });
    fs.rmSync(file);
  },
  waitMs,
);

test("what was read is kept", () => {
  recordResult({
    suite: "reliability/many-events.test.ts",
    claim: "every verb reads a long history, and what it holds does not grow with it",
    size: `${events} events of ${textUnits} characters, ${verbs.length} verbs, a heap of ${heapMegabytes} MB`,
    outcome: "all ended",
  });
});

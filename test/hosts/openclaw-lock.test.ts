import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { hostClients } from "./clients.ts";
import { fixtureOf } from "./driver.ts";

const [client] = hostClients;
if (client === undefined) throw new Error("no client is installed");
const required = { lock: { required: true, waitMs: 30 } };

function lockOf(pid: unknown): string {
  return JSON.stringify({ pid, createdAt: "2026-03-09T13:02:11.417Z" });
}

function deadPid(): number {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

test.each([
  { what: "that names a living process", text: lockOf(process.pid) },
  { what: "that names no process", text: "{}" },
  { what: "that is being written", text: "" },
])("an older OpenClaw's fresh lock file $what is honoured, and not touched", async ({ text }) => {
  const file = fixtureOf(client);
  writeFileSync(`${file}.lock`, text);
  const bytes = readFileSync(file);
  const journal = await openJournal(file, required);
  await expect(journal.notes.set("n")).rejects.toMatchObject({ code: "lock_timeout" });
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect(readFileSync(`${file}.lock`, "utf8")).toBe(text);

  rmSync(`${file}.lock`);
  expect(await journal.notes.set("n")).toMatchObject({ ok: true });
  await journal.close();
});

test.each([
  { what: "whose process is dead", text: lockOf(deadPid()), minutes: 0 },
  { what: "that is older than half an hour", text: lockOf(process.pid), minutes: 31 },
])("a stale one $what holds nobody up, and stays where it is", async ({ text, minutes }) => {
  const file = fixtureOf(client);
  writeFileSync(`${file}.lock`, text);
  const at = Date.now() / 1000 - minutes * 60;
  utimesSync(`${file}.lock`, at, at);
  const journal = await openJournal(file, required);
  expect(await journal.notes.set("n")).toMatchObject({ ok: true });
  expect(readFileSync(`${file}.lock`, "utf8")).toBe(text);
  await journal.close();
});

test("a folder of that name is no lock of theirs", async () => {
  const file = fixtureOf(client);
  mkdirSync(`${file}.lock`);
  const journal = await openJournal(file, required);
  expect(await journal.notes.set("n")).toMatchObject({ ok: true });
  await journal.close();
});

test("a lock that is never released is left behind, because the format decides", async () => {
  const file = fixtureOf(client);
  writeFileSync(`${file}.lock`, lockOf(process.pid));
  const journal = await openJournal(file, { lock: { waitMs: 30 } });
  expect(await journal.notes.set("n")).toMatchObject({ ok: true });
  expect(existsSync(`${file}.lock`)).toBe(true);
  await journal.close();
});

test("our own lock never takes that name", async () => {
  const file = fixtureOf(client);
  const journal = await openJournal(file, {
    measure: (text) => {
      expect(existsSync(`${file}.lock`)).toBe(false);
      return text.length;
    },
  });
  expect(await journal.notes.set("n")).toMatchObject({ ok: true });
  await journal.close();
});

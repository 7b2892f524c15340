/** What redaction does to commits that are unlike most: refused ones, ones that grow, and ones that say more than is known. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal, redactJournal } from "../../src/index.ts";
import type { Journal } from "../../src/journal/public.ts";
import { allOf } from "../../src/journal/readings.ts";
import { hashText } from "../../src/line/chain.ts";
import { commitLineBytesMax } from "../../src/line/format.ts";
import { canonicalJson } from "../../src/line/json.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";

let folder = "";
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-redacted-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

const at = (name: string): string => path.join(folder, name);
const bytesOf = (name: string): string => fs.readFileSync(at(name), "utf8");
const linesOf = (name: string): string[] => bytesOf(name).trimEnd().split("\n");

async function written(name: string, use: (journal: Journal) => Promise<unknown>, options: OpenOptions = {}) {
  const journal = await openJournal(at(name), { durability: "os", ...options });
  await use(journal).finally(() => journal.close());
}

async function checked(name: string) {
  const journal = await openJournal(at(name), { readonly: true });
  const { ok, findings } = await journal.verify();
  const events = (await allOf(journal.history())).map(({ event }) => event);
  const { state } = journal;
  await journal.close();
  return { ok, kinds: findings.map(({ kind }) => kind), events, state };
}

test("a text that only a commit has that lost a race goes, and is told", async () => {
  await written("one.jsonl", (journal) => journal.plan.set("1. begin"));
  fs.copyFileSync(at("one.jsonl"), at("two.jsonl"));
  await written("one.jsonl", (journal) => journal.notes.set("fine"));
  await written("two.jsonl", (journal) => journal.entries.write("key", "the code is 4711-0815"));
  fs.appendFileSync(at("one.jsonl"), `${linesOf("two.jsonl").at(-1)}\n`);
  const done = await redactJournal(at("one.jsonl"), at("clean.jsonl"), { text: "4711-0815", requireMatch: true });
  expect(done).toMatchObject({ texts: 0, versions: [], hostTexts: 0, uncounted: 1 });
  expect(bytesOf("clean.jsonl")).not.toContain("4711-0815");
  expect(await checked("clean.jsonl")).toMatchObject({ ok: true, kinds: ["fork"], state: { notes: "fine" } });
});

test("a text that only a value has that a host wrote twice goes, and is told", async () => {
  await written("one.jsonl", (journal) => journal.plan.set("1. begin"));
  const { id: parentId, timestamp } = JSON.parse(linesOf("one.jsonl").at(-1) ?? "");
  for (const data of ["first", "the code is 4711-0815"]) {
    const value = {
      type: "custom",
      customType: "openclaw:scratchpad:notes",
      data,
      id: "0000aaaa",
      parentId,
      timestamp,
    };
    fs.appendFileSync(at("one.jsonl"), `${JSON.stringify(value)}\n`);
  }
  const done = await redactJournal(at("one.jsonl"), at("clean.jsonl"), { text: "4711-0815", requireMatch: true });
  expect(done).toMatchObject({ texts: 0, hostTexts: 0, uncounted: 1 });
  expect(bytesOf("clean.jsonl")).not.toContain("4711-0815");
});

test("a text that only a mirror has whose commit cannot be read goes, and is told", async () => {
  await written("one.jsonl", (journal) => journal.notes.set("the code is 4711-0815"));
  const lines = linesOf("one.jsonl").map((line) => line.replace('"text":"the code', '"text":"The code'));
  fs.writeFileSync(at("one.jsonl"), `${lines.join("\n")}\n`);
  const done = await redactJournal(at("one.jsonl"), at("clean.jsonl"), { text: "4711-0815", requireMatch: true });
  expect(done).toMatchObject({ texts: 0, hostTexts: 0, uncounted: 1, leftOut: 1 });
  expect(bytesOf("clean.jsonl")).not.toContain("4711-0815");
});

test("mirrors of what was counted are not counted again", async () => {
  await written("one.jsonl", async (journal) => {
    await journal.notes.set("the code is 4711-0815");
    await journal.notes.append("more");
  });
  const done = await redactJournal(at("one.jsonl"), at("clean.jsonl"), { text: "4711-0815" });
  expect(done).toMatchObject({ texts: 1, hostTexts: 0, uncounted: 0 });
});

test("two commands of which the same is left are still two, and both commits count", async () => {
  await written("one.jsonl", async (journal) => {
    await journal.notes.append("one", { command: "call sk-11112222" });
    await journal.notes.append("two", { command: "call sk-33334444" });
  });
  await redactJournal(at("one.jsonl"), at("clean.jsonl"), { pattern: /sk-\d{8}/ });
  const kinds = ["redacted", "redacted"];
  expect(await checked("clean.jsonl")).toMatchObject({ ok: true, kinds, state: { notes: "one\ntwo" } });
});

test("a secret in what a budget cut off leaves the text before the cut as it was", async () => {
  const options = { limits: { notes: 10 } };
  await written("one.jsonl", (journal) => journal.notes.set("0123456789 and 4711-0815"), options);
  await redactJournal(at("one.jsonl"), at("clean.jsonl"), { text: "4711-0815" });
  const [event] = (await checked("clean.jsonl")).events;
  expect(event).toMatchObject({ text: "0123456789", dropped: " and [redacted 9 characters]" });
});

test("a commit that would grow beyond what a line may have is redacted whole, and counts", async () => {
  await written("one.jsonl", (journal) => journal.entries.write("key", "x".repeat(60_000)));
  await redactJournal(at("one.jsonl"), at("clean.jsonl"), { pattern: /x/ });
  const { ok, kinds, state } = await checked("clean.jsonl");
  expect([ok, kinds, state.entries["key"]]).toEqual([true, ["redacted"], "[redacted 60000 characters]"]);
  for (const line of linesOf("clean.jsonl")) expect(line.length).toBeLessThan(commitLineBytesMax);
});

test("a text in a field of a commit that no release knows goes, and the commit counts", async () => {
  await written("one.jsonl", (journal) => journal.entries.write("key", "value"));
  const lines = linesOf("one.jsonl").map((line) => {
    const { data, ...entry } = JSON.parse(line);
    if (data === undefined) return line;
    const { hash: _, ...more } = { ...data, remark: "the code is 4711-0815" };
    return JSON.stringify({ ...entry, data: { ...more, hash: hashText(canonicalJson(more)) } });
  });
  fs.writeFileSync(at("one.jsonl"), `${lines.join("\n")}\n`);
  await redactJournal(at("one.jsonl"), at("clean.jsonl"), { text: "4711-0815" });
  expect(bytesOf("clean.jsonl")).not.toContain("4711-0815");
  expect((await checked("clean.jsonl")).state.entries["key"]).toBe("value");
});

test("times and hashes stay under a pattern that is for digits", async () => {
  await written("one.jsonl", async (journal) => {
    await journal.sections.write("name", "room 42", { ttlMinutes: 5 });
    await journal.entries.claim("key", { ttlSeconds: 60 });
    await journal.restore("head");
    await (await journal.fork(at("fork.jsonl"))).close();
  });
  for (const name of ["one", "fork"]) {
    const before = await checked(`${name}.jsonl`);
    await redactJournal(at(`${name}.jsonl`), at(`${name}-clean.jsonl`), { pattern: /\d/ });
    const { ok, state, events } = await checked(`${name}-clean.jsonl`);
    const { text, ...section } = state.sections["name"] ?? {};
    expect([ok, text]).toEqual([true, "room [redacted 1 characters][redacted 1 characters]"]);
    expect(section).toEqual({ at: before.state.sections["name"]?.at, ttlMinutes: 5 });
    expect(state.leases["key"]?.until).toBe(before.state.leases["key"]?.until);
    const origins = [before.events, events].map(([first]) => (first?.type === "session.forked" ? first.from.hash : ""));
    expect(origins[1]).toBe(origins[0]);
  }
});

test("a short text of a version goes as a whole line alone: in other words it stays", async () => {
  await written("one.jsonl", async (journal) => {
    await journal.notes.append("on");
    await journal.notes.append("one person");
    await journal.plan.set("on\nonly this");
  });
  const { versions } = await redactJournal(at("one.jsonl"), at("clean.jsonl"), { version: 1 });
  expect(versions).toEqual([1, 3]);
  const { state } = await checked("clean.jsonl");
  const gone = "[redacted 2 characters]";
  expect([state.notes, state.plan]).toEqual([`${gone}\none person`, `${gone}\nonly this`]);
});

test("an old runtime's value that does not count any more leaves the mirrors behind it right", async () => {
  await written("one.jsonl", (journal) => journal.notes.set("new 4711-0815"));
  const { id: parentId, timestamp } = JSON.parse(linesOf("one.jsonl").at(-1) ?? "");
  const old = { type: "custom", customType: "openclaw:scratchpad", data: "old 4711-0815", id: "0000aaaa" };
  fs.appendFileSync(at("one.jsonl"), `${JSON.stringify({ ...old, parentId, timestamp })}\n`);
  await written("one.jsonl", (journal) => journal.notes.append("more"));
  await redactJournal(at("one.jsonl"), at("clean.jsonl"), { text: "4711-0815" });
  const { ok, state } = await checked("clean.jsonl");
  expect([ok, state.notes]).toEqual([true, "new [redacted 9 characters]\nmore"]);
  const mirrors = linesOf("clean.jsonl").filter((line) => line.includes('"mirror"'));
  expect(JSON.parse(mirrors.at(-1) ?? "").data).toBe(state.notes);
});

test("a last line that has not ended is in nobody's copy: it is no event, and may end otherwise", async () => {
  await written("one.jsonl", (journal) => journal.notes.set("the code is 4711-0815"));
  fs.copyFileSync(at("one.jsonl"), at("two.jsonl"));
  await written("two.jsonl", (journal) => journal.entries.write("key", "more"));
  fs.appendFileSync(at("one.jsonl"), linesOf("two.jsonl").at(-1) ?? "");
  const { leftOut } = await redactJournal(at("one.jsonl"), at("clean.jsonl"), { text: "4711-0815" });
  expect(leftOut).toBe(1);
  const { ok, events } = await checked("clean.jsonl");
  expect([ok, events.map(({ type }) => type)]).toEqual([true, ["notes.set", "text.redacted"]]);
});

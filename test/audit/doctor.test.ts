import { appendFileSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { diagnosisOf as diagnosisFrom, Symptoms } from "../../src/audit/doctor.ts";
import type { DamageKind, Finding, NoteKind } from "../../src/audit/verify/finding.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";

const fixture = resolve(import.meta.dirname, "../../fixtures/sessions/pi-0.87.1.jsonl");

function newCopy(): string {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-doctor-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "session.jsonl");
  copyFileSync(fixture, file);
  return file;
}

async function diagnosisOf(file: string) {
  const journal = await openJournal(file, { readonly: true });
  const diagnosis = await journal.diagnose();
  await journal.close();
  return diagnosis;
}

function append(file: string, fields: object): void {
  const place = { id: crypto.randomUUID().slice(0, 8), parentId: null, timestamp: "2026-03-09T15:00:00.000Z" };
  appendFileSync(file, `${JSON.stringify({ ...fields, ...place })}\n`);
}

/** The plan of the real session ends so. */
const openStep = 'doubtful: "Changelog" is in progress since v12, turn 7, and was never touched again';

test("steps of our own plan that are doubtful are told, with the compactions that came after", async () => {
  const file = newCopy();
  const journal = await openJournal(file);
  await journal.plan.set("- [ ] Look\n- [>] Mend\n- [ ] Test");
  await journal.plan.set("- [x] Look\n- [>] Mend\n- [ ] Test");
  await journal.close();
  append(file, { type: "compaction", summary: "s", tokensBefore: 9 });
  append(file, { type: "model_change", provider: "p", modelId: "m" });
  const { doubtful, advice } = await diagnosisOf(file);
  expect(doubtful).toMatchObject([
    { text: "Look", doubt: "never begun", version: 15 },
    { text: "Mend", doubt: "left in progress", version: 14, compactions: 1 },
  ]);
  expect(advice).toEqual(
    expect.arrayContaining([
      'doubtful: "Look" was completed in v15, turn 9, without ever having been in progress',
      'doubtful: "Mend" is in progress since v14, turn 9, and was never touched again, and a compaction came after it',
    ]),
  );
});

test("secrets in the host's lines are told with their first line, however they are escaped, and not repeated", async () => {
  const file = newCopy();
  expect((await diagnosisOf(file)).hostSecrets).toBeUndefined();
  const lines = readFileSync(file, "utf8").split("\n").length - 1;
  const token = `ghp_${"16C7e42F292c6912E7710c83"}8347Ae178B4a`;
  const message = (text: string) => ({ type: "message", message: { role: "user", content: text } });
  append(file, message("use gh and sk- with \\u care"));
  append(file, message(`use ${token}`));
  append(file, message(JSON.stringify({ key: `${token}ESCAPED` })));
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace("ghp_16C7e42F292c6912E7710c838347Ae178B4aESCAPED", `\\\\u0067${token.slice(1)}`),
  );
  const { ok, secrets, hostSecrets, advice } = await diagnosisOf(file);
  expect({ ok, secrets }).toEqual({ ok: true });
  expect(hostSecrets).toEqual({ kinds: ["GitHub token"], lines: 2, first: lines + 2, last: lines + 3 });
  expect(advice).toContainEqual(
    expect.stringMatching(/^secrets: .*2 lines of the host's, first in line .*redact <session>/),
  );
  expect(JSON.stringify(advice)).not.toContain(token.slice(1));
});

test("of a plan that never marks what is in progress nothing is doubtful, nor of a restored one what its record bears out", async () => {
  const journal = await openJournal(memoryStore());
  await journal.plan.set("1. Look\n2. Mend");
  await journal.plan.set("1. ~~Look~~\n2. Mend");
  expect((await journal.diagnose()).doubtful).toBeUndefined();
  await journal.plan.set("- [>] Look");
  await journal.plan.set("- [x] Look");
  await journal.restore("v3");
  await journal.plan.set("- [x] Look");
  expect((await journal.diagnose()).doubtful).toBeUndefined();
  await journal.close();
});

test("every line is counted once, under who wrote it", async () => {
  const file = newCopy();
  const journal = await openJournal(file, { actor: "agent-a" });
  await journal.notes.set("n");
  await journal.refs.add("r");
  await journal.entries.write("k", "v");
  await journal.close();
  append(file, { type: "custom", customType: "todo-extension", data: {} });
  const { session, lines = [], writers, ok, advice } = await diagnosisOf(file);
  expect(session).toMatchObject({ version: 3, cwd: "/home/dev/acme-auth" });
  expect(lines.map(({ by }) => by)).toEqual([
    "pi",
    "a runtime with the single key",
    "a runtime with three keys",
    "session-journal",
    "an extension, todo-extension",
  ]);
  expect(lines.reduce((sum, count) => sum + count.lines, 1)).toBe(
    readFileSync(file, "utf8").trimEnd().split("\n").length,
  );
  for (const { lines: count, kinds, first, last } of lines) {
    expect(Object.values(kinds).reduce((sum, each) => sum + each, 0)).toBe(count);
    expect(last - first).toBeGreaterThanOrEqual(count - 1);
  }
  expect(lines[0]?.kinds).toMatchObject({ "message (user)": 9, compaction: 1, branch_summary: 1, session_info: 1 });
  expect(lines[3]?.kinds).toEqual({ commit: 3, mirror: 2 });
  expect(writers).toMatchObject([
    { runtime: "session-journal", events: 3, first: 14, last: 16, actors: ["agent-a"] },
    { runtime: "a runtime with three keys", events: 12, first: 2, last: 13 },
    { runtime: "a runtime with the single key", events: 1, first: 1, last: 1 },
  ]);
  expect([ok, advice]).toEqual([true, [openStep]]);
});

test("looking changes nothing", async () => {
  const file = newCopy();
  const before = statSync(file);
  const bytes = readFileSync(file);
  await diagnosisOf(file);
  const after = statSync(file);
  expect(readFileSync(file).equals(bytes)).toBe(true);
  expect([after.mtimeMs, after.ctimeMs, after.size]).toEqual([before.mtimeMs, before.ctimeMs, before.size]);
});

test("a journal of another namespace is named, with how to look at it", async () => {
  const file = newCopy();
  const journal = await openJournal(file, { namespace: "acme:pad" });
  await journal.notes.set("n");
  await journal.close();
  expect((await diagnosisOf(file)).advice).toEqual([
    openStep,
    "there may be another journal under the namespace acme:pad: look at it with --namespace acme:pad",
  ]);
});

test("an older file is named with what its client will do to it", async () => {
  const file = newCopy();
  writeFileSync(file, readFileSync(file, "utf8").replace('"version":3', '"version":2'));
  expect((await diagnosisOf(file)).advice.join()).toMatch(/version 2: a newer client rewrites it/);
});

test("a value that changed nothing is pointed out", async () => {
  const file = newCopy();
  append(file, { type: "custom", customType: "openclaw:scratchpad:notes", data: 7 });
  const { advice, ok } = await diagnosisOf(file);
  expect([ok, advice.join()]).toEqual([true, expect.stringMatching(/changed nothing/)]);
});

test("lines that nobody can read are counted as nobody's", async () => {
  const file = newCopy();
  appendFileSync(file, 'not json\n{"type":"message"\n{"type":"novelty","id":"0badcafe"}\n');
  const { lines = [] } = await diagnosisOf(file);
  expect(lines.find(({ by }) => by === "nobody that can be told")?.lines).toBe(2);
  expect(lines[0]?.kinds).toMatchObject({ "novelty, unknown": 1 });
});

test("a backend without lines is diagnosed by its events", async () => {
  const journal = await openJournal(memoryStore());
  await journal.notes.set("n");
  const diagnosis = await journal.diagnose();
  expect(diagnosis).toEqual({
    ok: true,
    writers: [{ runtime: "session-journal", events: 1, first: 1, last: 1, actors: ["agent"] }],
    findings: [],
    advice: ["nothing"],
  });
  await journal.close();
});

const kinds: { readonly [Kind in NoteKind | DamageKind]: Finding["severity"] } = {
  torn: "note",
  inherited: "note",
  duplicate: "note",
  fork: "damage",
  foreign: "note",
  sealed: "note",
  redacted: "note",
  corrupt: "damage",
  hash: "damage",
  gap: "damage",
  mirror: "damage",
  unknown_event: "damage",
  tree: "damage",
  head: "damage",
  snapshot: "damage",
};

test.each(Object.entries(kinds))("a finding %s is explained with what to do, once", async (kind, severity) => {
  const finding = { kind, severity, offset: 0, line: 1, detail: "" } as Finding;
  const verification = { ok: severity === "note", findings: [finding, finding], head: { version: 0, hash: "" } };
  const { advice, findings } = diagnosisFrom(new Symptoms(), verification);
  expect(findings).toHaveLength(2);
  expect(advice).toHaveLength(1);
  expect(advice[0]).toMatch(new RegExp(`^${kind}: .+[;,:] .+`));
});

test("a compaction that a rewind of pi's left behind is none that came after a step of our own plan", async () => {
  const file = newCopy();
  const journal = await openJournal(file);
  await journal.plan.set("- [>] Mend");
  await journal.close();
  const entry = (id: string, parentId: string, fields: object) =>
    appendFileSync(file, `${JSON.stringify({ ...fields, id, parentId, timestamp: "2026-03-09T15:00:00.000Z" })}\n`);
  const said = { type: "message", message: { role: "user", content: "Go on" } };
  const newest = JSON.parse(readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "").id;
  entry("f0000001", newest, said);
  entry("f0000002", "f0000001", { type: "compaction", tokensBefore: 9 });
  const mending = async () => (await diagnosisOf(file)).advice.find((line) => line.includes('"Mend"'));
  expect(await mending()).toMatch(/and a compaction came after it$/);
  entry("f0000003", "f0000001", said);
  expect(await mending()).toMatch(/never touched again$/);
  entry("f0000004", "f0000002", said);
  expect(await mending()).toMatch(/and a compaction came after it$/);
});

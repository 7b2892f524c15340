/** A secret that was written down must be gone from the copy, and the rest must prove what it proved. */
import { spawnSync } from "node:child_process";
import { createHmac } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryStore, openJournal, redactJournal } from "../../src/index.ts";
import type { Journal } from "../../src/journal/public.ts";
import { allOf } from "../../src/journal/readings.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { Session } from "../fixtures/session.ts";
import { MadeClaude } from "../lens/claude-made.ts";

/** Made here, so that no scanner of this repository takes it for one. */
const secret = ["hunter2", 'quo"te', "tab\tand", "\u2028ü😀"].join("-");

let folder = "";
let count = 0;
beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-redact-"));
});
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

function fresh(name = "file.jsonl"): string {
  count += 1;
  fs.mkdirSync(path.join(folder, String(count)));
  return path.join(folder, String(count), name);
}

/** Every text that the bytes of a place hold, however JSON writes it, and however often it is written inside another. */
function textsIn(where: string): string {
  const bytes = fs.readdirSync(path.dirname(where), { recursive: true, withFileTypes: true });
  const files = bytes.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  let all = files.map((file) => fs.readFileSync(file, "utf8")).join("\n");
  for (let round = 0; round < 3; round++) all += `\n${unescaped(all.slice(-4_000_000))}`;
  return all;
}

function unescaped(text: string): string {
  const plain: Record<string, string> = { n: "\n", t: "\t", r: "\r", b: "\b", f: "\f" };
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, hex?: string, char = "") =>
    hex === undefined ? (plain[char] ?? char) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

async function holding(file: string, options: OpenOptions = {}): Promise<string> {
  const session = new Session(file, "6f1d2c3b-0000-4000-8000-00000000000d");
  session.user(`my password is ${secret}`);
  session.host("message", {
    message: { role: "assistant", content: [{ type: "toolCall", arguments: JSON.stringify({ content: secret }) }] },
  });
  const twice = `"note":${escapedAll(secret)},"note":"harmless"`;
  session.append(`{"type":"label",${twice},"id":"0000aaaa","parentId":"00000002","timestamp":"${session.now()}"}
`);
  session.host("custom", { customType: "openclaw:scratchpad:plan", data: `1. use ${secret}` }, "0000aaaa");
  const journal = await openJournal(file, { durability: "os", limits: { notes: 30, refs: 1 }, ...options });
  await journal.notes.set("first");
  await journal.notes.append(secret);
  await journal.notes.set(`${"x".repeat(30)}${secret}`);
  await journal.notes.append(`too long, and ${secret}`);
  await journal.refs.add(secret);
  await journal.refs.add("second");
  await journal.entries.write("key", `a ${secret} b`, {});
  await journal.sections.write("name", secret);
  await journal.plan.set("1. plain", { command: `call ${secret}`, actor: `me ${secret}` });
  await journal.restore("v3");
  await journal.plan.set("last");
  await journal.snapshot();
  await journal.close();
  return file;
}

/** Each character as an escape. */
function escapedAll(text: string): string {
  return `"${[...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")}"`;
}

async function read<Result>(where: string, use: (journal: Journal) => Promise<Result>, options: OpenOptions = {}) {
  const journal = await openJournal(where, { readonly: true, ...options });
  return use(journal).finally(() => journal.close());
}

async function historyOf(where: string, options: OpenOptions = {}) {
  return read(where, (journal) => allOf(journal.history()), options);
}

describe.each([
  ["a plain journal", {}],
  ["a sealed one", { seal: "a key" }],
] as const)("%s", (_, seal) => {
  test("nothing of the text is left in the copy, its mirrors and its snapshot", async () => {
    const source = await holding(fresh(), seal);
    const target = fresh();
    const before = fs.readFileSync(source);
    expect(textsIn(source)).toContain(secret);
    const { texts, versions, leftOut } = await redactJournal(source, target, { text: secret, ...seal });
    const copy = await openJournal(target, { durability: "os", ...seal });
    await copy.snapshot();
    await copy.close();
    expect(textsIn(target)).not.toContain(secret);
    expect(textsIn(target)).not.toContain("hunter2");
    expect([texts, versions, leftOut]).toEqual([9, [1, 3, 4, 5, 6, 7, 8, 9, 10, 11], 0].with(0, versions.length));
    expect(fs.readFileSync(source)).toEqual(before);
  });

  test("versions, times, turns and what was not redacted stay; verify lists what was", async () => {
    const source = await holding(fresh(), seal);
    const target = fresh();
    const kept = await read(source, async ({ head }) => head, seal);
    await redactJournal(source, target, { text: secret, ...seal });
    const [one, other] = [await historyOf(source, seal), await historyOf(target, seal)];
    const plain = ({ version, at, turn, commit, entryId }: (typeof one)[number]) => ({
      version,
      at,
      turn,
      commit,
      entryId,
    });
    expect(other.slice(0, -1).map(plain)).toEqual(one.map(plain));
    expect(other.at(-1)?.event.type).toBe("text.redacted");
    const { ok, findings } = await read(target, (journal) => journal.verify({ head: kept }), seal);
    expect([ok, findings.map(({ kind }) => kind)]).toEqual([true, Array(9).fill("redacted")]);
    const lines = (file: string) => fs.readFileSync(file, "utf8").split("\n");
    const same = lines(target).filter((line) => line.includes(":events") && lines(source).includes(line));
    expect(same.length, "the first commit and the last").toBe(2);
    const states = await read(target, async ({ state }) => state, seal);
    expect(states.refs).toEqual(["second"].slice(0, states.refs.length));
  });

  test("redacted again, and gone on with, it is still linked", async () => {
    const source = await holding(fresh(), seal);
    const [once, twice] = [fresh(), fresh()];
    await redactJournal(source, once, { text: secret, ...seal });
    const journal = await openJournal(once, { durability: "os", ...seal });
    await journal.notes.append("after");
    await journal.close();
    await redactJournal(once, twice, { pattern: /first|after|last/, reason: "the last", ...seal });
    const { ok, findings } = await read(twice, (copy) => copy.verify(), seal);
    expect([ok, new Set(findings.map(({ kind }) => kind))]).toEqual([true, new Set(["redacted"])]);
    const [last] = (await historyOf(twice, seal)).slice(-1);
    expect(last?.event).toMatchObject({ type: "text.redacted", reason: "the [redacted 4 characters]" });
    expect(textsIn(twice)).not.toMatch(/first|after"/);
  });
});

test("the reader in Python says the same of the copy", async () => {
  const target = fresh();
  await redactJournal(await holding(fresh()), target, { text: secret });
  const reader = path.resolve(import.meta.dirname, "../../docs/reader.py");
  const { stdout } = spawnSync("python3", [reader, target], { encoding: "utf8" });
  const told = JSON.parse(stdout) as { version: number; head: string; turn: number; state: unknown };
  const here = await read(target, async ({ version, head, turn, state }) => ({
    version,
    head: head.hash,
    turn,
    state,
  }));
  expect({ ...told, findings: undefined }).toEqual({ ...JSON.parse(JSON.stringify(here)), findings: undefined });
});

test("a database and memory take the copy, and the source may be either", async () => {
  const source = await holding(fresh());
  const database = fresh("journals.db");
  const { version, texts } = await redactJournal(source, `sqlite:${database}#6f1d2c3b-0000-4000-8000-00000000000d`, {
    text: secret,
  });
  expect(textsIn(database)).not.toContain("hunter2");
  const place = `sqlite:${database}#6f1d2c3b-0000-4000-8000-00000000000d`;
  const { ok, findings } = await read(place, (journal) => journal.verify());
  expect([ok, findings.every(({ kind }) => kind === "redacted"), findings.length]).toEqual([true, true, 9]);
  const memory = memoryStore({ sessionId: "6f1d2c3b-0000-4000-8000-00000000000d" });
  const again = await redactJournal(place, memory, { text: "last" });
  expect([texts > 8, again.version, again.versions]).toEqual([true, version + 1, [12]]);
  const fromMemory = fresh();
  await redactJournal(memory, fromMemory, { text: "plain" });
  expect((await read(fromMemory, (journal) => journal.verify())).ok).toBe(true);
});

test("the digest of a text is of the key and the text", async () => {
  const target = fresh();
  const { key = "" } = await redactJournal(await holding(fresh()), target, { text: "last" });
  const [last] = (await historyOf(target)).slice(-1);
  const digest = createHmac("sha256", key).update("last").digest("hex");
  expect(last?.event).toMatchObject({ versions: [12], space: "plan", digests: [digest] });
  expect(textsIn(target)).not.toContain(key);
  const own = await redactJournal(await holding(fresh()), fresh(), { text: "first", key: "mine" });
  expect(own.key).toBeUndefined();
});

test("a text that came about line by line, and one that an edit completed", async () => {
  const source = fresh();
  const journal = await openJournal(source, { durability: "os" });
  const body = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"];
  const [begin, end] = ["BEGIN", "END"].map((word) => `-----${word} PRIVATE KEY-----`);
  for (const line of ["note", begin, ...body, end, "more"]) await journal.notes.append(String(line));
  await journal.plan.set("pass=XXXX;");
  await journal.refs.add("other");
  await journal.notes.edit({ operation: "find_replace", find: "note", replace: "pass=" });
  await journal.notes.edit({ operation: "find_replace", find: "pass=", replace: "pass=abcd" });
  await journal.notes.edit({ operation: "find_replace", find: "=abcd", replace: "=zz-42" });
  await journal.close();
  const target = fresh();
  await redactJournal(source, target, { secrets: true, text: "pass=zz-42" });
  const texts = textsIn(target);
  for (const part of [...body, "PRIVATE KEY", "pass=zz-42"]) expect(texts).not.toContain(part);
  expect(texts).toContain("more");
  expect(
    (await read(target, (copy) => copy.verify())).findings.filter(({ severity }) => severity === "damage"),
  ).toEqual([]);
});

test("a budget cut through a secret, and both pieces of it stay, or the doctor does not see it", async () => {
  const [source, target] = [fresh(), fresh()];
  const token = `gh${"p_"}${"a1B2".repeat(9)}`;
  const journal = await openJournal(source, { durability: "os", limits: { notes: 40, plan: 16 } });
  await journal.notes.set(`the key is ${token}, keep it`);
  await journal.plan.set(`1. use ${token}`);
  await journal.plan.set("2. go on");
  await journal.restore("v1");
  const { secrets } = await journal.diagnose();
  const found = { kind: "GitHub token", field: "text", length: 40 };
  expect(secrets).toMatchObject([
    { ...found, version: 1, column: 12 },
    { ...found, version: 2, column: 8 },
  ]);
  await journal.close();
  const { texts, versions } = await redactJournal(source, target, { secrets: true });
  expect([texts, versions]).toEqual([3, [1, 2, 4]]);
  expect(textsIn(target)).not.toMatch(/ghp_|a1B2/);
  const [notes, plan] = await historyOf(target);
  const first = { text: "the key is [redacted 29 characters]", dropped: "[redacted 11 characters], keep it" };
  expect([notes?.event, plan?.event]).toMatchObject([
    first,
    { text: "1. use [redacted 9 characters]", dropped: "[redacted 31 characters]" },
  ]);
  const { ok, findings } = await read(target, (copy) => copy.verify());
  expect([ok, findings.length]).toEqual([true, 3]);
});

test("every text of a version goes, wherever it is repeated", async () => {
  const source = fresh();
  const journal = await openJournal(source, { durability: "os" });
  for (const text of ["before", "the code is 4711", "1234", "after"]) await journal.notes.append(text);
  await journal.restore("v3");
  await journal.close();
  const target = fresh();
  const { versions } = await redactJournal(source, target, { version: [2, 3] });
  expect(versions).toEqual([2, 3, 5]);
  const { state } = await read(target, (copy) => copy.at("v4"));
  expect(state.notes).toBe("before\n[redacted 16 characters]\n[redacted 4 characters]\nafter");
  expect(textsIn(target)).not.toMatch(/code is|"1234|\n1234/);
});

test("a pattern that matches everything, and what stands in its place", async () => {
  const source = fresh();
  const journal = await openJournal(source, { durability: "os" });
  for (let at = 0; at < 5; at++) await journal.notes.append(`${"12 ".repeat(700)}${at}`);
  await journal.notes.edit({ operation: "delete", find: "12" });
  await journal.close();
  const target = fresh();
  await redactJournal(source, target, { pattern: /./ });
  const { ok, version } = await read(target, async (copy) => ({ ok: (await copy.verify()).ok, version: copy.version }));
  expect([ok, version]).toEqual([true, 7]);
});

test("nothing is written where it cannot be whole, or nothing is to go", async () => {
  const source = await holding(fresh());
  const sealed = await holding(fresh(), { seal: "a key" });
  const target = fresh();
  for (const none of [{}, undefined as never])
    await expect(redactJournal(source, target, none)).rejects.toThrow("say what is to go");
  await expect(redactJournal(source, target, { pattern: "(" })).rejects.toThrow('option "pattern"');
  await expect(redactJournal(source, target, { version: 99 })).rejects.toMatchObject({ code: "bad_point" });
  await expect(redactJournal(sealed, target, { text: "first" })).rejects.toMatchObject({ code: "readonly" });
  await expect(redactJournal(sealed, target, { text: "first", seal: "no" })).rejects.toMatchObject({ code: "storage" });
  const nowhere = { text: "nowhere at all", requireMatch: true };
  await expect(redactJournal(source, target, nowhere)).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  const other = `sqlite:${path.join(path.dirname(target), "journals.db")}#another`;
  await expect(redactJournal(source, other, { text: "first" })).rejects.toThrow("is session another, and only");
  expect(fs.readdirSync(path.dirname(target))).toEqual([]);
  await expect(redactJournal(source, source, { text: "first" })).rejects.toMatchObject({ code: "storage" });
});

test("a name beside a value of an older runtime that keeps a text is told", async () => {
  const file = fresh();
  const session = new Session(file, "6f1d2c3b-0000-4000-8000-00000000000d");
  session.host("custom", { customType: "openclaw:scratchpad:notes", data: "has hunter2", hunter2: 1 }, "0000aaaa");
  const { texts, hostKept } = await redactJournal(file, fresh(), { text: "hunter2" });
  expect({ texts, hostKept }).toEqual({ texts: 1, hostKept: 1 });
});

test("a card number that a tool was given as a number", async () => {
  const file = fresh();
  const session = new Session(file, "6f1d2c3b-0000-4000-8000-00000000000d");
  const call = { type: "toolCall", id: "call", name: "pay", arguments: { card: 4711081547110815 } };
  session.host("message", { message: { role: "assistant", content: [call], usage: { input: 4711 } } });
  const target = fresh();
  const { hostTexts } = await redactJournal(file, target, { text: "4711081547110815", requireMatch: true });
  expect(hostTexts).toBe(1);
  expect(textsIn(target)).not.toContain("4711081547110815");
});

test.each([{ text: "4711081547110815" }, { version: 3 }])(
  "a number in what a refused call was given: %o",
  async (wish) => {
    const made = new MadeClaude();
    made.prompt("Begin");
    const call = made.call("TodoWrite", { todos: [], cards: [4711081547110815], "why 4711081547110815": "asked" });
    made.result(call, "Error: no list", { isError: true });
    const [source, target] = [fresh("session-1.jsonl"), fresh()];
    fs.writeFileSync(source, made.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const { versions } = await redactJournal(source, target, { ...wish, key: "key".repeat(8) });
    expect(versions).toEqual([3]);
    const events = await read(target, (copy) => allOf(copy.history()));
    expect(events[2]?.event).toMatchObject({ offered: { input: { cards: ["[redacted 16 characters]"] } } });
    expect((await read(target, (copy) => copy.verify())).ok).toBe(true);
  },
);

test("what a refused call offered goes with its version, wherever it is repeated", async () => {
  const [file, target] = [fresh(), fresh()];
  const session = new Session(file, "6f1d2c3b-0000-4000-8000-00000000000d");
  session.user("append too much-4711");
  const journal = await openJournal(file, { durability: "os", limits: { notes: 5 } });
  expect((await journal.notes.append("too much-4711")).code).toBe("over_budget");
  await journal.close();
  const { hostTexts } = await redactJournal(file, target, { version: 1 });
  expect(hostTexts).toBe(1);
  expect(textsIn(target)).not.toContain("too much");
});

test("a number that a refused action of ours has stays: a repeated command is known by it", async () => {
  const [file, target] = [fresh(), fresh()];
  const claim = (journal: Journal) =>
    journal.apply({ action: "entries.claim", key: "k", ttlSeconds: 4711 }, { actor: "two", command: "again" });
  const journal = await openJournal(file, { durability: "os" });
  await journal.entries.claim("k", { ttlSeconds: 600 });
  expect((await claim(journal)).code).toBe("held");
  await journal.close();
  await redactJournal(file, target, { pattern: /4711/ });
  const copy = await openJournal(target, { durability: "os" });
  expect((await claim(copy)).code).toBe("held");
  await copy.close();
});

test("a version of which an earlier redaction left nothing does not rename what is gone elsewhere", async () => {
  const [file, once, again] = [fresh(), fresh(), fresh()];
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.set("4711-0815");
  await journal.plan.set("- [ ] call 4711-0815");
  await journal.close();
  await redactJournal(file, once, { text: "4711-0815" });
  const { texts } = await redactJournal(once, again, { version: 1 });
  expect(texts).toBe(0);
  expect((await read(again, async ({ state }) => state)).plan).toBe("- [ ] call [redacted 9 characters]");
});

test("what stands around an earlier redaction goes wherever it is repeated, too", async () => {
  const file = fresh();
  const note = "first 4711-0815 and then the second-code";
  const session = new Session(file, "6f1d2c3b-0000-4000-8000-00000000000d");
  session.user(note);
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.set(note);
  await journal.close();
  const [once, ofVersion, ofText] = [fresh(), fresh(), fresh()];
  await redactJournal(file, once, { text: "4711-0815" });
  await redactJournal(once, ofVersion, { version: 1 });
  const left = "first [redacted 9 characters] and then the second";
  const { texts, hostTexts } = await redactJournal(once, ofText, { text: left });
  expect([texts, hostTexts]).toEqual([1, 1]);
  for (const target of [ofVersion, ofText]) expect(textsIn(target)).not.toMatch(/first|second|redacted 9/);
  for (const target of [ofVersion, ofText]) expect((await read(target, (copy) => copy.verify())).ok).toBe(true);
});

test.each([
  ["plain", {}],
  ["sealed", { seal: "a key" }],
])("the %s journal of another namespace in the file counts as before, without the text", async (_, seal) => {
  const file = fresh();
  const other = { namespace: "acme:pad", durability: "os", ...seal } as const;
  for (const options of [{ durability: "os", ...seal } as const, other]) {
    const journal = await openJournal(file, options);
    await journal.plan.set("1. plain");
    await journal.notes.set("the code is 4711-0815");
    await journal.notes.append("more");
    await journal.close();
  }
  const target = fresh();
  const { texts, hostTexts } = await redactJournal(file, target, { text: "4711-0815", ...seal });
  expect([texts, hostTexts]).toEqual([1, 1]);
  expect(textsIn(target)).not.toContain("4711-0815");
  for (const options of [seal, { namespace: "acme:pad", ...seal }]) {
    const { ok, findings } = await read(target, (copy) => copy.verify(), options);
    expect([ok, findings.map(({ kind }) => kind)]).toEqual([true, ["redacted"]]);
    const { state } = await read(target, (copy) => copy.at("v3"), options);
    expect(state.notes).toBe("the code is [redacted 9 characters]\nmore");
  }
});

const other = { namespace: "acme:pad", durability: "os" } as const;

async function besideAnother(texts: readonly string[]): Promise<string> {
  const file = fresh();
  await writtenIn(file, { durability: "os" }, ["a host note"]);
  await writtenIn(file, other, texts);
  return file;
}

async function writtenIn(file: string, options: OpenOptions, texts: readonly string[]): Promise<void> {
  const journal = await openJournal(file, options);
  for (const text of texts) await journal.notes.append(text);
  await journal.close();
}

async function otherIn(file: string) {
  const journal = await openJournal(file, { ...other, readonly: true });
  const { ok } = await journal.verify();
  const { notes } = journal.state;
  await journal.close();
  return { ok, notes };
}

test("a pattern that hashes and types of another namespace's commits match leaves these commits right", async () => {
  const [target, digits] = [fresh(), "0123456789abcdef".repeat(2)];
  const file = await besideAnother(["one", `the key ${digits}`]);
  await redactJournal(file, target, { pattern: [/[0-9a-f]{32}/, "notes"] });
  expect(await otherIn(target)).toEqual({ ok: true, notes: "one\nthe key [redacted 32 characters]" });
});

test("the journal of another namespace that was gone on with in a copy is still linked when it is redacted again", async () => {
  const [once, again] = [fresh(), fresh()];
  await redactJournal(await besideAnother(["first-secret and second-secret"]), once, { text: "first-secret" });
  await writtenIn(once, other, ["more"]);
  await redactJournal(once, again, { text: "second-secret" });
  const notes = "[redacted 12 characters] and [redacted 13 characters]\nmore";
  expect(await otherIn(again)).toEqual({ ok: true, notes });
});

test("a text that came about line by line in the journal of another namespace is not left in what it adds up to", async () => {
  const target = fresh();
  await redactJournal(await besideAnother(["first line", "second line"]), target, { text: "first line\nsecond line" });
  const notes = "[redacted 10 characters]\n[redacted 11 characters]";
  expect(await otherIn(target)).toEqual({ ok: true, notes });
});

test("lines of a text that came about in another namespace's journal go from the host's messages and one's own, too", async () => {
  const [file, target] = [await besideAnother(["first line", "second line"]), fresh()];
  fs.appendFileSync(file, '{"type":"message","id":"m1","message":{"role":"user","content":"note the first line"}}\n');
  await writtenIn(file, { durability: "os" }, ["what the second line says"]);
  const { texts, hostTexts } = await redactJournal(file, target, { text: "first line\nsecond line" });
  expect([texts, hostTexts]).toEqual([1, 3]);
  expect(textsIn(target)).not.toMatch(/first line|second line/);
  expect((await otherIn(target)).ok).toBe(true);
});

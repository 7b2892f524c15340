/** What the options of a session file promise. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { commitLine, linkCommit } from "../../../src/line/encode.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { encodeContext } from "../../line/lines.ts";
import { recordResult } from "../../reliability/results.ts";
import { linesOf, useFolder } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();
const at = "2026-11-21T20:00:00.000Z";

function notes(text: string, command?: string) {
  const event = { type: "notes.set", text } as const;
  return { event, actor: "agent", ...(command === undefined ? {} : { command }) };
}

describe("a file that we create", () => {
  const umask = process.umask();
  afterEach(() => process.umask(umask));

  test.each([0o000, 0o022, 0o077])("is its owner's alone under umask %o", async (mask) => {
    process.umask(mask);
    await folder.reader(folder.path("session.jsonl")).append(notes("n"));
    const mode = (name: string): number => fs.statSync(folder.path(name)).mode & 0o777;
    expect(mode("session.jsonl")).toBe(0o600);
    expect(mode(".session-journal")).toBe(0o700);
  });

  test("starts with exactly the header that its host expects", async () => {
    const file = folder.path("session.jsonl");
    await folder.reader(file, { cwd: "/home/dev/acme" }).catchUp();
    const [header, ...rest] = fs.readFileSync(file, "utf8").split("\n");
    expect(Object.keys(JSON.parse(header as string) as object)).toEqual(["type", "version", "id", "timestamp", "cwd"]);
    expect(JSON.parse(header as string)).toMatchObject({ type: "session", version: 3, cwd: "/home/dev/acme" });
    expect(rest).toEqual([""]);
  });

  test("is made once, however many open it at once", async () => {
    const file = folder.path("session.jsonl");
    await Promise.all(Array.from({ length: 8 }, () => folder.reader(file).catchUp()));
    expect(linesOf(file).filter(({ type }) => type === "session")).toHaveLength(1);
  });

  test("leaves nothing beside it that a host would list as a session", async () => {
    const file = folder.path("session.jsonl");
    await folder.reader(file).append(notes("n"));
    const all = fs.readdirSync(folder.path(), { recursive: true }).map(String);
    expect(all.filter((name) => name.endsWith(".jsonl"))).toEqual(["session.jsonl"]);
  });
});

test("readonly changes nothing: no byte, no time, no side folder", async () => {
  const session = folder.session();
  session.value(":notes", "theirs");
  session.append('{"torn');
  const old = new Date("2020-01-01T00:00:00Z");
  fs.utimesSync(session.file, old, old);
  const bytes = fs.readFileSync(session.file);
  fs.utimesSync(session.file, old, old);
  const before = timesOf(session.file);
  const journal = await openJournal(session.file, { readonly: true });
  await journal.refresh();
  await journal.verify();
  await journal.at("v1");
  for await (const _ of journal.history());
  await expect(journal.notes.set("mine")).rejects.toMatchObject({ code: "readonly" });
  await journal.close();
  expect(timesOf(session.file)).toEqual(before);
  expect(fs.readFileSync(session.file).equals(bytes)).toBe(true);
  expect(fs.readdirSync(folder.path())).toEqual(["session.jsonl"]);
  recordResult({
    suite: "store/session-file/options.test.ts",
    claim: "opening, refreshing, verifying and looking back change nothing",
    size: "a session with a torn tail",
    outcome: "no byte, no time, no side file",
  });
});

/** That of the last access only where the system lets a reader leave it alone. */
function timesOf(file: string) {
  const { atimeMs, mtimeMs, ctimeMs } = fs.statSync(file);
  return { mtimeMs, ctimeMs, ...(fs.constants.O_NOATIME === undefined ? {} : { atimeMs }) };
}

test("a folder that may not be written to is still read", async () => {
  const session = folder.session();
  session.value(":notes", "theirs");
  const mkdir = vi.spyOn(fs, "mkdirSync").mockImplementation(() => {
    throw Object.assign(new Error("read-only"), { code: "EROFS" });
  });
  try {
    const reader = folder.reader(session.file);
    await reader.catchUp();
    expect(reader.state.notes).toBe("theirs");
    await reader.append(notes("mine"));
    expect(reader.state.notes).toBe("mine");
  } finally {
    mkdir.mockRestore();
  }
});

describe("strict", () => {
  const damage: readonly (readonly [string, (file: string) => void])[] = [
    [
      "a line of ours that cannot be read",
      (file) => fs.appendFileSync(file, '{"type":"custom","customType":"openclaw:scratchpad:events","data":{}}\n'),
    ],
    [
      "a commit whose hash is wrong",
      (file) => fs.writeFileSync(file, fs.readFileSync(file, "utf8").replaceAll('"text":"two"', '"text":"2"')),
    ],
    [
      "a commit that is missing",
      (file) =>
        fs.writeFileSync(
          file,
          fs
            .readFileSync(file, "utf8")
            .split("\n")
            .filter((line) => !line.includes('"text":"one"'))
            .join("\n"),
        ),
    ],
  ];

  async function twoCommits(): Promise<string> {
    const { file } = folder.session();
    const reader = folder.reader(file, { mirror: false });
    await reader.append(notes("one"));
    await reader.append(notes("two"));
    return file;
  }

  test.each(damage)("throws at each reading where there is %s, with its place", async (_, damaged) => {
    const file = await twoCommits();
    damaged(file);
    const reader = folder.reader(file, { strict: true });
    for (let time = 0; time < 2; time++) {
      await expect(reader.catchUp()).rejects.toMatchObject({ code: "corrupt_entry", place: { file } });
      await expect(reader.append(notes("three"))).rejects.toMatchObject({ code: "corrupt_entry" });
    }
    const lax = folder.reader(file);
    await lax.append(notes("three"));
    expect(lax.state.notes).toBe("three");
  });

  test.each(damage)("throws at each reading, too, where %s comes later", async (_, damaged) => {
    const file = await twoCommits();
    const reader = folder.reader(file, { strict: true });
    await reader.catchUp();
    damaged(file);
    const { size } = fs.statSync(file);
    for (let time = 0; time < 2; time++) {
      await expect(reader.catchUp()).rejects.toMatchObject({ code: "corrupt_entry" });
      await expect(reader.append(notes("three"))).rejects.toMatchObject({ code: "corrupt_entry" });
    }
    expect(fs.statSync(file).size).toBe(size);
  });

  test("throws where a message that is no UTF-8 holds a name of ours, however long the file is", async () => {
    for (const rest of ["", "x".repeat(20_000)]) {
      const session = folder.session();
      session.agent(rest);
      const [, message = ""] = fs.readFileSync(session.file, "utf8").split("\n");
      const claim = message.replace('"role"', '"a":{"customType":"openclaw:scratchpad:events"},"b":"\xe3","role"');
      fs.appendFileSync(session.file, `${claim}\n`, "latin1");
      const failed = folder.reader(session.file, { strict: true }).catchUp();
      await expect(failed).rejects.toMatchObject({ code: "corrupt_entry", place: { file: session.file } });
      expect((await verifyFile(session.file)).findings.map(({ kind }) => kind)).toEqual(["corrupt"]);
    }
  });

  test("does not mind a line that a crash cut off and the next writer ended", async () => {
    const file = await twoCommits();
    const text = fs.readFileSync(file, "utf8");
    fs.writeFileSync(file, text.slice(0, -60));
    await folder.reader(file).append(notes("three"));
    expect((await verifyFile(file)).ok).toBe(true);
    await folder.reader(file, { strict: true }).append(notes("four"));
  });

  test("does not mind commits that a branch into a new file left behind, but one that is missing later", async () => {
    const file = await twoCommits();
    await folder.reader(file, { mirror: false }).append(notes("three"));
    const [header = "", one, two, three] = fs.readFileSync(file, "utf8").split("\n");
    const branched = `${header.slice(0, -1)},"parentSession":"/home/dev/acme/old.jsonl"}`;
    const readStrictly = (...lines: (string | undefined)[]) => {
      fs.writeFileSync(file, [branched, ...lines, ""].join("\n"));
      return folder.reader(file, { strict: true }).catchUp();
    };
    expect(await readStrictly(two, three)).toMatchObject({ version: 3 });
    await expect(readStrictly(one, three)).rejects.toMatchObject({ code: "corrupt_entry" });
  });

  test("does not mind what is no damage", async () => {
    const session = folder.session();
    session.append('{"type":"custom","customType":"openclaw:scratchpad:ev\n{"broken\n');
    await folder.reader(session.file, { strict: true }).append(notes("n"));
  });
});

describe("a command", () => {
  test("that another process used is known, also after a restart", async () => {
    const { file } = folder.session();
    const journal = await openJournal(file, { durability: "os" });
    const first = await journal.apply({ action: "set_notes", content: "once" }, { command: "call-1" });
    const other = await openJournal(file, { durability: "os" });
    const again = await other.apply({ action: "set_notes", content: "once" }, { command: "call-1" });
    expect(again).toEqual(first);
    expect(other.version).toBe(1);
    await expect(other.apply({ action: "set_notes", content: "other" }, { command: "call-1" })).rejects.toThrow(
      TypeError,
    );
    await Promise.all([journal.close(), other.close()]);
  });

  test("that stands in a refused line only is not known", async () => {
    const session = folder.session();
    const reader = folder.reader(session.file, { mirror: false });
    const base = await reader.catchUp();
    await reader.append(notes("first"));
    session.commit(
      { v: 1, id: "late", at, events: [{ type: "notes.set", text: "late", actor: "a", command: "call-1" }] },
      base,
    );
    await reader.catchUp();
    expect(reader.store.knows("call-1")).toBe(false);
    await reader.append(notes("second", "call-1"));
    expect(reader.store.knows("call-1")).toBe(true);
    expect((await verifyFile(session.file)).findings).toMatchObject([{ kind: "fork", severity: "note" }]);
  });
});

test("calls that wait together are one commit line", async () => {
  const { file } = folder.session();
  const journal = await openJournal(file, { durability: "os" });
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => journal.refs.add(`r${index}`)));
  await journal.close();
  expect(answers.map(({ version }) => version)).toEqual(answers.map((_, index) => index + 1));
  const commits = linesOf(file).filter(({ customType }) => customType === "openclaw:scratchpad:events");
  expect(commits.length).toBeLessThanOrEqual(2);
});

test("a refusal that is offered again at once is recorded once", async () => {
  const { file } = folder.session();
  const journal = await openJournal(file, { durability: "os", limits: { notes: 10 } });
  for (let time = 0; time < 3; time++) {
    const answer = await journal.notes.append("far too long a note");
    expect(answer).toMatchObject({ ok: false, code: "over_budget", version: 1 });
  }
  expect(journal.version).toBe(1);
  await journal.close();
});

describe("the lock", () => {
  test("that a dead process left does not keep anyone from writing", async () => {
    const session = folder.session();
    fs.mkdirSync(folder.path(".session-journal/session.jsonl.lock"), { recursive: true });
    await folder.reader(session.file, { lock: { waitMs: 20 } }).append(notes("n"));
    await expect(
      folder.reader(session.file, { lock: { waitMs: 20, required: true } }).append(notes("n")),
    ).rejects.toMatchObject({
      code: "lock_timeout",
    });
  });

  test("is given back: nothing of it is left", async () => {
    const session = folder.session();
    const reader = folder.reader(session.file);
    for (let time = 0; time < 3; time++) await reader.append(notes(`n${time}`));
    expect(fs.readdirSync(folder.path(".session-journal"))).toEqual([]);
  });

  test("is never the host's: a fresh one there is waited for, a stale or dead one is not", async () => {
    const session = folder.session();
    const hostLock = `${session.file}.lock`;
    fs.writeFileSync(hostLock, JSON.stringify({ pid: process.pid }));
    const waiting = folder.reader(session.file, { lock: { waitMs: 10_000 } }).append(notes("n"));
    // Long enough: elsewhere, three appends have been made meanwhile.
    const free = folder.reader(folder.session("free.jsonl").file);
    for (let time = 0; time < 3; time++) await free.append(notes(`n${time}`));
    expect(linesOf(session.file)).toHaveLength(1);
    fs.rmSync(hostLock);
    await waiting;
    const dead = spawnSync(process.execPath, ["-e", ""]).pid;
    fs.writeFileSync(hostLock, JSON.stringify({ pid: dead }));
    await folder.reader(session.file, { lock: { waitMs: 60_000 } }).append(notes("past the dead"));
    fs.writeFileSync(hostLock, "{}");
    const old = new Date(Date.now() - 31 * 60_000);
    fs.utimesSync(hostLock, old, old);
    await folder.reader(session.file, { lock: { waitMs: 60_000 } }).append(notes("past the stale"));
    expect(fs.existsSync(hostLock)).toBe(true);
  });

  test("in mode off makes no side folder", async () => {
    const session = folder.session();
    await folder.reader(session.file, { lock: { mode: "off" } }).append(notes("n"));
    expect(fs.readdirSync(folder.path())).toEqual(["session.jsonl"]);
  });
});

describe("a sealed journal", () => {
  async function sealed(): Promise<string> {
    const { file } = folder.session();
    const reader = folder.reader(file, { seal: "key" });
    await reader.append(notes("one"));
    await reader.append(notes("two"));
    return file;
  }

  test("is read without the key, as sealed and not as damaged, and not written to", async () => {
    const file = await sealed();
    const reader = folder.reader(file, { strict: true });
    await reader.catchUp();
    expect(reader.state.notes).toBe("two");
    await expect(reader.append(notes("three"))).rejects.toMatchObject({ code: "readonly" });
    const { ok, findings } = await verifyFile(file);
    expect({ ok, kinds: findings.map(({ kind }) => kind) }).toEqual({ ok: true, kinds: ["sealed"] });
    expect(await verifyFile(file, { seal: "key" })).toMatchObject({ ok: true, findings: [] });
  });

  test("of which the beginning is missing is told to be sealed, too", async () => {
    const file = await sealed();
    const lines = fs.readFileSync(file, "utf8").split("\n");
    fs.writeFileSync(file, lines.filter((line) => !line.includes('"one"')).join("\n"));
    const { findings } = await verifyFile(file);
    expect(findings.map(({ kind }) => kind).filter((kind) => kind !== "tree")).toEqual(["gap", "sealed"]);
  });

  test("does not take a commit that was changed, with the key", async () => {
    const file = await sealed();
    fs.writeFileSync(file, fs.readFileSync(file, "utf8").replace('"text":"two"', '"text":"2"'));
    expect((await verifyFile(file, { seal: "key" })).ok).toBe(false);
  });

  test("cannot be pretended: a hash of that length in a journal without a key is a wrong hash", async () => {
    const { file } = folder.session();
    const reader = folder.reader(file, { mirror: false });
    const { version, hash } = await reader.append(notes("one"));
    const forged = {
      v: 1,
      id: "forged",
      at,
      version: version + 1,
      events: [{ type: "notes.set", text: "forged", actor: "agent" }],
      prev: hash,
      hash: "0".repeat(64),
    };
    const parent = linesOf(file).at(-1)?.id ?? null;
    fs.appendFileSync(file, commitLine(forged, parent, encodeContext()).text);
    await reader.catchUp();
    expect(reader.state.notes).toBe("one");
    expect((await verifyFile(file)).ok).toBe(false);
    await reader.append(notes("two"));
  });

  test("does not take a commit that was made without the key, not even for who has none", async () => {
    const file = await sealed();
    const { head } = await verifyFile(file);
    const event = { type: "notes.set", text: "forged", actor: "agent" };
    const forged = linkCommit({ v: 1, id: "forged", at, events: [event] }, head, "file");
    const parent = linesOf(file).at(-1)?.id ?? null;
    fs.appendFileSync(file, commitLine(forged, parent, encodeContext()).text);
    const reader = folder.reader(file);
    await reader.catchUp();
    expect(reader.state.notes).toBe("two");
    expect((await verifyFile(file)).ok).toBe(false);
  });
});

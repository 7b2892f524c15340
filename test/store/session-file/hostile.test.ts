/** Bad input, a test a row: a clear error or finding, and nothing lost. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import type { WrittenEvent } from "../../../src/event/commit.ts";
import { genesisHash } from "../../../src/line/chain.ts";
import { headerLine, linkCommit } from "../../../src/line/encode.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { session as header, names } from "../../line/lines.ts";
import { sessionId, useFolder, valuesIn } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();
const note = { event: { type: "notes.set", text: "mine" }, actor: "agent" } as const;

async function expectNoSession(file: string, says: RegExp): Promise<void> {
  for (const options of [{}, { readonly: true }, { create: false }]) {
    const failed = await folder
      .reader(file, options)
      .append(note)
      .catch((error: unknown) => error);
    const read = await folder
      .reader(file, options)
      .catchUp()
      .catch((error: unknown) => error);
    if (!("readonly" in options))
      expect(failed).toMatchObject({ code: "not_a_session", message: expect.stringMatching(says) as string });
    expect(read).toMatchObject({ code: "not_a_session", message: expect.stringMatching(says) as string });
    expect((read as Error).message).toContain(file);
  }
}

describe("a path that is", () => {
  test("a folder", async () => {
    fs.mkdirSync(folder.path("folder.jsonl"));
    await expectNoSession(folder.path("folder.jsonl"), /is a folder/);
  });

  test("in a folder that is a file", async () => {
    fs.writeFileSync(folder.path("file"), "x");
    await expectNoSession(folder.path("file/session.jsonl"), /its folder is not a folder/);
  });

  test("in a folder that is not there", async () => {
    const file = folder.path("nowhere/session.jsonl");
    await expect(folder.reader(file, { readonly: true }).catchUp()).rejects.toMatchObject({ code: "not_a_session" });
    await expect(folder.reader(file).append(note)).rejects.toMatchObject({
      code: "storage",
      fate: "not-written",
      message: expect.stringContaining("create its folder first") as string,
    });
  });

  test("not there, for who may not make it", async () => {
    const file = folder.path("session.jsonl");
    await expect(folder.reader(file, { create: false }).catchUp()).rejects.toMatchObject({ code: "not_a_session" });
    expect(fs.readdirSync(folder.path())).toEqual([]);
  });

  test("a symbolic link, good, dangling or looping", async () => {
    folder.session();
    fs.symlinkSync(folder.path("session.jsonl"), folder.path("good.jsonl"));
    fs.symlinkSync(folder.path("nowhere.jsonl"), folder.path("dangling.jsonl"));
    fs.symlinkSync(folder.path("looping.jsonl"), folder.path("looping.jsonl"));
    for (const name of ["good", "dangling", "looping"])
      await expectNoSession(folder.path(`${name}.jsonl`), /is a symbolic link/);
    expect(fs.existsSync(folder.path("nowhere.jsonl"))).toBe(false);
  });

  test("one of two names of a file", async () => {
    folder.session();
    fs.linkSync(folder.path("session.jsonl"), folder.path("second.jsonl"));
    await expectNoSession(folder.path("session.jsonl"), /2 names/);
    fs.writeFileSync(folder.path(".10000000-0000-4000-8000-000000000000.unfinished"), "of another");
    await expectNoSession(folder.path("session.jsonl"), /2 names/);
  });

  test("a pipe, which must not be waited for", async () => {
    execFileSync("mkfifo", [folder.path("pipe.jsonl")]);
    await expectNoSession(folder.path("pipe.jsonl"), /not a plain file/);
  });

  test("a device", async () => {
    await expectNoSession("/dev/null", /not a plain file/);
    await expectNoSession("/dev/zero", /not a plain file/);
  });

  test("too long a name", async () => {
    const file = folder.path(`${"x".repeat(300)}.jsonl`);
    await expect(folder.reader(file).catchUp()).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  });
});

describe("a file that is", () => {
  test.each([
    ["binary", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 0, 0, 10, 255, 254])],
    ["a text", Buffer.from("Dear diary,\n")],
    ["another kind of JSON lines", Buffer.from('{"type":"message"}\n{"type":"session"}\n')],
    ["a session without its line feed cut short", Buffer.from('{"type":"session","version":3,"id"')],
    ["all NUL", Buffer.alloc(4096)],
    ["all line feeds", Buffer.alloc(4096, 10)],
    ["a first line of 2 MB", Buffer.from(`{"type":"session","pad":"${"x".repeat(2 << 20)}"}\n`)],
  ])("%s is no session and stays as it is", async (_, bytes) => {
    const file = folder.path("session.jsonl");
    fs.writeFileSync(file, bytes);
    await expectNoSession(file, /not a session file/);
    expect(fs.readFileSync(file).equals(bytes)).toBe(true);
  });

  test("empty says so to who may not write its header", async () => {
    const file = folder.path("session.jsonl");
    fs.writeFileSync(file, "");
    await expect(folder.reader(file, { readonly: true }).catchUp()).rejects.toMatchObject({
      code: "not_a_session",
      message: expect.stringMatching(/is empty/),
    });
    await expect(folder.reader(file, { create: false }).catchUp()).rejects.toMatchObject({
      code: "not_a_session",
      message: expect.stringMatching(/is empty/),
    });
    expect(fs.statSync(file).size).toBe(0);
    const reader = folder.reader(file);
    await reader.append(note);
    expect(reader.events).toHaveLength(1);
  });

  test("a session of a version to come", async () => {
    const file = folder.path("session.jsonl");
    fs.writeFileSync(file, '{"type":"session","version":5,"id":"x"}\n');
    await expectNoSession(file, /version 5, newer than 4: update/);
  });

  test.each([1, 2, 3, 4])("a session of version %s is read", async (version) => {
    const file = folder.path("session.jsonl");
    fs.writeFileSync(file, `{"type":"session","version":${version},"id":"x"}\n`);
    const reader = folder.reader(file);
    await reader.append(note);
    expect(reader.events).toHaveLength(1);
    expect(fs.readFileSync(file, "utf8")).toMatch(new RegExp(`^{"type":"session","version":${version},"id":"x"}\n`));
  });
});

test.each([
  ["EACCES", /check its permissions/],
  ["EIO", /check the disk/],
])("a file that cannot be read (%s) is an error that says so", async (code, says) => {
  const { file } = folder.session();
  const open = vi.spyOn(fs, "openSync").mockImplementation(() => {
    throw Object.assign(new Error(code), { code });
  });
  try {
    const failed = expect(folder.reader(file, { readonly: true }).catchUp()).rejects;
    await failed.toMatchObject({ code: "storage", message: expect.stringMatching(says) as string, place: { file } });
  } finally {
    open.mockRestore();
  }
});

/** A session with these lines behind its header. */
function withLines(...lines: readonly (string | Buffer)[]): string {
  const file = folder.path("session.jsonl");
  const parts = lines.map((line) => (typeof line === "string" ? Buffer.from(line) : line));
  fs.writeFileSync(file, Buffer.concat([Buffer.from(headerLine({ ...header, id: sessionId, cwd: "/" })), ...parts]));
  return file;
}

function value(key: string, json: string, more = ""): string {
  return `{"type":"custom","customType":"openclaw:scratchpad${key}","data":${json}${more},"id":"00000001","parentId":null,"timestamp":"2026-11-21T20:00:00.000Z"}\n`;
}

function commit(events: readonly WrittenEvent[], fields: { v?: number; version?: number } = {}): string {
  const base = (fields.version ?? events.length) - events.length;
  const data = linkCommit(
    { v: fields.v ?? 1, id: "c-1", at: "2026-11-21T20:00:00.000Z", events },
    { version: base, hash: genesisHash(sessionId) },
    "file",
  );
  return `${JSON.stringify({ type: "custom", customType: names.events, data, id: "00000002", parentId: null, timestamp: data.at })}\n`;
}

const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const user = '{"type":"message","id":"00000009","parentId":null,"message":{"role":"user"}}\n';

/** After any of these lines, what stands before and behind is read, and the next write works. */
const lines: Readonly<Record<string, string | Buffer>> = {
  "100,000 levels of nesting in a message": `{"type":"message","message":${deep}}\n`,
  "100,000 levels of nesting in a value": value(":notes", deep),
  "100,000 levels of nesting in a mirror": value(":notes", deep, ',"mirror":"c-0"'),
  "100,000 levels of nesting in a commit": `{"type":"custom","customType":"${names.events}","data":${deep}}\n`,
  "100,000 levels of nesting in no JSON": `${"[".repeat(100_000)}\n`,
  "__proto__ as a key of the line": '{"__proto__":{"type":"custom"},"type":"x","id":"00000003","parentId":null}\n',
  "__proto__ and constructor as data": value(":plan", '{"__proto__":{"polluted":1},"constructor":{"prototype":1}}'),
  "constructor as an id": '{"type":"message","id":"constructor","parentId":"__proto__"}\n',
  "invalid UTF-8": Buffer.concat([
    Buffer.from('{"type":"x","text":"'),
    Buffer.from([0xff, 0xc0, 0xaf]),
    Buffer.from('"}\n'),
  ]),
  "invalid UTF-8 in a value": Buffer.from(value(":plan", '"\xff"'), "latin1"),
  "a run of NUL": Buffer.concat([Buffer.alloc(5000), Buffer.from("\n")]),
  "a run of NUL before a line": Buffer.concat([Buffer.alloc(5000), Buffer.from(user)]),
  "a byte order mark": `\ufeff${user}`,
  "a carriage return": user.replace("\n", "\r\n"),
  "U+2028, bidirectional and zero-width characters": value(":plan", '"\u2028\u202e\u200b\u0085"'),
  "lone surrogates": value(":plan", '"\\ud83d and \\ude00"'),
  "numbers beyond 2^53": value(":plan", "[9007199254740993, 1e999]"),
  "a key twice": `{"type":"message","type":"custom","customType":"x","id":"00000004","id":"00000005"}\n`,
  "an id twice": user + user,
  "a cycle": '{"type":"x","id":"0000000a","parentId":"0000000b"}\n{"type":"x","id":"0000000b","parentId":"0000000a"}\n',
  "its own parent": '{"type":"x","id":"0000000a","parentId":"0000000a"}\n',
  "an orphan": '{"type":"x","id":"0000000a","parentId":"nowhere"}\n',
  "an id that is a number": '{"type":"x","id":7,"parentId":{}}\n',
  "values of the wrong type": value(":notes", "7") + value(":plan", "null") + value(":refs", '"x"') + value("", "[]"),
  "a value without data": '{"type":"custom","customType":"openclaw:scratchpad:notes"}\n',
  "a second header": headerLine({ ...header, cwd: "/" }),
  "a commit that is no commit": `{"type":"custom","customType":"${names.events}","data":{"v":1}}\n`,
  "a commit with a wrong hash": commit([{ type: "notes.set", text: "x" }]).replace('"x"', '"y"'),
};

describe.each(Object.entries(lines))("a line with %s", (_, line) => {
  test("hides nothing that stands before or behind it, under either policy", async () => {
    const first = value(":refs", '["before"]').replace("00000001", "000000f1");
    const last = value(":plan", '"behind"').replace("00000001", "000000f2").replace("null", '"000000f1"');
    const file = withLines(first, line, last);
    for (const fold of ["file", "branch"] as const) {
      const reader = folder.reader(file, { readonly: true, fold });
      await reader.catchUp();
      expect(reader.events.at(-1)?.event).toEqual({ type: "plan.set", text: "behind" });
      expect(reader.state.refs).toEqual(["before"]);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test("is kept, said by verify where it is wrong, and written after", async () => {
    const file = withLines(line);
    const bytes = fs.readFileSync(file);
    const found = await verifyFile(file);
    for (const finding of found.findings) expect(finding.detail).not.toBe("");
    const reader = folder.reader(file);
    await reader.append(note);
    expect(reader.state.notes).toBe("mine");
    expect(valuesIn(file).notes).toBe("mine");
    expect(fs.readFileSync(file).subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect((await verifyFile(file)).ok).toBe(found.ok);
  });
});

/** JSON takes the last of two keys of one name: a line could be read as both. */
test("of a line that says twice what it is every reader goes by the last", async () => {
  const ours = [value(":notes", '"crafted"'), commit([{ type: "notes.set", text: "crafted" }])];
  for (const [index, line] of ours.entries()) {
    const message = `{"type":"message","id":"0000009${index}","parentId":null,"message":{"role":"user"},${line.slice(1)}`;
    const file = withLines(message, ` ${message}`, value(":plan", '"mine"').replace("00000001", "000000f2"));
    for (const fold of ["file", "branch"] as const) {
      const { turn, version } = await folder.reader(file, { readonly: true, fold }).catchUp();
      expect([version, turn, fold]).toEqual([2, 0, fold]);
    }
    const reader = folder.reader(file, { readonly: true });
    await reader.catchUp();
    expect(reader.state).toMatchObject({ notes: "crafted", plan: "mine" });
    const { head } = await verifyFile(file);
    expect(head.version).toBe(2);
    fs.rmSync(file);
  }
});

describe("a commit of a version to come", () => {
  test("is counted, kept, found, and blocks writing", async () => {
    const file = withLines(
      commit(
        [
          { type: "notes.set", text: "x" },
          { type: "mood.set", mood: 7 },
        ],
        { v: 7 },
      ),
    );
    const bytes = fs.readFileSync(file);
    const journal = await openJournal(file);
    expect(journal.version).toBe(2);
    await expect(journal.notes.set("mine")).rejects.toMatchObject({ code: "unknown_event" });
    const { ok, findings } = await journal.verify();
    expect(ok).toBe(false);
    expect(findings.map(({ kind }) => kind)).toContain("unknown_event");
    await journal.close();
    expect(fs.readFileSync(file).equals(bytes)).toBe(true);
  });

  test("with one event that is known and one that is not folds the known one", async () => {
    const file = withLines(
      commit([
        { type: "notes.set", text: "x" },
        { type: "mood.set", mood: 7 },
      ]),
    );
    const reader = folder.reader(file);
    await reader.catchUp();
    expect(reader.state.notes).toBe("x");
    expect(reader.events[1]?.event).toMatchObject({ type: "unknown", name: "mood.set" });
  });
});

test("a version at the end of all numbers is an error on writing, not an endless loop", async () => {
  const file = withLines(commit([{ type: "notes.set", text: "x" }], { version: Number.MAX_SAFE_INTEGER }));
  const { size } = fs.statSync(file);
  await expect(folder.reader(file).append(note)).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  expect(fs.statSync(file).size).toBe(size);
});

test("keys of entries that are tricks with paths are refused, and make no file", async () => {
  const file = folder.session().file;
  const journal = await openJournal(file, { durability: "os" });
  for (const key of ["../up", "a/b", "..", ".", "a\\b", "\u0000", "", "__proto__", "x".repeat(129)]) {
    expect((await journal.entries.write(key, "x")).ok).toBe(false);
  }
  expect((await journal.entries.write("constructor", "x")).ok).toBe(true);
  expect(journal.state.entries["constructor"]).toBe("x");
  await journal.close();
  expect(fs.readdirSync(folder.path()).sort()).toEqual([".session-journal", "session.jsonl"]);
});

test("a session id that is a trick with paths names no file", async () => {
  const file = folder.path("session.jsonl");
  fs.writeFileSync(file, '{"type":"session","version":3,"id":"../../../../tmp/evil","timestamp":"x","cwd":"/"}\n');
  await folder.reader(file).append(note);
  expect(fs.readdirSync(folder.path()).sort()).toEqual([".session-journal", "session.jsonl"]);
  expect(fs.readdirSync(folder.path(".session-journal")).every((name) => name.startsWith("session.jsonl."))).toBe(true);
  expect(fs.existsSync(path.resolve("/tmp/evil"))).toBe(false);
});

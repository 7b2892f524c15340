/** What crashes, races, hosts and branches leave behind is a note; what none of them leaves is damage. */
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { verifyLines } from "../../../src/audit/verify/verify.ts";
import { genesisHash } from "../../../src/line/chain.ts";
import { names } from "../../line/lines.ts";
import { linesOf, sessionId, useFolder } from "../../store/session-file/folder.ts";
import { linesIn, verifyFile } from "../../store/session-file/verify-file.ts";

const folder = useFolder();

function notes(text: string) {
  return { event: { type: "notes.set", text }, actor: "agent" } as const;
}

async function kindsOf(file: string): Promise<string[]> {
  return (await verifyFile(file)).findings.map(({ kind, severity, line }) => `${severity} ${kind} ${line}`);
}

describe("no damage:", () => {
  test("a session without a line of ours", async () => {
    const session = folder.session();
    session.user("hello");
    const { ok, findings, head } = await verifyFile(session.file);
    expect({ ok, findings }).toEqual({ ok: true, findings: [] });
    expect(head).toEqual({ version: 0, hash: genesisHash(sessionId) });
  });

  test("two journals in one file, whose first commits follow the same beginning", async () => {
    const session = folder.session();
    await folder.reader(session.file, { namespace: "acme:pad" }).append(notes("theirs"));
    await folder.reader(session.file).append(notes("ours"));
    await folder.reader(session.file, { namespace: "acme:pad" }).append(notes("theirs"));
    expect(await kindsOf(session.file)).toEqual([]);
  });

  test.each([
    ["0000000", ""],
    ["0f0e0d0c-0b0a-4908-8706-", "00000000000"],
  ])(
    "two journals in one file, of which the other has ids of a host or of another writer: %s",
    async (before, rest) => {
      const session = folder.session();
      const theirs = folder.reader(session.file, { namespace: "acme:pad" });
      await theirs.append(notes("one"));
      await theirs.append(notes("two"));
      let text = fs.readFileSync(session.file, "utf8");
      for (const [index, { id }] of linesOf(session.file).slice(1).entries())
        text = text.replaceAll(`"${id}"`, `"${before}${rest}${index}"`);
      fs.writeFileSync(session.file, text);
      expect(await kindsOf(session.file)).toEqual([]);
      await folder.reader(session.file).append(notes("ours"));
      expect(await kindsOf(session.file)).toEqual([]);
    },
  );

  test("a line of the host's that is broken, with a word in it that begins like a short namespace", async () => {
    const session = folder.session();
    const options = { namespace: "pad", lock: { mode: "off" } } as const;
    await folder.reader(session.file, options).append(notes("one"));
    session.append('{"type":"message","message":{"role":"user","content":"padding\n');
    session.append('{"type":"custom","customType":"pad:\u001a\n');
    const { findings } = await verifyLines(linesIn(session.file), { namespace: "pad" });
    expect(findings.map(({ kind, line }) => `${kind} ${line}`)).toEqual(["foreign 4", "corrupt 5"]);
  });

  test("a live host that gives our commits ids of its own, UUIDs too", async () => {
    const session = folder.session();
    session.user("hello");
    const reader = folder.reader(session.file, { mirror: false });
    await reader.append(notes("one"));
    await reader.append(notes("two"));
    let text = fs.readFileSync(session.file, "utf8");
    const uuid = "0f0e0d0c-0b0a-4908-8706-050403020100";
    for (const { id } of linesOf(session.file).slice(1)) {
      const again = uuid.replace(/.$/, (id ?? "").at(-1) ?? "0").replace(/^../, (id ?? "").slice(0, 2));
      text = text.replaceAll(`"${id}"`, `"${again}"`);
    }
    fs.writeFileSync(session.file, text);
    expect(await kindsOf(session.file)).toEqual([]);
  });

  test("a host's migration that gives every entry a new id of 8 digits", async () => {
    const session = folder.session();
    session.user("hello");
    const reader = folder.reader(session.file);
    await reader.append(notes("one"));
    await reader.append(notes("two"));
    let text = fs.readFileSync(session.file, "utf8");
    for (const [index, { id }] of linesOf(session.file).slice(1).entries())
      text = text.replaceAll(`"${id}"`, `"${(index + 0x1000).toString(16).padStart(8, "0")}"`);
    fs.writeFileSync(session.file, text);
    expect(await kindsOf(session.file)).toEqual([]);
  });

  test("entries of the host's that are wrong in themselves", async () => {
    const session = folder.session();
    session.append('{"broken\n[]\n{"no":"type"}\n{"type":"x"}\n');
    session.append('{"type":"x","id":"0000000a","parentId":"nowhere"}\n{"type":"x","id":"0000000a","parentId":null}\n');
    await folder.reader(session.file).append(notes("one"));
    // What cannot be read may be the parent that line 6 hangs on.
    expect(await kindsOf(session.file)).toEqual([2, 3, 4, 5, 7].map((line) => `note foreign ${line}`));
  });

  test("a torn line of ours, at the end and healed", async () => {
    const session = folder.session();
    session.append('{"type":"custom","customType":"openclaw:scratchpad:events","data":{"at":');
    expect(await kindsOf(session.file)).toEqual(["note torn 2"]);
    await folder.reader(session.file).append(notes("one"));
    expect(await kindsOf(session.file)).toEqual(["note torn 2"]);
  });

  test("a branch that a host made: our lines of the parent session, some of them left out", async () => {
    const parent = folder.session("parent.jsonl");
    const reader = folder.reader(parent.file);
    await reader.append(notes("one"));
    await reader.append(notes("two"));
    const [, commit, mirror, second, secondMirror] = fs.readFileSync(parent.file, "utf8").split("\n") as string[];
    const header = { type: "session", version: 3, id: "child", timestamp: "2026-11-21T20:00:00.000Z", cwd: "/" };
    const inherited = JSON.stringify({ ...header, parentSession: parent.file });
    const file = folder.path("child.jsonl");
    for (const kept of [
      [commit, mirror, second, secondMirror],
      [commit, mirror],
    ]) {
      fs.writeFileSync(file, `${[inherited, ...kept].join("\n")}\n`);
      expect(await kindsOf(file)).toEqual(["note inherited 2"]);
    }
  });
});

describe("a commit that is missing where the header names a parent session:", () => {
  const seal = "key";

  const header = { type: "session", version: 3, id: "child", timestamp: "2026-11-21T20:00:00.000Z", cwd: "/" };

  async function threeCommits(file: string, options: { readonly seal?: string }): Promise<void> {
    const reader = folder.reader(file, { ...options, mirror: false });
    for (const text of ["one", "two", "three"]) await reader.append(notes(text));
  }

  /** What hung on the second commit hangs on the first. */
  function withoutSecond(file: string): string[] {
    const [first, second] = linesOf(file).slice(1) as { id: string }[];
    const lines = fs.readFileSync(file, "utf8").split("\n").toSpliced(2, 1);
    return lines.map((line) => line.replace(`"parentId":"${second?.id}"`, `"parentId":"${first?.id}"`));
  }

  test.each([
    ["", {}],
    [" sealed", { seal }],
  ])("a host left it behind with its branch, also for who has no key:%s", async (_, options) => {
    const parent = folder.session("parent.jsonl");
    await threeCommits(parent.file, options);
    const file = folder.path("child.jsonl");
    const lines = [JSON.stringify({ ...header, parentSession: parent.file }), ...withoutSecond(parent.file).slice(1)];
    fs.writeFileSync(file, lines.join("\n"));
    const { findings } = await verifyFile(file, options);
    expect(findings.map(({ kind, line }) => `${kind} ${line}`)).toEqual(["inherited 2", "inherited 3"]);
    expect((await verifyFile(file)).ok).toBe(true);
  });

  test.each([
    ["", {}],
    [" sealed", { seal }],
  ])("it is damage where the first commit was written to this very session:%s", async (_, options) => {
    const file = folder.path("child.jsonl");
    fs.writeFileSync(file, `${JSON.stringify({ ...header, parentSession: "parent.jsonl" })}\n`);
    await threeCommits(file, options);
    fs.writeFileSync(file, withoutSecond(file).join("\n"));
    const { findings } = await verifyFile(file, options);
    expect(findings.map(({ kind, severity, line }) => `${severity} ${kind} ${line}`)).toEqual(["damage gap 3"]);
  });
});

describe("damage:", () => {
  test("a first line that is no header", async () => {
    const file = folder.path("session.jsonl");
    fs.writeFileSync(file, '{"type":"message"}\n');
    expect(await kindsOf(file)).toEqual(["damage corrupt 1"]);
  });

  test("a mirror whose value nobody folded, or that nobody can print", async () => {
    const session = folder.session();
    await folder.reader(session.file).append(notes("one"));
    const { mirror } = linesOf(session.file).at(-1) as { mirror: string };
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    for (const data of ['"another"', deep]) {
      const place = `"id":"0000000a","parentId":null,"timestamp":"2026-11-21T20:00:00.000Z"`;
      const line = `{"type":"custom","customType":"${names.notes}","data":${data},"mirror":"${mirror}",${place}}\n`;
      const file = folder.path(`mirror-${data.length}.jsonl`);
      fs.writeFileSync(file, fs.readFileSync(session.file, "utf8") + line);
      expect(await kindsOf(file)).toContain("damage mirror 4");
    }
  });

  test("a commit from elsewhere that names a head which this file never had", async () => {
    const session = folder.session();
    await folder.reader(session.file).append(notes("one"));
    const event = { type: "notes.set", text: "put in", actor: "agent" };
    const commit = { v: 1, id: "put-in", at: "2026-11-21T20:00:00.000Z", events: [event] };
    session.commit(commit, { version: 0, hash: "0".repeat(32) });
    expect(await kindsOf(session.file)).toContain("damage fork 4");
  });

  test("a kept head that the file does not lead to, or not any more", async () => {
    const session = folder.session();
    const reader = folder.reader(session.file);
    const first = await reader.append(notes("one"));
    const head = { version: first.version, hash: first.hash };
    await reader.append(notes("two"));
    expect(await verifyFile(session.file, { head })).toMatchObject({ ok: true });
    expect(await verifyFile(session.file, { head: { ...head, hash: "0".repeat(32) } })).toMatchObject({ ok: false });
    expect(await verifyFile(session.file, { head: { ...head, version: 3 } })).toMatchObject({
      ok: false,
      findings: [{ kind: "head", severity: "damage", offset: 0, line: 0 }],
    });
  });
});

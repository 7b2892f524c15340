/** What older runtimes read after each acknowledgement is what we read. */
import fs from "node:fs";
import { describe, expect, test, vi } from "vitest";
import { linesOf, useFolder, valuesIn } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();
const at = "2026-11-21T20:00:00.000Z";

function notes(text: string) {
  return { event: { type: "notes.set", text }, actor: "agent" } as const;
}

function plan(text: string) {
  return { event: { type: "plan.set", text }, actor: "agent" } as const;
}

test("a commit and its mirrors are one write, the commit first", async () => {
  const session = folder.session();
  const reader = folder.reader(session.file);
  await reader.catchUp();
  const write = vi.spyOn(fs, "writeSync");
  await reader.append(notes("n"), plan("p"), { event: { type: "entry.written", key: "k", text: "t" }, actor: "agent" });
  const written = write.mock.calls.map(([, bytes]) => Buffer.from(bytes as unknown as Uint8Array).toString());
  write.mockRestore();
  expect(written).toHaveLength(1);
  const lines = (written[0] as string).trimEnd().split("\n");
  const types = lines.map((line) => (JSON.parse(line) as { customType: string }).customType);
  expect(types).toEqual(["openclaw:scratchpad:events", "openclaw:scratchpad:notes", "openclaw:scratchpad:plan"]);
});

test("events of one commit are one line, and take consecutive versions", async () => {
  const session = folder.session();
  const reader = folder.reader(session.file);
  await reader.append(notes("a"), plan("b"), notes("c"));
  const commits = linesOf(session.file).filter(({ customType }) => customType === "openclaw:scratchpad:events");
  expect(commits).toHaveLength(1);
  expect(reader.events.map(({ version }) => version)).toEqual([1, 2, 3]);
});

test("only what changed is mirrored, and marked with the commit's id", async () => {
  const session = folder.session();
  const reader = folder.reader(session.file);
  await reader.append(notes("a"));
  await reader.append(plan("b"));
  await reader.append(plan("b"));
  const mirrors = linesOf(session.file).filter(({ mirror }) => mirror !== undefined);
  expect(mirrors.map(({ customType, data }) => [customType, data])).toEqual([
    ["openclaw:scratchpad:notes", "a"],
    ["openclaw:scratchpad:plan", "b"],
  ]);
  expect(mirrors.map(({ mirror }) => mirror)).toEqual(reader.events.slice(0, 2).map(({ commit }) => commit));
});

test("a list of refs that was set to what it was is not mirrored again", async () => {
  const session = folder.session();
  const reader = folder.reader(session.file);
  const event = { type: "refs.set", refs: ["a", "b"] } as const;
  for (const _ of [1, 2]) await reader.append({ event, actor: "agent" });
  expect(linesOf(session.file).filter(({ mirror }) => mirror !== undefined)).toHaveLength(1);
});

test.each([
  [true, { notes: "n", plan: "p", refs: ["r"], legacy: undefined }],
  [false, { notes: "", plan: "", refs: [], legacy: undefined }],
  ["single-key", { notes: "", plan: "", refs: [], legacy: "n" }],
] as const)("mirror: %s", async (mirror, expected) => {
  const session = folder.session();
  const reader = folder.reader(session.file, { mirror });
  await reader.append(notes("n"), plan("p"), { event: { type: "ref.added", ref: "r" }, actor: "agent" });
  expect(valuesIn(session.file)).toEqual(expected);
  expect(reader.state).toMatchObject({ notes: "n", plan: "p", refs: ["r"] });
  expect((await verifyFile(session.file)).ok).toBe(true);
});

test("a single key is folded until notes are written in the newer format, whoever writes them", async () => {
  const session = folder.session();
  session.value("", "from the single key");
  const reader = folder.reader(session.file);
  await reader.catchUp();
  expect(reader.state.notes).toBe("from the single key");
  session.value("", "again");
  await reader.catchUp();
  expect(reader.state.notes).toBe("again");
  session.value(":notes", "");
  session.value("", "too late");
  await reader.catchUp();
  expect(reader.state.notes).toBe("");
  expect(reader.events.at(-1)?.event).toEqual({ type: "legacy.set", text: "too late", ignored: true });
});

test("a mirror under the single key is no value of an older runtime", async () => {
  const session = folder.session();
  const reader = folder.reader(session.file, { mirror: "single-key" });
  await reader.append(plan("p"));
  await reader.append(notes("n"));
  expect(reader.events).toHaveLength(2);
  const again = folder.reader(session.file, { mirror: "single-key" });
  await again.catchUp();
  expect(again.events).toEqual(reader.events);
});

test("namespaces do not see each other", async () => {
  const session = folder.session();
  const one = folder.reader(session.file);
  const other = folder.reader(session.file, { namespace: "acme:pad" });
  await one.append(notes("one"));
  await other.append(notes("other"));
  await one.append(plan("one"));
  await other.catchUp();
  expect(one.state).toMatchObject({ notes: "one", plan: "one" });
  expect(other.state).toMatchObject({ notes: "other", plan: "" });
  expect(other.events).toHaveLength(1);
});

test("a namespace that is the beginning of another does not take its lines", async () => {
  const session = folder.session();
  const longer = folder.reader(session.file, { namespace: "openclaw:scratchpad:events" });
  await longer.append(notes("longer"));
  const reader = folder.reader(session.file);
  await reader.append(notes("shorter"));
  await longer.catchUp();
  expect(longer.state.notes).toBe("longer");
  expect(reader.state.notes).toBe("shorter");
});

describe("repairing", () => {
  test("a mirror that a crash took away is written by the next writer of anyone", async () => {
    const session = folder.session();
    const reader = folder.reader(session.file);
    await reader.append(notes("n"));
    const whole = fs.readFileSync(session.file, "utf8").trimEnd().split("\n");
    fs.writeFileSync(session.file, `${whole.slice(0, -1).join("\n")}\n`);
    expect(valuesIn(session.file).notes).toBe("");
    await folder.reader(session.file).append(plan("p"));
    expect(valuesIn(session.file)).toMatchObject({ notes: "n", plan: "p" });
    expect((await verifyFile(session.file)).ok).toBe(true);
  });

  test("a repeated command repairs too, without a commit", async () => {
    const session = folder.session();
    await folder.reader(session.file).append(notes("n"));
    const whole = fs.readFileSync(session.file, "utf8").trimEnd().split("\n");
    fs.writeFileSync(session.file, `${whole.slice(0, -1).join("\n")}\n`);
    const reader = folder.reader(session.file);
    await reader.commit(() => ({ id: "c-none", at, events: [] }));
    expect(valuesIn(session.file).notes).toBe("n");
    expect(reader.events).toHaveLength(1);
  });

  test("the mirror of a refused commit does not stand", async () => {
    const session = folder.session();
    const fast = folder.reader(session.file);
    let interrupted = false;
    const clock = (): Date => {
      if (!interrupted) {
        interrupted = true;
        const stale = folder.session("copy.jsonl");
        fs.copyFileSync(session.file, stale.file);
      }
      return new Date(at);
    };
    await fast.append(notes("first"));
    const slow = folder.reader(session.file, { clock });
    await slow.append(notes("second"));
    // A commit on the same base as the last one, with its mirror behind it: written by a writer that was slower still.
    const copy = folder.path("copy.jsonl");
    const late = folder.reader(copy);
    await late.append(notes("late and refused"));
    const tail = fs.readFileSync(copy, "utf8").trimEnd().split("\n").slice(-2);
    session.append(`${tail.join("\n")}\n`);
    expect(valuesIn(session.file).notes).toBe("late and refused");
    await fast.append(plan("p"));
    expect(fast.state).toMatchObject({ notes: "second", plan: "p" });
    expect(valuesIn(session.file)).toMatchObject({ notes: "second", plan: "p" });
    expect((await verifyFile(session.file)).ok).toBe(true);
  });

  test("values of an older runtime between ours are folded, attributed and then mirrored by nobody", async () => {
    const session = folder.session();
    const reader = folder.reader(session.file);
    await reader.append(notes("mine"));
    session.value(":notes", "theirs");
    await reader.append({ event: { type: "notes.appended", text: "more" }, actor: "agent" });
    session.value(":refs", ["theirs", 7]);
    await reader.append(plan("p"));
    expect(reader.state).toMatchObject({ notes: "theirs\nmore", plan: "p", refs: ["theirs"] });
    expect(valuesIn(session.file)).toMatchObject({ notes: "theirs\nmore", plan: "p", refs: ["theirs"] });
    expect(reader.events.map(({ origin, actor }) => `${origin} ${actor}`)).toEqual([
      "journal agent",
      "host host",
      "journal agent",
      "host host",
      "journal agent",
    ]);
  });

  test("a value of the wrong type under a key is put right for older runtimes, once", async () => {
    const session = folder.session();
    const reader = folder.reader(session.file);
    await reader.append(notes("mine"));
    session.value(":notes", { not: "a text" });
    await reader.append(plan("p"));
    const { size } = fs.statSync(session.file);
    expect(reader.state.notes).toBe("mine");
    expect(valuesIn(session.file).notes).toBe("mine");
    await reader.commit(() => ({ id: "c-none", at, events: [] }));
    expect(fs.statSync(session.file).size).toBe(size);
  });

  test("a duplicate of an old mirror line does not stand", async () => {
    const session = folder.session();
    const reader = folder.reader(session.file);
    await reader.append(notes("old"));
    const oldMirror = fs.readFileSync(session.file, "utf8").trimEnd().split("\n").at(-1) as string;
    await reader.append(notes("new"));
    session.append(`${oldMirror}\n`);
    await reader.append(plan("p"));
    expect(valuesIn(session.file).notes).toBe("new");
  });

  test("two runtimes that put their own value back each time do not keep us writing for ever", async () => {
    const session = folder.session();
    const reader = folder.reader(session.file);
    await reader.catchUp();
    const { writeSync } = fs;
    const write = vi.spyOn(fs, "writeSync").mockImplementation((descriptor, bytes) => {
      const written = writeSync(descriptor, bytes as unknown as Uint8Array);
      session.value(":plan", { quarrel: write.mock.calls.length });
      return written;
    });
    await reader.append(notes("mine"));
    write.mockRestore();
    await reader.append(notes("mine again"));
    expect(valuesIn(session.file)).toMatchObject({ notes: "mine again", plan: reader.state.plan });
  });
});

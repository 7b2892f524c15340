/** A host that rewrites its file in place at the very moment between two pieces that somebody reads of it. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, test } from "vitest";
import { openJournal } from "../../../src/open/open-journal.ts";
import { Session } from "../../fixtures/session.ts";
import { sessionId, useFolder } from "./folder.ts";

const otherId = "6f1d2c3b-0000-4000-8000-0000000000bb";

const folder = useFolder();
const { readSync } = fs;

afterEach(() => {
  fs.readSync = readSync;
  syncBuiltinESMExports();
});

/** It has 229 KB, and stands nowhere else as it stands here. */
const numbers = [...Array(40_000).keys()].join(" ");

/** Calls `meanwhile` before each piece is read, with where it begins. */
function beforeReads(meanwhile: (position: number) => void): void {
  fs.readSync = ((...given: Parameters<typeof readSync>) => {
    meanwhile(given[4 as never] as unknown as number);
    return readSync(...given);
  }) as typeof readSync;
  syncBuiltinESMExports();
}

/** Calls `meanwhile` before the first piece is read that begins behind `offset`. */
function beforeReadBehind(offset: number, meanwhile: () => void): void {
  let isDone = false;
  beforeReads((position) => {
    if (isDone || position <= offset) return;
    isDone = true;
    meanwhile();
  });
}

/** The session has a note behind its header, then so many pieces, then a turn. */
async function noted(pieces: number) {
  const session = folder.session();
  const writer = folder.reader(session.file, { mirror: false });
  await writer.append({ event: { type: "notes.set", text: "gone" }, actor: "agent" });
  const [, commit = ""] = fs.readFileSync(session.file, "utf8").split("\n");
  for (let piece = 0; piece < pieces; piece++) session.agent(numbers);
  session.user("last");
  const other = '{"type":"custom","customType":"openclaw:scratchpad:notes","data":"other"}';
  /** The host puts another note in its place, which is shorter, and says more at the end. */
  const rewrite = (): void => {
    fs.writeFileSync(session.file, fs.readFileSync(session.file, "utf8").replace(commit, other));
    session.user("y".repeat(600));
  };
  return { session, rewrite };
}

test.each([undefined, "branch"] as const)("a first reading is that of one file, folded by %s", async (fold) => {
  const { session, rewrite } = await noted(2);
  const reader = folder.reader(session.file, { readonly: true, ...(fold && { fold }) });
  beforeReadBehind(200_000, rewrite);
  await reader.catchUp();
  expect([reader.state.notes, (await reader.catchUp()).turn]).toEqual(["other", 2]);
});

test("so is the reading of what is new", async () => {
  const { session, rewrite } = await noted(0);
  const reader = folder.reader(session.file, { readonly: true });
  await reader.catchUp();
  expect(reader.state.notes).toBe("gone");
  for (let piece = 0; piece < 3; piece++) session.agent(numbers);
  beforeReadBehind(200_000, rewrite);
  await reader.catchUp();
  expect([reader.state.notes, (await reader.catchUp()).turn]).toEqual(["other", 2]);
});

test("of a file that is rewritten between two parts of which one was handed on, a reading fails and the next does not", async () => {
  const { session, rewrite } = await noted(8);
  const reader = folder.reader(session.file, { readonly: true });
  beforeReadBehind(1_500_000, rewrite);
  await expect(reader.catchUp()).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  expect([(await reader.catchUp()).turn, reader.state.notes]).toEqual([2, "other"]);
});

test("a file that is rewritten whenever it is read is not read for ever, and leaves no descriptor open", async () => {
  const { session } = await noted(2);
  const text = fs.readFileSync(session.file, "utf8");
  const reader = folder.reader(session.file, { readonly: true });
  const open = fs.readdirSync("/proc/self/fd").length;
  let times = 0;
  beforeReads((position) => {
    times += 1;
    if (position > 200_000) fs.writeFileSync(session.file, text.replaceAll("0 1 2", `0 ${"x".repeat(times % 9)} 2`));
  });
  await expect(reader.catchUp()).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  expect(fs.readdirSync("/proc/self/fd")).toHaveLength(open);
  fs.readSync = readSync;
  syncBuiltinESMExports();
  await reader.catchUp();
  expect(reader.state.notes).toBe("gone");
});

test("a long file that is rewritten again while it is read from the beginning is gone on with as it is in the end", async () => {
  const { session, rewrite } = await noted(8);
  const journal = await openJournal(session.file, { readonly: true });
  const text = fs.readFileSync(session.file, "utf8");
  // What was read is no longer there, so that it is read from the beginning.
  fs.writeFileSync(session.file, `${text.slice(0, -1)} \n`);
  // A look at its end says so.
  beforeReads((position) => {
    if (position === 0) beforeReadBehind(1_500_000, rewrite);
  });
  await journal.refresh();
  expect([journal.state.notes, journal.turn]).toEqual(["other", 2]);
  await journal.close();
});

test("a file that is cut for a moment, and is as it was then, is gone on with where it was seen", async () => {
  const { session } = await noted(8);
  const text = fs.readFileSync(session.file, "utf8");
  const reader = folder.reader(session.file, { readonly: true, fold: "branch" });
  let isCut: boolean | undefined;
  beforeReads((position) => {
    // The second line of the agent begins in the first piece and ends behind it, so that it comes again.
    if (position > 200_000 && isCut === undefined) {
      isCut = true;
      fs.truncateSync(session.file, 250_000);
    } else if (position === 0 && isCut === true) {
      isCut = false;
      fs.writeFileSync(session.file, text);
    }
  });
  await reader.catchUp();
  expect([(await reader.catchUp()).turn, reader.state.notes]).toEqual([1, "gone"]);
});

test("a snapshot of a file that is rewritten as it is recognised is not gone on from", async () => {
  const session = folder.session();
  const journal = await openJournal(session.file, { mirror: false });
  await journal.notes.set("gone");
  await journal.snapshot();
  await journal.close();
  const text = fs.readFileSync(session.file);
  for (let reads = 1; reads <= 12; reads++) {
    fs.writeFileSync(session.file, text);
    let left = reads;
    beforeReads(() => {
      left -= 1;
      if (left !== 0) return;
      const [header] = text.toString().split("\n");
      const value = JSON.stringify({ type: "custom", customType: "openclaw:scratchpad:notes", data: "other" });
      fs.writeFileSync(session.file, `${header}\n${value}\n${JSON.stringify({ type: "message", text: numbers })}\n`);
    });
    const reader = await openJournal(session.file, { readonly: true });
    await reader.refresh();
    expect([reader.state.notes, reads]).toEqual([left > 0 ? "gone" : "other", reads]);
    await reader.close();
  }
});

test("a file that becomes another session behind its header is read as that", async () => {
  const session = folder.session();
  const other = new Session(folder.path("other.jsonl"), otherId);
  await folder.reader(other.file).append({ event: { type: "notes.set", text: "theirs" }, actor: "agent" });
  const theirs = fs.readFileSync(other.file);
  session.agent("x".repeat(5000));
  const mine = fs.readFileSync(session.file);
  for (let reads = 1; reads <= 8; reads++) {
    fs.writeFileSync(session.file, mine);
    let left = reads;
    beforeReads(() => {
      left -= 1;
      if (left === 0) fs.writeFileSync(session.file, theirs);
    });
    const reader = await openJournal(session.file, { readonly: true });
    await reader.refresh();
    const isTheirs = left <= 0;
    expect([await reader.sessionId(), reader.isDamaged]).toEqual([isTheirs ? otherId : sessionId, false]);
    expect([reader.state.notes, reads]).toEqual([isTheirs ? "theirs" : "", reads]);
    await reader.close();
  }
});

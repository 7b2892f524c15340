/** Fold policy `branch`: a rewind of the conversation rewinds the scratchpad. Which commits count never changes. */
import fs from "node:fs";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../../src/open/open-journal.ts";
import { sessionFileStore } from "../../../src/store/session-file/session-file-store.ts";
import type { StoreReader } from "../../../src/testing/store-reader.ts";
import { linesOf, pathOf, useFolder, valuesIn } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();

function add(reader: StoreReader, text: string) {
  return reader.append({ event: { type: "notes.appended", text }, actor: "agent" });
}

function lastEntry(file: string): string {
  return linesOf(file).at(-1)?.id as string;
}

/** A session with a note on either side of a message of the host's, to which the conversation can go back. */
async function atTheFork() {
  const session = folder.session();
  const root = session.user("which way?");
  const reader = folder.reader(session.file, { fold: "branch" });
  await add(reader, "kept");
  const here = session.host("message", { message: { role: "assistant" } }, lastEntry(session.file));
  await add(reader, "left behind");
  return { session, root, reader, here };
}

test("a rewind takes back what was written on the abandoned branch, and going back brings it again", async () => {
  const { session, root, reader, here } = await atTheFork();
  session.user("another way", root);
  await reader.catchUp();
  expect(reader.state.notes).toBe("kept");
  expect(reader.resets).toBe(1);
  await add(reader, "elsewhere");
  expect(reader.state.notes).toBe("kept\nelsewhere");
  expect(reader.events.map(({ version }) => version)).toEqual([1, 3]);
  session.user("back again", here);
  await reader.catchUp();
  expect(reader.state.notes).toBe("kept\nleft behind");
  expect((await verifyFile(session.file)).ok).toBe(true);
});

test("what comes back from another branch is told as new, though its version was passed before", async () => {
  const { session, root, reader, here } = await atTheFork();
  session.user("another way", root);
  await reader.catchUp();
  session.user("back again", here);
  await reader.catchUp();
  expect(reader.resets).toBe(2);
  expect(reader.events.map(({ version }) => version)).toEqual([1, 2]);
});

test("the second journal on a store stays without what came back from another branch", async () => {
  const { session, root, here } = await atTheFork();
  const store = sessionFileStore(session.file, { fold: "branch", readonly: true });
  const journals = [await openJournal(store), await openJournal(store)];
  const notes = async () => {
    for (const journal of journals) await journal.refresh();
    return journals.map(({ state }) => state.notes);
  };
  session.user("another way", root);
  expect(await notes()).toEqual(["kept", "kept"]);
  session.user("back again", here);
  expect(await notes()).toEqual(["kept\nleft behind", "kept\nleft behind"]);
  for (const journal of journals) await journal.close();
});

test("an entry `leaf` says where the conversation goes on from, also for what is written behind it", async () => {
  const { session, root, reader, here } = await atTheFork();
  session.host("leaf", { targetId: root }, lastEntry(session.file));
  await reader.catchUp();
  expect(reader.state.notes).toBe("kept");
  await add(reader, "elsewhere");
  expect(reader.state.notes).toBe("kept\nelsewhere");
  session.host("leaf", { targetId: here }, lastEntry(session.file));
  await reader.catchUp();
  expect(reader.state.notes).toBe("kept\nleft behind");
});

test("an entry `leaf` whose target is not there moves nothing", async () => {
  const session = folder.session();
  session.user("which way?");
  const reader = folder.reader(session.file, { fold: "branch" });
  await add(reader, "kept");
  for (const targetId of ["nobody", ""]) {
    session.host("leaf", { targetId }, lastEntry(session.file));
    await reader.catchUp();
    expect(reader.state.notes).toBe("kept");
  }
  await add(reader, "more");
  expect(reader.state.notes).toBe("kept\nmore");
});

test("lines of ours on lines of ours belong to the branch of the host line above them", async () => {
  const session = folder.session();
  const root = session.user("hello");
  const reader = folder.reader(session.file, { fold: "branch" });
  for (const text of ["1", "2", "3"]) await add(reader, text);
  session.user("from the middle of ours", linesOf(session.file).find(({ customType }) => customType !== undefined)?.id);
  await reader.catchUp();
  expect(reader.state.notes).toBe("1\n2\n3");
  session.user("from the root", root);
  await reader.catchUp();
  expect(reader.state.notes).toBe("1\n2\n3");
});

test("what was written before the first message belongs to every branch, also to a second root", async () => {
  const session = folder.session();
  const reader = folder.reader(session.file, { fold: "branch" });
  await add(reader, "first of all");
  session.host("message", { message: { role: "user" } }, null);
  await add(reader, "under the first root");
  fs.appendFileSync(
    session.file,
    `${JSON.stringify({ type: "message", id: "00ff00ff", parentId: null, message: { role: "user" } })}\n`,
  );
  await reader.catchUp();
  expect(reader.state.notes).toBe("first of all");
});

test.each([
  ["a value without an id", '{"type":"custom","customType":"openclaw:scratchpad:plan","data":"theirs"}\n'],
  ["a commit line whose parent is nowhere", ""],
])("%s before the first message belongs to every branch", async (_, line) => {
  const session = folder.session();
  if (line === "") {
    const writer = folder.reader(session.file, { mirror: false, fold: "branch" });
    await writer.append({ event: { type: "plan.set", text: "theirs" }, actor: "agent" });
    const text = fs.readFileSync(session.file, "utf8");
    fs.writeFileSync(session.file, text.replace('"parentId":null', '"parentId":"nowhere"'));
  } else session.append(line);
  session.user("hello");
  const reader = folder.reader(session.file, { fold: "branch" });
  await reader.catchUp();
  expect(reader.state.plan).toBe("theirs");
});

test("versions and accepted commits are those of the whole file", async () => {
  const session = folder.session();
  const root = session.user("hello");
  const branch = folder.reader(session.file, { fold: "branch" });
  await add(branch, "one");
  await add(branch, "two");
  session.user("back", root);
  const file = folder.reader(session.file, { fold: "file" });
  expect(await branch.catchUp()).toMatchObject({ version: 2, hash: (await file.catchUp()).hash });
  expect(file.events).toHaveLength(2);
});

test("older runtimes find the values of the branch after the next acknowledgement", async () => {
  const session = folder.session();
  const root = session.user("hello");
  const reader = folder.reader(session.file, { fold: "branch" });
  await add(reader, "left behind");
  session.user("back", root);
  const other = session.user("elsewhere");
  await reader.append({ event: { type: "plan.set", text: "p" }, actor: "agent" });
  expect(reader.state).toMatchObject({ notes: "left behind", plan: "p" });
  session.append(`${JSON.stringify({ type: "message", id: "0badcafe", parentId: null, message: { role: "user" } })}\n`);
  await reader.append({ event: { type: "ref.added", ref: "r" }, actor: "agent" });
  expect(reader.state).toMatchObject({ notes: "", plan: "", refs: ["r"] });
  expect(valuesIn(session.file)).toMatchObject({ notes: "", plan: "", refs: ["r"] });
  expect(pathOf(session.file)).toContain("0badcafe");
  expect(pathOf(session.file)).not.toContain(other);
});

test.each(["the same handle", "another one", "another one, from a snapshot"])(
  "a command of the abandoned branch that %s repeats leaves no commit that nobody counts",
  async (who) => {
    const session = folder.session();
    const root = session.user("which way?");
    const journal = await openJournal(session.file, { fold: "branch" });
    session.user("this way", root);
    await journal.plan.set("1. This way", { command: "toolu_1" });
    if (who.endsWith("snapshot")) await journal.snapshot();
    session.user("another way", root);
    const repeating = who === "the same handle" ? journal : await openJournal(session.file, { fold: "branch" });
    await expect(repeating.plan.set("1. This way", { command: "toolu_1" })).rejects.toThrow(/another branch/);
    expect((await verifyFile(session.file)).findings).toEqual([]);
    expect(valuesIn(session.file)).toMatchObject({ plan: "" });
    expect((await repeating.plan.set("1. Another way", { command: "toolu_2" })).version).toBe(2);
    await repeating.close();
    await journal.close();
  },
);

describe("the policy is one per journal", () => {
  test.each([
    ["file", "branch"],
    ["branch", "file"],
  ] as const)("a journal under %s is not written under %s", async (written, asked) => {
    const session = folder.session();
    await add(folder.reader(session.file, { fold: written }), "one");
    const bytes = fs.readFileSync(session.file);
    const other = folder.reader(session.file, { fold: asked });
    await other.catchUp();
    expect(other.state.notes).toBe("one");
    await expect(add(other, "two")).rejects.toMatchObject({ code: "fold_policy" });
    expect(fs.readFileSync(session.file).equals(bytes)).toBe(true);
  });

  test("a handle that was told none goes by the journal's own, chosen before or after it was opened", async () => {
    const session = folder.session();
    const root = session.user("hello");
    const early = folder.reader(session.file);
    await early.catchUp();
    await add(folder.reader(session.file, { fold: "branch" }), "one");
    session.user("back", root);
    await add(early, "two");
    const late = await openJournal(session.file, { readonly: true });
    expect(late.state.notes).toBe("one\ntwo");
    session.append(
      `${JSON.stringify({ type: "message", id: "0badcafe", parentId: null, message: { role: "user" } })}\n`,
    );
    await late.refresh();
    expect(late.state.notes).toBe("");
    await late.close();
  });
});

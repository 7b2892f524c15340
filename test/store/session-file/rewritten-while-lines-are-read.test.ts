/** A host that rewrites its file in place while all of its lines are read: what was read of it then is of two files. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, test } from "vitest";
import { copyJournal, memoryStore, openJournal, redactJournal } from "../../../src/index.ts";
import type { ByteSource } from "../../../src/store/session-file/session-bytes.ts";
import { linesOf } from "../../../src/store/session-file/session-lines.ts";
import { useFolder } from "./folder.ts";

const folder = useFolder();
const { openSync, readSync } = fs;
const partBytes = 256 * 1024;

afterEach(() => {
  fs.readSync = readSync;
  fs.openSync = openSync;
  syncBuiltinESMExports();
});

/** Once the second part of all lines was read: a journal reads in pieces of the same size. */
function behindTwoParts(meanwhile: () => void): void {
  let isDone = false;
  fs.readSync = ((...given: Parameters<typeof readSync>) => {
    const count = readSync(...given);
    const [, , , length, position] = given as unknown as [number, Buffer, number, number, number];
    const isOfLines = length === partBytes && new Error("who reads").stack?.includes("file-lines.ts") === true;
    if (!isDone && isOfLines && position > 0) {
      isDone = true;
      meanwhile();
    }
    return count;
  }) as typeof readSync;
  syncBuiltinESMExports();
}

/** A file of several parts. */
async function longSession(): Promise<string> {
  const session = folder.session();
  const journal = await openJournal(session.file, { durability: "os" });
  for (let index = 0; index < 20; index++) {
    session.user(`${index} ${"x".repeat(60_000)}`);
    const answer = await journal.apply({ action: "set_notes", content: `the token is hunter2, ${index}` });
    expect(answer).toMatchObject({ ok: true });
  }
  await journal.close();
  return session.file;
}

const rewritings: readonly [string, (text: string) => string][] = [
  ["with a line less", (text) => text.split("\n").toSpliced(1, 1).join("\n")],
  ["to as many bytes", (text) => text.replaceAll("hunter2", "hunter3")],
  ["to fewer bytes than were read", (text) => text.slice(0, text.indexOf("\n", 300_000) + 1)],
];

test.each(rewritings)("verify does not judge two files as one, where one is rewritten %s", async (_, rewritten) => {
  const file = await longSession();
  const journal = await openJournal(file, { readonly: true });
  behindTwoParts(() => fs.writeFileSync(file, rewritten(fs.readFileSync(file, "utf8"))));
  await expect(journal.verify()).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message: `${file} was rewritten while it was read: try again`,
  });
  await journal.close();
});

test.each(rewritings)("no copy is made of two files, where one is rewritten %s", async (_, rewritten) => {
  const file = await longSession();
  const target = folder.path("copy.jsonl");
  behindTwoParts(() => fs.writeFileSync(file, rewritten(fs.readFileSync(file, "utf8"))));
  await expect(copyJournal(file, target)).rejects.toThrow("was rewritten while it was read: try again");
  expect(fs.existsSync(target) && fs.readFileSync(target, "utf8").includes("hunter")).toBe(false);
});

test.each(rewritings)("nothing is redacted of two files, where one is rewritten %s", async (_, rewritten) => {
  const file = await longSession();
  behindTwoParts(() => fs.writeFileSync(file, rewritten(fs.readFileSync(file, "utf8"))));
  await expect(redactJournal(file, folder.path("clean.jsonl"), { text: ["token"] })).rejects.toThrow(
    "was rewritten while it was read: try again",
  );
  expect(fs.readdirSync(folder.path()).filter((name) => name.includes("clean"))).toEqual([]);
});

test("what is appended meanwhile is no rewriting", async () => {
  const file = await longSession();
  const journal = await openJournal(file, { readonly: true });
  behindTwoParts(() => fs.appendFileSync(file, '{"type":"label","id":"a1","parentId":null}\n'));
  expect(await journal.verify()).toMatchObject({ ok: true });
  await journal.close();
});

test("a size that shows a moment after the time of an append is no rewriting", async () => {
  let [looks, length] = [0, 4];
  const source = {
    size: () => length,
    modifiedMs: () => {
      looks += 1;
      if (looks === 2) setTimeout(() => (length = 8), 0);
      return looks > 1 ? 2 : 1;
    },
    slice: (start: number, end: number) => Buffer.from("one\ntwo\n").subarray(start, end),
    close: () => undefined,
  } as unknown as ByteSource;
  const read: string[] = [];
  for await (const lines of linesOf(() => source, "file")) read.push(...lines.map(({ bytes }) => String(bytes)));
  expect(read).toEqual(["one"]);
});

/** The file as it is once another handle has added what is to go. */
async function grownOf(file: string): Promise<string> {
  const copy = folder.path("grown.jsonl");
  fs.copyFileSync(file, copy);
  const other = await openJournal(copy, { durability: "os" });
  await other.notes.set("pw hun@@");
  const edit = { action: "edit_notes", operation: "find_replace", find: "@@", replace: "ter2" } as const;
  expect(await other.apply(edit)).toMatchObject({ ok: true });
  await other.close();
  return fs.readFileSync(copy, "utf8");
}

test("nothing is redacted to a file of a history to which somebody adds meanwhile", async () => {
  const file = await longSession();
  const grown = await grownOf(file);
  fs.openSync = ((...given: Parameters<typeof openSync>) => {
    if (new Error("who opens").stack?.includes("session-lines.ts") === true) fs.writeFileSync(file, grown);
    return openSync(...given);
  }) as typeof openSync;
  syncBuiltinESMExports();
  await expect(redactJournal(file, folder.path("clean.jsonl"), { text: ["hunter2"] })).rejects.toMatchObject({
    fate: "not-written",
    message: expect.stringContaining("grew while it was redacted"),
  });
  expect(fs.readdirSync(folder.path()).filter((name) => name.includes("clean"))).toEqual([]);
});

test.each(["grown", "rewritten"])("a store gets nothing of a history that was not looked through: %s", async (how) => {
  const file = await longSession();
  const grown = await grownOf(file);
  const id = String(JSON.parse(grown.split("\n")[0] ?? "")["id"]);
  const target = memoryStore({ sessionId: id });
  const { catchUp } = target;
  let isDone = false;
  target.catchUp = (...given) => {
    if (!isDone) fs.writeFileSync(file, how === "grown" ? grown : grown.replaceAll("hunter2, 1", "hunter2, 7"));
    isDone = true;
    return catchUp.call(target, ...given);
  };
  const redacting = redactJournal(file, target, { text: ["hunter2"] });
  if (how === "grown") await redacting;
  else
    await expect(redacting).rejects.toMatchObject({ fate: "unknown", message: expect.stringContaining("remove it") });
  const copy = await openJournal(target, { readonly: true });
  for await (const event of copy.history()) expect(JSON.stringify(event)).not.toMatch(/hunter2|hun@@|ter2/);
  await copy.close();
});

test("what is to go from a version is not looked for in another history that has come between", async () => {
  const file = await longSession();
  const lines = fs.readFileSync(file, "utf8").split("\n");
  const first = lines.findIndex((line) => line.includes("hunter2, 0"));
  const other = lines.toSpliced(0, lines.length, ...lines.slice(0, 1), ...lines.slice(1, first)).join("\n");
  fs.openSync = ((...given: Parameters<typeof openSync>) => {
    if (new Error("who opens").stack?.includes("session-lines.ts") === true) fs.writeFileSync(file, `${other}\n`);
    return openSync(...given);
  }) as typeof openSync;
  syncBuiltinESMExports();
  await expect(redactJournal(file, folder.path("clean.jsonl"), { version: [5] })).rejects.toThrow(
    "was rewritten while",
  );
  expect(fs.readdirSync(folder.path()).filter((name) => name.includes("clean"))).toEqual([]);
});

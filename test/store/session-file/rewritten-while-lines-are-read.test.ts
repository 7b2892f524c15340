/** A host that rewrites its file in place while all of its lines are read: what was read of it then is of two files. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { afterEach, expect, test } from "vitest";
import { copyJournal, openJournal, redactJournal } from "../../../src/index.ts";
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

/** Whose id a line of ours has: only one of our own making can prove that the line was changed. */
import fs from "node:fs";
import { expect, test } from "vitest";
import { linkCommit } from "../../../src/line/encode.ts";
import { names } from "../../line/lines.ts";
import { linesOf, useFolder } from "../../store/session-file/folder.ts";
import { verifyFile } from "../../store/session-file/verify-file.ts";

const folder = useFolder();
const time = "2026-11-21T22:00:00.000Z";

/** A session with a commit of ours and its mirror. */
async function session() {
  const made = folder.session();
  made.user("hello");
  const reader = folder.reader(made.file);
  await reader.append({ event: { type: "notes.set", text: "ours" }, actor: "agent" });
  return { file: made.file, append: (text: string) => made.append(text) };
}

/** A commit as an implementation of its own writes it, which knows nothing of how we make ids. */
async function appendForeignCommit(base: number, id: string): Promise<string> {
  const { file, append } = await session();
  const { head } = await verifyFile(file);
  const events = [{ type: "plan.set", text: "theirs" }];
  const data = linkCommit({ v: 1, id: "theirs", at: time, events }, { ...head, version: base }, "file");
  const parentId = linesOf(file).at(-1)?.id;
  append(`${JSON.stringify({ type: "custom", customType: names.events, data, id, parentId, timestamp: time })}\n`);
  return file;
}

const ids = ["x1", "0f0e0d0c-0b0a-4908-8706-050403020100", "d5d24409-9e03-4617-b809-4cc1c103b99c"];

test.each(ids)("a commit of another writer of the format, under the id %s, is no damage beside ours", async (id) => {
  expect(await verifyFile(await appendForeignCommit(1, id))).toMatchObject({ ok: true, findings: [] });
});

test.each(ids)("one that came too late, under the id %s, is a note", async (id) => {
  const { ok, findings } = await verifyFile(await appendForeignCommit(0, id));
  expect([ok, findings.map(({ kind, severity }) => `${severity} ${kind}`)]).toEqual([true, ["note fork"]]);
});

test("a digit that was changed in the time beside a commit, or beside its mirror, is damage", async () => {
  const { file } = await session();
  const text = fs.readFileSync(file, "utf8");
  const times = [...text.matchAll(/"timestamp":"2026/g)].slice(-2);
  for (const { index } of times) {
    const digit = index + '"timestamp":"202'.length;
    fs.writeFileSync(file, `${text.slice(0, digit)}5${text.slice(digit + 1)}`);
    const { findings } = await verifyFile(file);
    expect(findings.map(({ kind, severity }) => `${severity} ${kind}`)).toEqual(["damage tree"]);
  }
});

/** What the newest turn changed is held and kept in snapshots: it must be what a reading of everything gives. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { newSession } from "../cli/cli.ts";

async function expectSame(journal: Journal): Promise<void> {
  await journal.refresh();
  const { turn } = journal;
  const read = await journal.diff(turn === 0 ? 0 : `t${turn - 1}`, "head");
  expect(await journal.diff()).toEqual(read);
  expect(await journal.diff(`t${turn}`)).toEqual(read);
}

async function reopened(file: string, readonly = true): Promise<Journal> {
  return openJournal(file, { readonly });
}

function hostMessage(file: string): void {
  const id = Math.random().toString(16).slice(2, 10).padStart(8, "0");
  const message = { type: "message", id, parentId: null, message: { role: "user", content: "next" } };
  appendFileSync(file, `${JSON.stringify(message)}\n`);
}

test("the newest turn of a resumed journal differs from what a reading gives", async () => {
  const file = newSession();
  const writer = await reopened(file, false);
  await expectSame(writer);
  await writer.plan.set("1. one");
  await expectSame(writer);
  await writer.snapshot();
  await expectSame(await reopened(file));
  await writer.beginTurn({ id: "one" });
  await writer.apply({ action: "set_notes", content: "a" });
  await writer.applyAll([
    { action: "append_notes", content: "b" },
    { action: "refs.add", ref: "c" },
  ]);
  await writer.apply({ action: "refs.remove", ref: "none" });
  await expectSame(writer);
  await writer.snapshot();
  const reader = await reopened(file);
  await expectSame(reader);
  // A message of the host's begins a turn, which has no events yet.
  hostMessage(file);
  await expectSame(reader);
  await expectSame(await reopened(file));
  await writer.notes.append("d");
  await expectSame(reader);
  await expectSame(writer);
  await writer.snapshot();
  await expectSame(await reopened(file));
  expect(await writer.verify()).toMatchObject({ ok: true });
  await writer.close();
});

test("a turn with more events than are held is shown in part", async () => {
  const file = newSession();
  const writer = await reopened(file, false);
  await writer.beginTurn({ id: "one" });
  await writer.applyAll(Array.from({ length: 300 }, (_, index) => ({ action: "refs.add", ref: `${index}` })));
  await expectSame(writer);
  await writer.snapshot();
  const resumed = await reopened(file, false);
  await resumed.notes.append("in the same turn");
  await expectSame(resumed);
  await resumed.beginTurn({ id: "two" });
  await resumed.notes.append("in the next");
  await expectSame(resumed);
  for (const journal of [writer, resumed]) await journal.close();
});

test("a snapshot that lies about the newest turn goes unnoticed", async () => {
  const file = newSession();
  const writer = await reopened(file, false);
  await writer.notes.set("kept");
  await writer.snapshot();
  await writer.close();
  const snapshot = join(dirname(file), ".session-journal", `${file.split("/").at(-1)}.snapshot.json`);
  const [body = ""] = readFileSync(snapshot, "utf8").split("\n");
  const forged = JSON.stringify({ ...JSON.parse(body), newest: forgedTurn(JSON.parse(body)) });
  writeFileSync(snapshot, `${forged}\n${forged}\n`);
  const { findings } = await (await reopened(file)).verify();
  expect(findings).toMatchObject([
    { kind: "snapshot", detail: expect.stringContaining("its newest turn is not that") },
  ]);
  rmSync(snapshot);
});

function forgedTurn({ newest }: { readonly newest: { readonly events: readonly object[] } }): object {
  return { ...newest, events: newest.events.map((recorded) => ({ ...recorded, actor: "somebody else" })) };
}

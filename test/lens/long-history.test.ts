/** A long history of another client comes in pages. It is one history, wherever a reader stops between them. */
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyJournal, openJournal } from "../../src/index.ts";
import { nestingMax } from "../../src/line/json.ts";
import { foreignFile } from "../../src/store/lens/foreign-file.ts";
import { HeldEntries } from "../../src/store/lens/held-entries.ts";
import { lensStore } from "../../src/store/lens/lens-log.ts";
import type { LogEntry, LogPage, LogPages } from "../../src/stream/log.ts";
import { temporaryFolder } from "../cli/cli.ts";
import { MadeClaude } from "./claude-made.ts";

const changes = 700;

function longSession(): { readonly file: string; readonly session: MadeClaude } {
  const session = new MadeClaude();
  session.prompt("go");
  for (let change = 1; change <= changes; change++) session.task(String(change), `\ud800 task ${change}`);
  const file = join(temporaryFolder(), "session.jsonl");
  writeFileSync(file, printed(session));
  return { file, session };
}

function printed({ lines }: MadeClaude, from = 0): string {
  return lines
    .slice(from)
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

async function pagesOf(read: LogPages): Promise<LogPage[]> {
  const pages: LogPage[] = [];
  for await (const page of read) pages.push(page);
  return pages;
}

function eventsIn(pages: readonly LogPage[]): Extract<LogEntry, { kind: "event" }>[] {
  return pages.flatMap(({ entries }) => entries).filter((entry) => entry.kind === "event");
}

test("a history of several pages is told once and in order, and goes on from between them", async () => {
  const { file } = longSession();
  const foreign = foreignFile(file);
  if (foreign === undefined) throw new Error("no session");
  const { log } = lensStore(foreign);
  const pages = await pagesOf(log.read(undefined));
  expect(pages.length).toBeGreaterThan(2);
  expect(pages.map(({ entries }) => entries.filter(({ kind }) => kind === "begin").length)).toEqual(
    pages.map((_, index) => (index === 0 ? 1 : 0)),
  );
  const all = eventsIn(pages);
  expect(all).toHaveLength(changes);
  expect(all.every(({ recorded }) => Object.isFrozen(recorded.event))).toBe(true);
  for (const [index, { cursor }] of pages.entries()) {
    const rest = await pagesOf(log.read(cursor));
    expect(eventsIn(rest)).toEqual(eventsIn(pages.slice(index + 1)));
  }
  await log.close();
});

test("what is appended to a long session comes behind its history, and a rewind begins another one", async () => {
  const { file, session } = longSession();
  const journal = await openJournal(file, { readonly: true });
  expect([journal.version, journal.turn]).toEqual([changes, 1]);
  const lines = session.lines.length;
  session.task("last", "last");
  appendFileSync(file, printed(session, lines));
  await journal.refresh();
  expect(journal.version).toBe(changes + 1);
  const before = session.lines.length;
  session.tip = String(session.lines[0]?.["uuid"]);
  session.prompt("again");
  session.task("other", "other");
  appendFileSync(file, printed(session, before));
  await journal.refresh();
  expect([journal.version, journal.turn]).toEqual([1, 2]);
  await journal.close();
});

test("a few long texts do not wait for more, for together they would be longer than a string can be", () => {
  const told = new HeldEntries();
  const text = "x".repeat(2 * 1024 * 1024);
  const refused = { type: "action.refused", action: "set_plan", code: "rejected", offered: { content: text } } as const;
  for (const event of [{ type: "plan.set", text }, refused, { type: "plan.set", text: "" }] as const) {
    const recorded = { event, at: "2026-01-01T00:00:00.000Z", turn: 1, actor: "a", origin: "host", offset: 0 } as const;
    told.push({ kind: "event", calls: 0, recorded });
  }
  expect(told.parts).toBe(3);
  expect([...told].map((entry) => entry.kind === "event" && entry.recorded.event.type)).toEqual([
    "plan.set",
    "action.refused",
    "plan.set",
  ]);
});

test("markers with long texts do not wait for more, either", () => {
  const told = new HeldEntries();
  const detail = "x".repeat(2 * 1024 * 1024);
  for (let line = 1; line <= 5; line++)
    told.push({ kind: "marker", marker: { marker: "branch", offset: 0, line, detail } });
  expect(told.parts).toBe(5);
});

test("many small changes come out in their order, those that were packed and those that were not", () => {
  const told = new HeldEntries();
  const event = { type: "plan.set", text: "x" } as const;
  for (let offset = 0; offset < 5000; offset++) {
    const recorded = { event, at: "2026-01-01T00:00:00.000Z", turn: 1, actor: "a", origin: "host", offset } as const;
    told.push({ kind: "event", calls: 0, recorded });
  }
  expect(told.parts).toBeGreaterThan(16);
  const offsets = [...told].map((entry) => entry.kind === "event" && entry.recorded.offset);
  expect(offsets).toEqual(Array.from({ length: 5000 }, (_, offset) => offset));
});

test("a refused call with arguments that are nested without end stops no reader, and can be copied", async () => {
  const session = new MadeClaude();
  session.prompt("go");
  session.result(session.call("TaskUpdate", { taskId: "1", extra: "DEEP" }), "no", { isError: true });
  for (let turn = 2; turn <= 200; turn++) session.prompt("more");
  for (const [depth, isTold] of [
    [nestingMax - 9, true],
    [9000, false],
  ] as const) {
    const folder = temporaryFolder();
    const file = join(folder, "session.jsonl");
    writeFileSync(file, printed(session).replace('"DEEP"', "[".repeat(depth) + "]".repeat(depth)));
    const copy = join(folder, "copy.jsonl");
    await copyJournal(file, copy);
    for (const where of [file, copy]) {
      const journal = await openJournal(where, { readonly: true });
      const [lost] = await journal.lost({ all: true });
      expect([lost?.reason, lost?.text.includes("too deep")]).toEqual(["refused", !isTold]);
      await journal.close();
    }
  }
});

import { expect, test } from "vitest";
import { Ledger } from "../../src/line/acceptance.ts";
import { commitLine, linkCommit } from "../../src/line/encode.ts";
import { fold } from "../../src/state/fold.ts";
import { encodeContext, session, takeAll } from "./lines.ts";

function written(v: number, events: readonly { readonly type: string; readonly [field: string]: unknown }[]): Buffer {
  const commit = { v, id: `c-${v}`, at: session.timestamp, events };
  return Buffer.from(commitLine(linkCommit(commit, new Ledger(session).head, "file"), null, encodeContext()).text);
}

test("a commit of schema 0 means today what it meant then, and its line stays as it is", () => {
  const line = written(0, [
    { type: "notes.set", content: "an old text", actor: "agent" },
    { type: "ref.added", value: "src/old.ts", actor: "agent", command: "call-1" },
    { type: "plan.set", text: "as today", actor: "agent" },
  ]);
  const before = Buffer.from(line);
  const history = takeAll(line);
  expect(line.equals(before)).toBe(true);
  expect(history.map(({ event }) => event)).toEqual([
    { type: "notes.set", text: "an old text" },
    { type: "ref.added", ref: "src/old.ts" },
    { type: "plan.set", text: "as today" },
  ]);
  expect(history[1]).toMatchObject({ version: 2, actor: "agent", command: "call-1" });
  expect(fold(history.map(({ event }) => event))).toMatchObject({ notes: "an old text", refs: ["src/old.ts"] });
});

test("today's commit is not read by the rules of schema 0", () => {
  const history = takeAll(written(1, [{ type: "notes.set", content: "an old text", actor: "agent" }]));
  expect(history.map(({ event }) => event.type)).toEqual(["unknown"]);
});

test.each([2, 99, -1, 0.5, 2 ** 53])("a commit of schema %s counts, and its events are kept whole, unknown", (v) => {
  const history = takeAll(written(v, [{ type: "notes.set", text: "of the future", mood: 7, actor: "agent" }]));
  expect(history).toMatchObject([
    { version: 1, event: { type: "unknown", name: "notes.set", payload: { text: "of the future", mood: 7 } } },
  ]);
});

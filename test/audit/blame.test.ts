import { expect, test } from "vitest";
import { blame } from "../../src/audit/blame.ts";
import { emptyImage, historyOf } from "./histories.ts";

function authors(history: Parameters<typeof blame>[0], space?: Parameters<typeof blame>[1]): [string, number][] {
  return blame(history, space).map(({ text, version }) => [text, version]);
}

test("a line names its place, its text and the event that wrote it", () => {
  const history = historyOf([{ event: { type: "entry.written", key: "k", text: "a\nb" }, command: "call-1", turn: 3 }]);
  expect(blame(history)).toEqual([
    {
      space: "entries",
      key: "k",
      line: 1,
      text: "a",
      version: 1,
      turn: 3,
      actor: "agent",
      at: history[0]?.at,
      command: "call-1",
    },
    {
      space: "entries",
      key: "k",
      line: 2,
      text: "b",
      version: 1,
      turn: 3,
      actor: "agent",
      at: history[0]?.at,
      command: "call-1",
    },
  ]);
});

test("lines keep their author through edits of other lines, appends, prepends and find and replace elsewhere", () => {
  const history = historyOf([
    { type: "notes.set", text: "one\ntwo\nthree" },
    { type: "notes.appended", text: "four" },
    { type: "notes.edited", operation: "prepend", text: "zero" },
    { type: "notes.edited", operation: "find_replace", find: "two", replace: "2" },
    { type: "plan.set", text: "elsewhere" },
  ]);
  expect(authors(history, "notes")).toEqual([
    ["zero", 3],
    ["one", 1],
    ["2", 4],
    ["three", 1],
    ["four", 2],
  ]);
});

test("a host's bare rewrite takes only the lines that it changed", () => {
  const history = historyOf([
    { type: "notes.set", text: "one\ntwo\nthree\nfour" },
    { event: { type: "notes.set", text: "one\n2\nthree\nfour\nfive" }, origin: "host", actor: "host" },
  ]);
  expect(authors(history)).toEqual([
    ["one", 1],
    ["2", 2],
    ["three", 1],
    ["four", 1],
    ["five", 2],
  ]);
});

test("a line that a restore brings back belongs to whoever wrote it first", () => {
  const history = historyOf([
    { type: "notes.set", text: "one" },
    { type: "notes.appended", text: "two" },
    { type: "notes.set", text: "all new" },
    { type: "state.restored", to: 2, state: { ...emptyImage, notes: "one\ntwo" } },
  ]);
  expect(authors(history)).toEqual([
    ["one", 1],
    ["two", 2],
  ]);
});

test("a restore of a version that is not in this history is its own author, except of lines that stood", () => {
  const history = historyOf([
    { type: "notes.set", text: "one" },
    { type: "state.restored", to: 90, state: { ...emptyImage, notes: "one\ntwo" } },
  ]);
  expect(authors(history)).toEqual([
    ["one", 1],
    ["two", 2],
  ]);
});

test("what a fork brought along belongs to the fork", () => {
  const state = { ...emptyImage, notes: "one\ntwo", entries: { k: "v" } };
  const from = { session: "parent", version: 7, hash: "abc" };
  const history = historyOf([
    { type: "session.forked", from, state },
    { type: "notes.appended", text: "three" },
  ]);
  expect(authors(history)).toEqual([
    ["one", 1],
    ["two", 1],
    ["three", 2],
    ["v", 1],
  ]);
});

test("a line beside its equal is not mistaken for it", () => {
  const history = historyOf([
    { type: "notes.set", text: "x" },
    { type: "notes.edited", operation: "prepend", text: "x" },
    { type: "ref.added", ref: "r" },
    { type: "ref.added", ref: "r" },
    { type: "ref.removed", ref: "r" },
    { type: "ref.added", ref: "s" },
    { type: "ref.added", ref: "t", evicted: "r" },
  ]);
  expect(authors(history)).toEqual([
    ["x", 2],
    ["x", 1],
    ["s", 6],
    ["t", 7],
  ]);
});

test("an ignored write, a refusal and a deleted and rewritten entry do not pass for authors of what stands", () => {
  const history = historyOf([
    { type: "entry.written", key: "k", text: "v" },
    { type: "entry.deleted", key: "k" },
    { type: "entry.written", key: "k", text: "v" },
    { type: "notes.set", text: "n" },
    { event: { type: "legacy.set", text: "n", ignored: true }, origin: "legacy" },
    { type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: "n" } },
  ]);
  expect(authors(history)).toEqual([
    ["n", 4],
    ["v", 3],
  ]);
});

test("one space can be asked for, and an empty section still has its line", () => {
  const history = historyOf([
    { type: "plan.set", text: "p" },
    { type: "section.written", name: "s", text: "", at: "2026-11-21T20:00:00.000Z" },
  ]);
  expect(blame(history, "sections")).toMatchObject([{ space: "sections", key: "s", line: 1, text: "" }]);
});

test("a space that does not exist is no space without lines", () => {
  expect(() => blame(historyOf([{ type: "notes.set", text: "a" }]), "note" as never)).toThrow(TypeError);
});

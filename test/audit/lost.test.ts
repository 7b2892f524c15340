import { expect, test } from "vitest";
import { lost } from "../../src/audit/lost.ts";
import { emptyImage, historyOf } from "./histories.ts";

function losses(history: Parameters<typeof lost>[0]): [number, string, string, string][] {
  return lost(history).map(({ version, reason, space, text }) => [version, reason, space, text]);
}

test("a cut end, a capped list, an evicted ref and a refused offer are each there whole", () => {
  const history = historyOf([
    { type: "notes.set", text: "kept", dropped: "cut\noff" },
    { type: "plan.set", text: "kept", dropped: "later steps" },
    { type: "refs.set", refs: ["a"], dropped: ["b", "c\nd"] },
    { type: "ref.added", ref: "e", evicted: "a" },
    { type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: "too much" } },
    { type: "action.refused", action: "refs.remove", code: "not_found", offered: { ref: "gone" } },
    {
      type: "action.refused",
      action: "entries.write",
      code: "held",
      offered: { action: "entries.write", key: "k", content: "mine" },
    },
  ]);
  expect(losses(history)).toEqual([
    [1, "truncated", "notes", "cut\noff"],
    [2, "truncated", "plan", "later steps"],
    [3, "capped", "refs", "b"],
    [3, "capped", "refs", "c\nd"],
    [4, "evicted", "refs", "a"],
    [5, "refused", "notes", "too much"],
    [6, "refused", "refs", "gone"],
    [7, "refused", "entries", "mine"],
  ]);
});

test("a refused edit is kept with everything that it offered", () => {
  const offered = { operation: "find_replace", find: "a", replace: "b" };
  const [loss] = lost(historyOf([{ type: "action.refused", action: "edit_notes", code: "not_found", offered }]));
  expect(JSON.parse(loss?.text ?? "")).toEqual(offered);
});

test("what a runtime writes over from outside is lost by the line; what only moved is not", () => {
  const history = historyOf([
    { type: "notes.set", text: "one\ntwo\ntwo\nthree" },
    { event: { type: "notes.set", text: "three\nONE\ntwo" }, origin: "host" },
    { type: "refs.set", refs: ["a", "b", "b"] },
    { event: { type: "refs.set", refs: ["b", "c"] }, origin: "host" },
    { event: { type: "legacy.set", text: "" }, origin: "legacy" },
  ]);
  expect(losses(history)).toEqual([
    [2, "replaced", "notes", "one\ntwo"],
    [4, "replaced", "refs", "a"],
    [4, "replaced", "refs", "b"],
    [5, "replaced", "notes", "three\nONE\ntwo"],
  ]);
});

test("what an agent itself replaces, edits, deletes or restores is no loss", () => {
  const history = historyOf([
    { type: "notes.set", text: "one" },
    { type: "notes.set", text: "two" },
    { type: "notes.edited", operation: "delete", find: "two" },
    { type: "entry.written", key: "k", text: "v" },
    { type: "entry.deleted", key: "k" },
    { type: "state.restored", to: 0, state: emptyImage },
  ]);
  expect(lost(history)).toEqual([]);
});

test("an ignored legacy write is listed and takes nothing else away", () => {
  const history = historyOf([
    { type: "notes.set", text: "new" },
    { event: { type: "legacy.set", text: "old", ignored: true }, origin: "legacy", actor: "legacy", turn: 2 },
  ]);
  expect(lost(history)).toEqual([
    { version: 2, turn: 2, at: history[1]?.at, actor: "legacy", reason: "ignored", space: "notes", text: "old" },
  ]);
});

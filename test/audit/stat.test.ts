import { expect, test } from "vitest";
import { statBetween } from "../../src/audit/stat.ts";
import { initialState, type ScratchpadState } from "../../src/state/state.ts";

const state = (parts: Partial<ScratchpadState>): ScratchpadState => ({ ...initialState, ...parts });
const section = (text: string) => ({ text, at: "2026-11-21T20:00:00.000Z" });

test("counts what each space lost and gained", () => {
  const before = state({
    notes: "one\ntwo\nthree",
    plan: "same",
    refs: ["a", "b"],
    entries: { gone: "x\ny", kept: "k", "": "empty" },
    sections: { today: section("old") },
  });
  const after = state({
    notes: "one\n2\nthree\nfour",
    plan: "same",
    refs: ["b", "c", "d"],
    entries: { kept: "k", "": "empty", new: "" },
    sections: { today: section("new") },
  });
  expect(statBetween(before, after)).toEqual([
    { space: "notes", added: 2, removed: 1 },
    { space: "refs", added: 2, removed: 1 },
    { space: "entries", key: "gone", added: 0, removed: 2 },
    { space: "entries", key: "new", added: 1, removed: 0 },
    { space: "sections", key: "today", added: 1, removed: 1 },
  ]);
  expect(statBetween(before, before)).toEqual([]);
});

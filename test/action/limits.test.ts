import { expect, test } from "vitest";
import { budgetViolations } from "../../src/action/budget.ts";
import { defaultLimits, parseLimits } from "../../src/action/limits.ts";
import { freezeState } from "../../src/state/image.ts";
import { initialState } from "../../src/state/state.ts";

test("what is not given is the default", () => {
  expect(parseLimits()).toEqual(defaultLimits);
  expect(parseLimits({ notes: 0, plan: undefined })).toEqual({ ...defaultLimits, notes: 0 });
});

test.each([
  [{ note: 5 }, "limits.note is not a limit: did you mean limits.notes?"],
  [{ entrysTotal: 5 }, "limits.entrysTotal is not a limit: did you mean limits.entriesTotal?"],
  [{ REFS: 5 }, "limits.REFS is not a limit: did you mean limits.refs?"],
  [{ notes: -1 }, "limits.notes must be a whole number of at least 0, not -1"],
  [{ plan: 1.5 }, "limits.plan must be a whole number of at least 0, not 1.5"],
  [{ refs: "50" }, 'limits.refs must be a whole number of at least 0, not "50"'],
  [{ entry: Number.POSITIVE_INFINITY }, "limits.entry must be a whole number of at least 0, not Infinity"],
])("limits %j are a mistake that is named", (limits, message) => {
  expect(() => parseLimits(limits as object)).toThrow(new TypeError(message));
});

test("a violation names its space, its use and its limit", () => {
  const state = freezeState({
    ...initialState,
    notes: "aaa",
    refs: ["a", "b"],
    entries: { k: "é", l: "x" },
    sections: { s: { text: "", at: "" } },
  });
  const limits = { notes: 2, plan: 0, refs: 1, entry: 1, entriesTotal: 2, sections: 0 };
  expect(budgetViolations(state, limits)).toEqual([
    { space: "notes", used: 3, limit: 2 },
    { space: "refs", used: 2, limit: 1 },
    { space: "entries", used: 3, limit: 2 },
    { space: "sections", used: 1, limit: 0 },
    { space: "entries", key: "k", used: 2, limit: 1 },
  ]);
  expect(budgetViolations(initialState, limits)).toEqual([]);
});

import { describe, expect, test } from "vitest";
import { diffSpaces, diffStates, hasLongText, patchBetween } from "../../src/audit/diff.ts";
import { longTextUnits } from "../../src/audit/long-text-units.ts";
import { freezeState } from "../../src/state/image.ts";
import type { ScratchpadState } from "../../src/state/state.ts";
import { emptyImage } from "./histories.ts";

const stateWith = (part: Partial<ScratchpadState>): ScratchpadState => freezeState({ ...emptyImage, ...part });
const refs = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `ref ${index + from}`);

describe("the patch", () => {
  test("of equal states is empty, and so is the text", () => {
    const state = stateWith({ notes: "n", refs: ["a"], entries: { k: "v" } });
    expect(diffStates(state, stateWith({ notes: "n", refs: ["a"], entries: { k: "v" } }))).toEqual({
      patch: [],
      text: "",
    });
  });

  test("of dropping the oldest of many refs and adding one is two operations", () => {
    expect(patchBetween(stateWith({ refs: refs(50) }), stateWith({ refs: refs(50, 1) }))).toEqual([
      { op: "remove", path: "/refs/0" },
      { op: "add", path: "/refs/49", value: "ref 50" },
    ]);
  });

  test("of dropping the oldest of equal refs and adding one stays small", () => {
    const before = stateWith({ refs: ["a", "a", "a", "b"] });
    expect(patchBetween(before, stateWith({ refs: ["a", "a", "b", "c"] }))).toHaveLength(2);
  });

  test("of refs that share little is one replacement", () => {
    expect(patchBetween(stateWith({ refs: refs(50) }), stateWith({ refs: ["x"] }))).toEqual([
      { op: "replace", path: "/refs", value: ["x"] },
    ]);
  });

  test("of more refs than are worth comparing is one replacement, and fast", () => {
    const before = stateWith({ refs: refs(20_000) });
    const after = stateWith({ refs: refs(20_000, 20_000) });
    expect(patchBetween(before, after)).toEqual([{ op: "replace", path: "/refs", value: after.refs }]);
  });

  test("escapes ~ and / in names", () => {
    const after = stateWith({ sections: { "a/b~c": { text: "t", at: "2026-01-01T00:00:00.000Z" } } });
    expect(patchBetween(stateWith({}), after)[0]).toMatchObject({ op: "add", path: "/sections/a~1b~0c" });
    expect(patchBetween(after, stateWith({}))).toEqual([{ op: "remove", path: "/sections/a~1b~0c" }]);
  });
});

describe("the text", () => {
  test("is one unified diff over all spaces", () => {
    const before = stateWith({ notes: "kept\nold", plan: "p" });
    const after = stateWith({ notes: "kept\nnew", plan: "p", refs: ["r"], entries: { k: "v" } });
    const names = { before: "v1", after: "v2" };
    expect(diffStates(before, after, names).text).toBe(
      [
        "--- v1",
        "+++ v2",
        "@@ -1,6 +1,12 @@",
        " # notes",
        " kept",
        "-old",
        "+new",
        " ",
        " # plan",
        " p",
        "+",
        "+# refs",
        "+- r",
        "+",
        "+# entry k",
        "+v",
        "",
      ].join("\n"),
    );
  });

  test("of texts that are not worth comparing is everything out, everything in", () => {
    const lines = (word: string) => Array.from({ length: 3000 }, (_, index) => `${word} ${index}`).join("\n");
    const { text } = diffStates(stateWith({ notes: lines("old") }), stateWith({ notes: lines("new") }));
    expect(text.startsWith("--- before\n+++ after\n@@ -1,3001 +1,3001 @@\n-# notes\n-old 0\n")).toBe(true);
    expect(text.endsWith("\n+new 2999\n")).toBe(true);
  });

  test("shows leases and sections with their times", () => {
    const until = "2026-01-01T00:05:00.000Z";
    const after = stateWith({
      leases: { k: { holder: "ann", until } },
      sections: { Todo: { text: "milk", at: "2026-01-01T00:00:00.000Z", ttlMinutes: 5 } },
    });
    const { text } = diffStates(stateWith({}), after);
    expect(text).toContain(`+# lease k: ann until ${until}`);
    expect(text).toContain("+# section Todo, 2026-01-01T00:00:00.000Z, for 5 minutes\n+milk");
  });
});

test("a text that is too long for a diff is told by its length and its SHA-256, on both sides", () => {
  const [long, longer] = ["x".repeat(longTextUnits), "x".repeat(longTextUnits + 1)];
  const states = [
    stateWith({ notes: long }),
    stateWith({ notes: longer }),
    stateWith({ notes: longer, plan: "p" }),
  ] as const;
  const [diff] = diffSpaces(states[0], states[1]);
  expect(diff?.text).toMatch(
    /^--- before notes\n\+\+\+ after notes\n-\(1048576 characters, .* SHA-256 \w{32}….*\)\n\+\(1048577 characters, .*\)\n$/,
  );
  expect(diffSpaces(states[1], states[2]).map(({ space }) => space)).toEqual(["plan"]);
  expect(states.map(hasLongText)).toEqual([true, true, true]);
  expect(hasLongText(stateWith({ notes: long.slice(1) }))).toBe(false);
});

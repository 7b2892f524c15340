import { describe, expect, test } from "vitest";
import { decide, reduce } from "../../src/action/decide.ts";
import { defaultLimits } from "../../src/action/limits.ts";
import { sameAction } from "../../src/action/replay.ts";
import { initialState } from "../../src/state/state.ts";

const at = "2026-01-01T00:00:00.000Z";
const limits = { ...defaultLimits, notes: 3 };
const measure = (text: string) => Math.ceil(text.length / 4);
const context = { limits, measure, actor: "agent", at, singleKey: true };
const set = (content: string) => ({ action: "set_notes", content });
const append = (content: string) => ({ action: "append_notes", content });

describe("notes as a single key", () => {
  test("holds the whole text after each change", () => {
    const first = reduce(initialState, set("abc"), context);
    expect(first.events).toEqual([{ type: "legacy.set", text: "abc" }]);
    const second = reduce(first.state, append("def"), context);
    expect(second.events).toEqual([{ type: "legacy.set", text: "abc\ndef" }]);
    expect(second.answer).toMatchObject({ ok: true, space: "notes", used: 2, limit: 3 });
    expect(second.state.notes).toBe("abc\ndef");
  });

  test("keeps what a budget cut off", () => {
    const { events, answer } = decide(initialState, set("a".repeat(14)), context);
    expect(events).toEqual([{ type: "legacy.set", text: "a".repeat(12), dropped: "aa" }]);
    expect(answer.warnings).toHaveLength(1);
  });

  test("refuses an append over budget as the notes do", () => {
    const state = { ...initialState, notes: "a".repeat(11) };
    const { events, answer } = decide(state, append("b"), context);
    expect(answer).toMatchObject({ ok: false, code: "over_budget", used: 3 });
    expect(events).toEqual([
      { type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: "b" } },
    ]);
  });

  test("leaves plan and refs as they are", () => {
    expect(decide(initialState, { action: "set_plan", content: "p" }, context).events).toEqual([
      { type: "plan.set", text: "p" },
    ]);
  });

  test.each([
    [set("abc"), { type: "legacy.set", text: "abc" }, true],
    [set("abcd"), { type: "legacy.set", text: "abc", dropped: "d" }, true],
    [set("abc"), { type: "legacy.set", text: "abc", dropped: "d" }, false],
    [append("def"), { type: "legacy.set", text: "abc\ndef" }, true],
    [append("def"), { type: "legacy.set", text: "def" }, true],
    [append("def"), { type: "legacy.set", text: "abcdef" }, false],
    [{ action: "refs.add", ref: "r" }, { type: "legacy.set", text: "r" }, false],
    [{ action: "nonsense" }, { type: "legacy.set", text: "r" }, false],
  ] as const)("a repeated %j is told from a reused command by %j", (action, event, same) => {
    expect(sameAction(action, event, at)).toBe(same);
  });
});

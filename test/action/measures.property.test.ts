/** Budgets in another unit, such as tokens, hold for every space as those in characters do. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { budgetViolations } from "../../src/action/budget.ts";
import { reduce } from "../../src/action/decide.ts";
import { defaultLimits, type Limits, recordedLimits } from "../../src/action/limits.ts";
import { checkedMeasures, type Measures } from "../../src/action/measures.ts";
import { actionOf } from "../../src/action/replay.ts";
import type { Space } from "../../src/event/event.ts";
import { initialState, type ScratchpadState } from "../../src/state/state.ts";
import { arbitraryAction, arbitraryLimits, arbitraryRequest, arbitraryState } from "../../src/testing/arbitraries.ts";
import { memoryJournal } from "../tool/memory-journal.ts";

const quarters = (text: string): number => Math.ceil(text.length / 4);
const bytes = (text: string): number => Buffer.byteLength(text);
const words = (text: string): number => text.split(" ").filter(Boolean).length;

const measure = fc.constantFrom(quarters, bytes, words);
const measures: fc.Arbitrary<Measures> = fc.oneof(
  measure,
  fc.record(
    { notes: measure, plan: measure, refs: measure, entries: measure, sections: measure },
    { requiredKeys: [] },
  ),
);
const context = fc.record({
  limits: arbitraryLimits(),
  measure: measures,
  actor: fc.constant("agent"),
  at: fc.constant("2026-01-01T00:00:00.000Z"),
});

/** Counted here once more, independently of the code under test. */
function sizes(state: ScratchpadState, given: Measures): Record<string, number> {
  const by = (space: Space) => (typeof given === "function" ? given : given[space]);
  const total = (texts: string[], count: (text: string) => number) => texts.reduce((sum, text) => sum + count(text), 0);
  const units = (text: string) => text.length;
  const byNumber = (space: "refs" | "sections") =>
    (typeof given === "function" ? undefined : given[space]) ?? (() => 1);
  const entry = by("entries") ?? bytes;
  return {
    notes: (by("notes") ?? units)(state.notes),
    plan: (by("plan") ?? units)(state.plan),
    refs: total([...state.refs], byNumber("refs")),
    entriesTotal: total(Object.values(state.entries), entry),
    sections: total(
      Object.values(state.sections).map(({ text }) => text),
      byNumber("sections"),
    ),
    ...Object.fromEntries(Object.entries(state.entries).map(([key, text]) => [`entry ${key}`, entry(text)])),
  };
}

test("no action takes a space beyond a budget that a measure counts, nor makes one that is beyond it larger", () => {
  fc.assert(
    fc.property(arbitraryState(), arbitraryRequest(), context, (state, action, given) => {
      const before = sizes(state, given.measure);
      const { state: after, answer } = reduce(state, action, given);
      const then = sizes(after, given.measure);
      for (const [space, size] of Object.entries(then)) {
        const limit = space.startsWith("entry ") ? given.limits.entry : given.limits[space as keyof Limits];
        expect(size).toBeLessThanOrEqual(Math.max(limit, before[space] ?? 0));
      }
      if (answer.space === null) return;
      expect(answer.used).toBe(then[answer.space === "entries" ? "entriesTotal" : answer.space]);
    }),
  );
});

test("from nothing, no budget that a measure counts is ever broken, and nothing that is cut off is lost", () => {
  fc.assert(
    fc.property(fc.array(arbitraryAction(), { maxLength: 12 }), context, (actions, given) => {
      let state = initialState;
      for (const action of actions) {
        const { events, state: after } = reduce(state, action, given);
        const [event] = events;
        if (event?.type === "ref.added" && event.evicted !== undefined)
          expect([event.evicted, ...after.refs]).toEqual([...state.refs, event.ref]);
        if (event !== undefined && action.action === "set_plan")
          expect(actionOf(event, given.at)).toMatchObject({ content: String(action.content).toWellFormed() });
        state = after;
      }
      expect(budgetViolations(state, given.limits, given.measure)).toEqual([]);
    }),
  );
});

test("naming the units that budgets have anyway changes nothing but the word for them", () => {
  const usual = {
    notes: (text: string) => text.length,
    plan: (text: string) => text.length,
    refs: () => 1,
    entries: bytes,
    sections: () => 1,
  };
  fc.assert(
    fc.property(arbitraryState(), arbitraryRequest(), context, (state, action, { measure: _, ...given }) => {
      const plain = reduce(state, action, given);
      const named = reduce(state, action, { ...given, measure: usual });
      expect(named.events).toEqual(plain.events);
      expect([named.answer.used, named.answer.limit]).toEqual([plain.answer.used, plain.answer.limit]);
    }),
  );
});

describe("a journal with a measure", () => {
  test("counts plan and entries by it, too, and refs by their number", async () => {
    const journal = await memoryJournal({ measure: words, limits: { plan: 2, entry: 3, refs: 2 } });
    expect((await journal.plan.set("one two three")).message).toBe(
      "plan set, truncated from 3 to 2 units: 2/2 units used",
    );
    expect((await journal.entries.write("a", "one two three four")).message).toContain("(4/3 units)");
    expect((await journal.refs.add("a b c")).message).toBe("ref added: 1/2 items used");
  });

  test("counts by space where it is told so, and makes room among refs by letting go of one at most", async () => {
    const journal = await memoryJournal({ measure: { refs: words }, limits: { refs: 3, plan: 3 } });
    expect((await journal.plan.set("abcd")).message).toContain("truncated from 4 to 3 chars");
    await journal.refs.set(["a", "b c", "d"]);
    expect(journal.state.refs).toEqual(["a", "b c"]);
    expect(await journal.refs.add("e f")).toMatchObject({ ok: false, code: "over_budget", used: 3 });
    expect(await journal.refs.add("e")).toMatchObject({ ok: true, used: 3, events: [{ evicted: "a" }] });
  });

  test("does not record a budget whose unit no reader could know", () => {
    const limits = { ...defaultLimits, plan: 7, refs: 7 };
    expect(recordedLimits(limits, { plan: words })).toEqual({ refs: 7 });
    expect(recordedLimits(limits, words)).toEqual({ refs: 7 });
    expect(recordedLimits({ ...defaultLimits, plan: 7 }, words)).toBeUndefined();
  });

  test.each<[unknown, RegExp]>([
    ["tokens", /must be a function/],
    [[words], /must be a function/],
    [{ note: words }, /measure\.note is no space: use notes, plan/],
    [{ plan: 4 }, /measure\.plan must be a function/],
  ])("is refused where it is %o", (given, message) => {
    expect(() => checkedMeasures(given, "measure")).toThrow(message);
  });
});

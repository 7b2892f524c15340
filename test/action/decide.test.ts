import { describe, expect, test } from "vitest";
import type { DecideContext } from "../../src/action/answer.ts";
import { budgetViolations } from "../../src/action/budget.ts";
import { decide, reduce } from "../../src/action/decide.ts";
import { defaultLimits } from "../../src/action/limits.ts";
import type { ScratchpadEvent } from "../../src/event/event.ts";
import { freezeState } from "../../src/state/image.ts";
import { initialState } from "../../src/state/state.ts";
import { type ExpectedOutcome, given, givenAt } from "../../src/testing/given.ts";

interface Row {
  readonly row: string;
  readonly history?: readonly ScratchpadEvent[];
  readonly action: unknown;
  readonly context?: Partial<DecideContext>;
  readonly outcome: ExpectedOutcome;
}

function table(name: string, rows: readonly Row[]): void {
  describe(name, () => {
    test.each(rows)("$row", ({ history = [], action, context, outcome }) => {
      given(history).when(action, context).then(outcome);
    });
  });
}

const notes = (text: string): ScratchpadEvent => ({ type: "notes.set", text });
const refs = (count: number): ScratchpadEvent => ({
  type: "refs.set",
  refs: Array.from({ length: count }, (_, index) => `r${index + 1}`),
});
const entry = (key: string, text: string): ScratchpadEvent => ({ type: "entry.written", key, text });
const lease = (holder: string, until: string): ScratchpadEvent => ({ type: "lease.claimed", key: "k", holder, until });
const limited = (limits: Partial<typeof defaultLimits>) => ({ limits: { ...defaultLimits, ...limits } });
const later = "2026-11-21T20:00:30.000Z";
const earlier = "2026-11-21T19:59:59.000Z";

table("set_notes and set_plan", [
  {
    row: "notes",
    action: { action: "set_notes", content: "0123456789" },
    outcome: {
      events: [{ type: "notes.set", text: "0123456789" }],
      answer: {
        ok: true,
        message: "notes set: 10/4000 chars used",
        version: 1,
        space: "notes",
        used: 10,
        limit: 4000,
        warnings: [],
      },
      state: { notes: "0123456789" },
    },
  },
  {
    row: "plan",
    action: { action: "set_plan", content: "1. Fix auth bug\n2. Add test" },
    outcome: {
      events: [{ type: "plan.set", text: "1. Fix auth bug\n2. Add test" }],
      answer: { ok: true, message: "plan set: 27/2000 chars used", space: "plan", used: 27, limit: 2000 },
    },
  },
  {
    row: "an empty text clears",
    history: [notes("a")],
    action: { action: "set_notes", content: "" },
    outcome: {
      events: [{ type: "notes.set", text: "" }],
      answer: { message: "notes set: 0/4000 chars used" },
      state: { notes: "" },
    },
  },
  {
    row: "nothing new is an event all the same",
    history: [notes("a")],
    action: { action: "set_notes", content: "a" },
    outcome: { events: [notes("a")], answer: { ok: true } },
  },
  {
    row: "exactly the budget is not cut",
    action: { action: "set_notes", content: "x".repeat(4000) },
    outcome: { events: [notes("x".repeat(4000))], answer: { warnings: [] } },
  },
  {
    row: "too long is cut, said, and kept",
    action: { action: "set_notes", content: `${"x".repeat(4000)}${"y".repeat(1000)}` },
    outcome: {
      events: [{ type: "notes.set", text: "x".repeat(4000), dropped: "y".repeat(1000) }],
      answer: {
        ok: true,
        message: "notes set, truncated from 5000 to 4000 chars: 4000/4000 chars used",
        warnings: ["truncated from 5000 to 4000 chars: set a shorter summary; the rest is kept in the history only"],
      },
    },
  },
  {
    row: "a cut leaves a pair whole",
    action: { action: "set_plan", content: `${"x".repeat(1999)}😀` },
    outcome: {
      events: [{ type: "plan.set", text: "x".repeat(1999), dropped: "😀" }],
      answer: { message: /truncated from 2001 to 1999/ },
    },
  },
  {
    row: "half a pair is replaced, for UTF-8 cannot carry it",
    action: { action: "set_notes", content: "a\ud83db" },
    outcome: { events: [notes("a\ufffdb")] },
  },
  {
    row: "a measure counts instead of characters",
    action: { action: "set_notes", content: "one two three" },
    context: { ...limited({ notes: 2 }), measure: (text) => text.split(" ").filter(Boolean).length },
    outcome: {
      events: [{ type: "notes.set", text: "one two ", dropped: "three" }],
      answer: { message: "notes set, truncated from 3 to 2 units: 2/2 units used" },
    },
  },
  {
    row: "no budget at all keeps everything as dropped",
    action: { action: "set_notes", content: "abc" },
    context: limited({ notes: 0 }),
    outcome: { events: [{ type: "notes.set", text: "", dropped: "abc" }] },
  },
]);

table("append_notes", [
  {
    row: "to empty notes",
    action: { action: "append_notes", content: "a" },
    outcome: {
      events: [{ type: "notes.appended", text: "a" }],
      answer: { message: "notes appended: 1/4000 chars used" },
      state: { notes: "a" },
    },
  },
  {
    row: "the newline counts: exactly full",
    history: [notes("a".repeat(3997))],
    action: { action: "append_notes", content: "bb" },
    outcome: { events: [{ type: "notes.appended", text: "bb" }], answer: { used: 4000 } },
  },
  {
    row: "the newline counts: one too many",
    history: [notes("a".repeat(3997))],
    action: { action: "append_notes", content: "bbb" },
    outcome: {
      events: [{ type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: "bbb" } }],
      answer: {
        ok: false,
        code: "over_budget",
        version: 1,
        used: 3997,
        message:
          "append_notes rejected: notes would be over budget with 4001 chars, use set_notes to replace them with a summary (3997/4000 chars used)",
      },
      state: { notes: "a".repeat(3997) },
    },
  },
  {
    row: "notes over budget do not grow",
    history: [notes("a".repeat(5000))],
    action: { action: "append_notes", content: "" },
    outcome: { answer: { ok: false, code: "over_budget", warnings: ["notes over budget: 5000/4000 chars"] } },
  },
]);

table("edit_notes", [
  {
    row: "find_replace",
    history: [notes("a a")],
    action: { action: "edit_notes", operation: "find_replace", find: "a", replace: "b" },
    outcome: {
      events: [{ type: "notes.edited", operation: "find_replace", find: "a", replace: "b" }],
      answer: { message: "notes edited: 3/4000 chars used" },
      state: { notes: "b a" },
    },
  },
  {
    row: "find_replace all",
    history: [notes("a a")],
    action: { action: "edit_notes", operation: "find_replace", find: "a", replace: "b", replace_all: true },
    outcome: {
      events: [{ type: "notes.edited", operation: "find_replace", find: "a", replace: "b", all: true }],
      state: { notes: "b b" },
    },
  },
  {
    row: "prepend",
    history: [notes("a")],
    action: { action: "edit_notes", operation: "prepend", content: "b" },
    outcome: { events: [{ type: "notes.edited", operation: "prepend", text: "b" }], state: { notes: "b\na" } },
  },
  {
    row: "append",
    history: [notes("a")],
    action: { action: "edit_notes", operation: "append", content: "b" },
    outcome: { events: [{ type: "notes.edited", operation: "append", text: "b" }], state: { notes: "a\nb" } },
  },
  {
    row: "delete by content",
    history: [notes("abc")],
    action: { action: "edit_notes", operation: "delete", content: "b", find: null },
    outcome: { events: [{ type: "notes.edited", operation: "delete", text: "b" }], state: { notes: "ac" } },
  },
  {
    row: "delete by find",
    history: [notes("abc")],
    action: { action: "edit_notes", operation: "delete", find: "b" },
    outcome: { events: [{ type: "notes.edited", operation: "delete", find: "b" }], state: { notes: "ac" } },
  },
  {
    row: "what is not there",
    history: [notes("abc")],
    action: { action: "edit_notes", operation: "find_replace", find: "x", replace: "y" },
    outcome: {
      events: [
        {
          type: "action.refused",
          action: "edit_notes",
          code: "not_found",
          offered: { operation: "find_replace", find: "x", replace: "y" },
        },
      ],
      answer: {
        ok: false,
        code: "not_found",
        message: 'edit_notes rejected: "x" not found in notes, give the exact text to find (3/4000 chars used)',
      },
    },
  },
  {
    row: "an absent find",
    history: [notes("abc")],
    action: { action: "edit_notes", operation: "find_replace" },
    outcome: { answer: { ok: false, code: "not_found", message: /not found/ } },
  },
  {
    row: "an empty find",
    history: [notes("abc")],
    action: { action: "edit_notes", operation: "find_replace", find: "", replace: "y" },
    outcome: { answer: { ok: false, code: "not_found" } },
  },
  {
    row: "a deletion of nothing",
    history: [notes("abc")],
    action: { action: "edit_notes", operation: "delete" },
    outcome: { answer: { ok: false, code: "not_found" } },
  },
  {
    row: "over budget is refused, not cut",
    history: [notes("a".repeat(10))],
    action: { action: "edit_notes", operation: "find_replace", find: "a", replace: "bb", replace_all: true },
    context: limited({ notes: 19 }),
    outcome: { answer: { ok: false, code: "over_budget", message: /with 20 chars, use set_notes/ } },
  },
  {
    row: "an edit that shortens is welcome, though still over budget",
    history: [notes("aab")],
    action: { action: "edit_notes", operation: "delete", find: "b" },
    context: limited({ notes: 1 }),
    outcome: { answer: { ok: true, warnings: ["notes over budget: 2/1 chars"] }, state: { notes: "aa" } },
  },
  {
    row: "an edit that keeps the length is not",
    history: [notes("aab")],
    action: { action: "edit_notes", operation: "find_replace", find: "b", replace: "c" },
    context: limited({ notes: 1 }),
    outcome: { answer: { ok: false, code: "over_budget" } },
  },
  {
    row: "an edit that would make gigabytes is refused at once",
    history: [notes("a".repeat(4000))],
    action: {
      action: "edit_notes",
      operation: "find_replace",
      find: "a",
      replace: "b".repeat(100_000),
      replace_all: true,
    },
    context: { measure: () => 1 },
    outcome: { answer: { ok: false, code: "over_budget" } },
  },
]);

table("refs", [
  {
    row: "add",
    history: [refs(1)],
    action: { action: "refs.add", ref: "r1" },
    outcome: {
      events: [{ type: "ref.added", ref: "r1" }],
      answer: { message: "ref added: 2/50 items used", space: "refs" },
      state: { refs: ["r1", "r1"] },
    },
  },
  {
    row: "add at capacity drops the oldest",
    history: [refs(50)],
    action: { action: "refs.add", ref: "new" },
    outcome: {
      events: [{ type: "ref.added", ref: "new", evicted: "r1" }],
      answer: { message: 'ref added, oldest dropped ("r1"): 50/50 items used' },
    },
  },
  {
    row: "add to a list over budget does not make it longer",
    history: [refs(60)],
    action: { action: "refs.add", ref: "new" },
    outcome: {
      events: [{ type: "ref.added", ref: "new", evicted: "r1" }],
      answer: { used: 60, warnings: ["refs over budget: 60/50 items"] },
    },
  },
  {
    row: "add where there is room for none",
    action: { action: "refs.add", ref: "new" },
    context: limited({ refs: 0 }),
    outcome: {
      events: [{ type: "action.refused", action: "refs.add", code: "over_budget", offered: { ref: "new" } }],
      answer: { ok: false, code: "over_budget", message: /rejected/ },
    },
  },
  {
    row: "remove",
    history: [refs(2)],
    action: { action: "refs.remove", ref: "r1" },
    outcome: {
      events: [{ type: "ref.removed", ref: "r1" }],
      answer: { message: "ref removed: 1/50 items used" },
      state: { refs: ["r2"] },
    },
  },
  {
    row: "remove what is not there",
    history: [refs(2)],
    action: { action: "refs.remove", ref: "r3\n" },
    outcome: {
      events: [{ type: "action.refused", action: "refs.remove", code: "not_found", offered: { ref: "r3\n" } }],
      answer: { ok: false, message: 'refs.remove rejected: ref "r3\\n" not found (2/50 items used)' },
    },
  },
  {
    row: "set drops non-strings and keeps the first 50, in silence",
    action: { action: "refs.set", items: [1, ...Array.from({ length: 51 }, (_, i) => `${i}`), null, "", "", {}] },
    outcome: {
      events: [{ type: "refs.set", refs: Array.from({ length: 50 }, (_, i) => `${i}`), dropped: ["50", "", ""] }],
      answer: { ok: true, message: "refs set: 50/50 items used", warnings: [] },
    },
  },
  {
    row: "set keeps empty strings",
    action: { action: "refs.set", items: ["", "a", ""] },
    outcome: { events: [{ type: "refs.set", refs: ["", "a", ""] }] },
  },
]);

table("entries", [
  {
    row: "write",
    action: { action: "entries.write", key: "plan-a", content: "é" },
    outcome: {
      events: [entry("plan-a", "é")],
      answer: { message: 'entry "plan-a" written: 2/262144 bytes used', space: "entries", used: 2, limit: 262_144 },
    },
  },
  {
    row: "the largest entry",
    action: { action: "entries.write", key: "k", content: "x".repeat(65_536) },
    outcome: { answer: { ok: true, used: 65_536 } },
  },
  {
    row: "an entry too large",
    action: { action: "entries.write", key: "k", content: "x".repeat(65_537) },
    outcome: {
      events: [
        {
          type: "action.refused",
          action: "entries.write",
          code: "over_budget",
          offered: { key: "k", content: "x".repeat(65_537) },
        },
      ],
      answer: {
        ok: false,
        code: "over_budget",
        message: /rejected: entry "k" would be over its budget \(65537\/65536 bytes\)/,
      },
    },
  },
  {
    row: "all entries full, in bytes",
    history: [entry("a", "éé")],
    action: { action: "entries.write", key: "b", content: "é" },
    context: limited({ entriesTotal: 5 }),
    outcome: { answer: { ok: false, code: "over_budget", message: /all entries together/, used: 4, limit: 5 } },
  },
  {
    row: "an entry over budget may shrink",
    history: [entry("a", "aaaa")],
    action: { action: "entries.write", key: "a", content: "aaa" },
    context: limited({ entry: 2, entriesTotal: 1 }),
    outcome: { answer: { ok: true, warnings: ["entries over budget: 3/1 bytes", 'entry "a" over budget: 3/2 bytes'] } },
  },
  {
    row: "delete",
    history: [entry("k", "v")],
    action: { action: "entries.delete", key: "k" },
    outcome: {
      events: [{ type: "entry.deleted", key: "k" }],
      answer: { message: 'entry "k" deleted: 0/262144 bytes used' },
      state: { entries: {} },
    },
  },
  {
    row: "delete what is not there, though every object has it",
    action: { action: "entries.delete", key: "constructor" },
    outcome: {
      answer: {
        ok: false,
        code: "not_found",
        message: 'entries.delete rejected: entry "constructor" not found (0/262144 bytes used)',
      },
    },
  },
]);

table("leases", [
  {
    row: "claim",
    action: { action: "entries.claim", key: "k", ttlSeconds: 30 },
    outcome: {
      events: [{ type: "lease.claimed", key: "k", holder: "agent", until: later }],
      answer: { message: `entry "k" claimed until ${later}: 0/262144 bytes used` },
    },
  },
  {
    row: "claim for the usual time",
    action: { action: "entries.claim", key: "k" },
    outcome: {
      events: [{ type: "lease.claimed", key: "k", holder: "agent", until: "2026-11-21T20:05:00.000Z" }],
    },
  },
  {
    row: "the holder renews",
    history: [lease("agent", later)],
    action: { action: "entries.claim", key: "k", ttlSeconds: 60 },
    outcome: { events: [{ type: "lease.claimed", key: "k", holder: "agent", until: "2026-11-21T20:01:00.000Z" }] },
  },
  {
    row: "another is told who holds it and for how long",
    history: [lease("other", later)],
    action: { action: "entries.claim", key: "k", ttlSeconds: 60 },
    outcome: {
      events: [
        { type: "action.refused", action: "entries.claim", code: "held", offered: { key: "k", ttlSeconds: 60 } },
      ],
      answer: {
        ok: false,
        code: "held",
        message: `entries.claim rejected: entry "k" is held by "other" until ${later}, 30 s left (0/262144 bytes used)`,
      },
    },
  },
  {
    row: "another may not write",
    history: [lease("other", later)],
    action: { action: "entries.write", key: "k", content: "v" },
    outcome: { answer: { ok: false, code: "held" }, state: { entries: {} } },
  },
  {
    row: "another may not delete",
    history: [entry("k", "v"), lease("other", later)],
    action: { action: "entries.delete", key: "k" },
    outcome: { answer: { ok: false, code: "held" } },
  },
  {
    row: "another may not release",
    history: [lease("other", later)],
    action: { action: "entries.release", key: "k" },
    outcome: { answer: { ok: false, code: "held" } },
  },
  {
    row: "the holder writes",
    history: [lease("agent", later)],
    action: { action: "entries.write", key: "k", content: "v" },
    outcome: { events: [entry("k", "v")] },
  },
  {
    row: "an expired lease holds nobody back",
    history: [lease("other", givenAt)],
    action: { action: "entries.claim", key: "k", ttlSeconds: 30 },
    outcome: { events: [lease("agent", later)] },
  },
  {
    row: "release",
    history: [lease("agent", later)],
    action: { action: "entries.release", key: "k" },
    outcome: {
      events: [{ type: "lease.released", key: "k", holder: "agent" }],
      answer: { message: 'entry "k" released: 0/262144 bytes used' },
      state: { leases: {} },
    },
  },
  {
    row: "release of an expired lease",
    history: [lease("agent", earlier)],
    action: { action: "entries.release", key: "k" },
    outcome: { answer: { ok: false, code: "not_found", message: /lease on entry "k" not found/ } },
  },
]);

table("sections", [
  {
    row: "write",
    action: { action: "sections.write", name: "Active Context", content: "c", ttlMinutes: 30 },
    outcome: {
      events: [{ type: "section.written", name: "Active Context", text: "c", at: givenAt, ttlMinutes: 30 }],
      answer: { message: 'section "Active Context" written: 1/20 sections used', space: "sections" },
    },
  },
  {
    row: "one too many",
    history: [{ type: "section.written", name: "a", text: "", at: givenAt }],
    action: { action: "sections.write", name: "b", content: "c" },
    context: limited({ sections: 1 }),
    outcome: { answer: { ok: false, code: "over_budget", message: /too many sections/ } },
  },
  {
    row: "a text that is too long where texts are counted, whatever their number",
    action: { action: "sections.write", name: "a", content: "four" },
    context: { ...limited({ sections: 3 }), measure: { sections: (text) => text.length } },
    outcome: {
      answer: { ok: false, code: "over_budget", message: /all sections together would be over budget, clear or/ },
    },
  },
  {
    row: "an old one may be written though there are too many",
    history: [{ type: "section.written", name: "a", text: "", at: givenAt }],
    action: { action: "sections.write", name: "a", content: "c" },
    context: limited({ sections: 0 }),
    outcome: { answer: { ok: true, warnings: ["sections over budget: 1/0 sections"] } },
  },
  {
    row: "clear",
    history: [{ type: "section.written", name: "a", text: "", at: givenAt }],
    action: { action: "sections.clear", name: "a" },
    outcome: { events: [{ type: "section.cleared", name: "a" }], state: { sections: {} } },
  },
  {
    row: "clear what is not there",
    action: { action: "sections.clear", name: "a" },
    outcome: { answer: { ok: false, code: "not_found", message: /section "a" not found/ } },
  },
]);

describe("restore", () => {
  const then = freezeState({ ...initialState, notes: "then" });
  const stateAt = (version: number) => (version === 3 ? then : undefined);

  test("brings a state back whole", () => {
    given([notes("now")])
      .when({ action: "restore", to: 3 }, { stateAt, version: 7 })
      .then({
        events: [{ type: "state.restored", to: 3, state: then }],
        answer: {
          ok: true,
          version: 8,
          space: null,
          message:
            "restored v3: notes 4/4000 chars, plan 0/2000 chars, refs 0/50 items, entries 0/262144 bytes, sections 0/20 sections",
        },
        state: { notes: "then" },
      });
  });

  test("does not bring back what no budget allows", () => {
    given([notes("n")])
      .when({ action: "restore", to: 3 }, { stateAt, ...limited({ notes: 3 }) })
      .then({ answer: { ok: false, code: "over_budget" }, state: { notes: "n" } });
  });

  test("of a version that is not there", () => {
    given([])
      .when({ action: "restore", to: 4 }, { stateAt })
      .then({ answer: { ok: false, code: "not_found" } });
  });

  test("is nothing a model can ask for", () => {
    given([])
      .when({ action: "restore", to: 3 })
      .then({ events: [], answer: { code: "unknown_action" } });
  });
});

test("the numbers of an answer go on from the version before", () => {
  expect(given([]).when({ action: "set_notes", content: "" }, { version: 41 }).outcome.answer.version).toBe(42);
  expect(given([]).when({ action: "nope" }, { version: 41 }).outcome.answer.version).toBe(41);
});

test("a clock that is none is a mistake of the program, not of the model", () => {
  expect(() => given([]).when({ action: "entries.claim", key: "k" }, { at: "soon" })).toThrow(TypeError);
});

test.each([
  { action: "entries.write", key: "k", content: "v" },
  { action: "entries.delete", key: "k" },
  { action: "entries.release", key: "k" },
])("$action at what is no time does not take the lease of another for one that has run out", (action) => {
  const held = given([lease("other", later)]);
  expect(() => held.when(action, { at: "soon" })).toThrow("context.at must be an ISO time");
});

test.each([
  ["nothing", [], "a state first"],
  ["a state of something else", [{ notes: "" }, {}, {}], "a state first"],
  ["no context", [initialState, { action: "set_notes", content: "a" }], "a context third, { limits, actor, at }"],
  ["no budgets", [initialState, {}, { actor: "a", at: later }], "a context third"],
  ["no time", [initialState, {}, { limits: defaultLimits, actor: "a" }], "a context third"],
])("who hands in %s is told what is wanted", (_, parameters, wanted) => {
  for (const asked of [decide, reduce])
    expect(() => Reflect.apply(asked, undefined, parameters)).toThrow(`decide and reduce take ${wanted}`);
});

test.each([
  ["no number", () => Number.NaN],
  ["a promise", () => Promise.resolve(1)],
  ["less than nothing", () => -1],
])("a measure that gives %s lets no text pass, and cuts none to nothing", (_, measure: unknown) => {
  const context = { limits: defaultLimits, actor: "a", at: later, measure };
  for (const action of [
    { action: "set_notes", content: "a" },
    { action: "entries.write", key: "k", content: "a" },
  ]) {
    for (const asked of [decide, reduce])
      expect(() => Reflect.apply(asked, undefined, [initialState, action, context])).toThrow(
        "context.measure must give a number of at least 0",
      );
  }
  expect(() => Reflect.apply(budgetViolations, undefined, [initialState, defaultLimits, measure])).toThrow(TypeError);
});

test.each([
  ["entry", { ...defaultLimits, entry: Number.NaN }],
  ["refs", { ...defaultLimits, refs: -1 }],
  ["notes", { notes: "10" }],
  ["plan", { ...defaultLimits, plan: "10" }],
  ["notes", { ...defaultLimits, notes: null }],
  ["entry", { ...defaultLimits, entry: true }],
])("a budget of %s that is no number takes no text whole", (name, limits) => {
  const ask = () => Reflect.apply(decide, undefined, [initialState, {}, { limits, actor: "a", at: later }]);
  expect(ask).toThrow(`limits.${name} must be a whole number of at least 0`);
});

test("a text is not cut to nothing for want of its budget", () => {
  const context = { limits: { notes: 10 }, actor: "a", at: later };
  const ask = (action: unknown) => Reflect.apply(reduce, undefined, [initialState, action, context]);
  expect(ask({ action: "set_notes", content: "more than ten" })).toMatchObject({ state: { notes: "more than " } });
  expect(ask({ action: "set_plan", content: "1. Fix" })).toMatchObject({ state: { plan: "1. Fix" } });
  expect(ask({ action: "refs.add", ref: "a" })).toMatchObject({ state: { refs: ["a"] } });
});

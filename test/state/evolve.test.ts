import { expect, test } from "vitest";
import type { ScratchpadEvent } from "../../src/event/event.ts";
import { textUnitsMax } from "../../src/state/edit.ts";
import { evolve } from "../../src/state/evolve.ts";
import { fold } from "../../src/state/fold.ts";
import { freezeState, parseState } from "../../src/state/image.ts";
import { initialState, type ScratchpadState } from "../../src/state/state.ts";

const at = "2026-11-21T20:00:00.000Z";

/** `before` and `after` name only what matters. */
interface Row {
  readonly row: string;
  readonly before?: Partial<ScratchpadState>;
  readonly event: ScratchpadEvent;
  readonly after: Partial<ScratchpadState>;
}

const rows: readonly Row[] = [
  { row: "notes.set replaces", before: { notes: "a" }, event: { type: "notes.set", text: "b" }, after: { notes: "b" } },
  {
    row: "an ignored value changes nothing",
    before: { notes: "a" },
    event: { type: "notes.set", text: "b", ignored: true },
    after: { notes: "a" },
  },
  { row: "legacy.set fills notes", event: { type: "legacy.set", text: "b" }, after: { notes: "b" } },
  {
    row: "an ignored legacy.set leaves notes",
    before: { notes: "a" },
    event: { type: "legacy.set", text: "b", ignored: true },
    after: { notes: "a" },
  },
  { row: "append to empty notes", event: { type: "notes.appended", text: "b" }, after: { notes: "b" } },
  {
    row: "append puts one newline between",
    before: { notes: "a\n" },
    event: { type: "notes.appended", text: "b" },
    after: { notes: "a\n\nb" },
  },
  {
    row: "appending nothing still starts a line",
    before: { notes: "a" },
    event: { type: "notes.appended", text: "" },
    after: { notes: "a\n" },
  },
  {
    row: "find_replace takes the first match",
    before: { notes: "a a" },
    event: { type: "notes.edited", operation: "find_replace", find: "a", replace: "b" },
    after: { notes: "b a" },
  },
  {
    row: "find_replace all",
    before: { notes: "aaa" },
    event: { type: "notes.edited", operation: "find_replace", find: "aa", replace: "b", all: true },
    after: { notes: "ba" },
  },
  {
    row: "patterns mean nothing in a replacement, once",
    before: { notes: "price" },
    event: { type: "notes.edited", operation: "find_replace", find: "price", replace: "$& $1 $` $$" },
    after: { notes: "$& $1 $` $$" },
  },
  {
    row: "patterns mean nothing in a replacement, for all",
    before: { notes: ".." },
    event: { type: "notes.edited", operation: "find_replace", find: ".", replace: "$&", all: true },
    after: { notes: "$&$&" },
  },
  {
    row: "an empty find matches nothing",
    before: { notes: "ab" },
    event: { type: "notes.edited", operation: "find_replace", find: "", replace: "x", all: true },
    after: { notes: "ab" },
  },
  {
    row: "what is not there is not replaced",
    before: { notes: "ab" },
    event: { type: "notes.edited", operation: "find_replace", find: "c", replace: "x" },
    after: { notes: "ab" },
  },
  {
    row: "a missing replacement deletes",
    before: { notes: "ab" },
    event: { type: "notes.edited", operation: "find_replace", find: "a" },
    after: { notes: "b" },
  },
  {
    row: "prepend puts one newline between",
    before: { notes: "a" },
    event: { type: "notes.edited", operation: "prepend", text: "b" },
    after: { notes: "b\na" },
  },
  {
    row: "prepend to empty notes",
    event: { type: "notes.edited", operation: "prepend", text: "b" },
    after: { notes: "b" },
  },
  {
    row: "append as an edit",
    before: { notes: "a" },
    event: { type: "notes.edited", operation: "append", text: "b" },
    after: { notes: "a\nb" },
  },
  {
    row: "delete by find takes the first match, whatever `all` says",
    before: { notes: "a a" },
    event: { type: "notes.edited", operation: "delete", find: "a", all: true },
    after: { notes: " a" },
  },
  {
    row: "delete by text",
    before: { notes: "ab" },
    event: { type: "notes.edited", operation: "delete", text: "a" },
    after: { notes: "b" },
  },
  { row: "plan.set replaces", before: { plan: "a" }, event: { type: "plan.set", text: "b" }, after: { plan: "b" } },
  {
    row: "ref.added pushes",
    before: { refs: ["a"] },
    event: { type: "ref.added", ref: "a" },
    after: { refs: ["a", "a"] },
  },
  {
    row: "an eviction drops the oldest",
    before: { refs: ["a", "b"] },
    event: { type: "ref.added", ref: "c", evicted: "a" },
    after: { refs: ["b", "c"] },
  },
  {
    row: "ref.removed takes the first exact match",
    before: { refs: ["b", "a", "b"] },
    event: { type: "ref.removed", ref: "b" },
    after: { refs: ["a", "b"] },
  },
  {
    row: "an absent ref is not removed",
    before: { refs: ["a"] },
    event: { type: "ref.removed", ref: "b" },
    after: { refs: ["a"] },
  },
  {
    row: "refs.set replaces",
    before: { refs: ["a"] },
    event: { type: "refs.set", refs: ["", "b"], dropped: ["c"] },
    after: { refs: ["", "b"] },
  },
  {
    row: "entry.written",
    before: { entries: { k: "a" } },
    event: { type: "entry.written", key: "constructor", text: "b" },
    after: { entries: { k: "a", constructor: "b" } as unknown as Record<string, string> },
  },
  {
    row: "entry.deleted takes its lease along",
    before: {
      entries: { k: "a", l: "b" },
      leases: { k: { holder: "agent", until: at }, l: { holder: "x", until: at } },
    },
    event: { type: "entry.deleted", key: "k" },
    after: { entries: { l: "b" }, leases: { l: { holder: "x", until: at } } },
  },
  {
    row: "lease.claimed",
    event: { type: "lease.claimed", key: "k", holder: "agent", until: at },
    after: { leases: { k: { holder: "agent", until: at } } },
  },
  {
    row: "lease.released",
    before: { leases: { k: { holder: "agent", until: at } } },
    event: { type: "lease.released", key: "k", holder: "agent" },
    after: { leases: {} },
  },
  {
    row: "section.written",
    before: { sections: { s: { text: "a", at, ttlMinutes: 5 } } },
    event: { type: "section.written", name: "s", text: "b", at },
    after: { sections: { s: { text: "b", at } } },
  },
  {
    row: "section.cleared",
    before: { sections: { s: { text: "a", at } } },
    event: { type: "section.cleared", name: "s" },
    after: { sections: {} },
  },
  { row: "turn.began", before: { notes: "a" }, event: { type: "turn.began", id: "t" }, after: { notes: "a" } },
  {
    row: "action.refused",
    before: { notes: "a" },
    event: { type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: "b" } },
    after: { notes: "a" },
  },
  {
    row: "session.imported",
    before: { notes: "a" },
    event: { type: "session.imported", from: { client: "codex", session: "s", bytes: 1, sha256: "00" } },
    after: { notes: "a" },
  },
  {
    row: "text.redacted",
    before: { notes: "a" },
    event: { type: "text.redacted", versions: [1], space: "notes", digests: ["00"], reason: "a key" },
    after: { notes: "a" },
  },
  {
    row: "prompt.shown",
    before: { notes: "a" },
    event: { type: "prompt.shown", shows: 1, digest: "00", chars: 1, place: "message" },
    after: { notes: "a" },
  },
  {
    row: "nudge.shown",
    before: { notes: "a" },
    event: { type: "nudge.shown", kind: "nudgeAfterTurns", text: "b" },
    after: { notes: "a" },
  },
  {
    row: "an unknown event",
    before: { notes: "a" },
    event: { type: "unknown", name: "notes.sung", payload: { text: "b" } },
    after: { notes: "a" },
  },
];

test.each(rows)("$row", ({ before = {}, event, after }) => {
  const state = freezeState({ ...initialState, ...before });
  expect(written(evolve(state, event))).toEqual(written(freezeState({ ...state, ...after })));
});

test.each(["state.restored", "session.forked"] as const)("%s brings the given state", (type) => {
  const state = freezeState({ ...initialState, notes: "a", entries: { k: "v" } });
  const event: ScratchpadEvent =
    type === "state.restored" ? { type, to: 3, state } : { type, state, from: { session: "s", version: 3, hash: "h" } };
  expect(written(evolve(freezeState({ ...initialState, plan: "p" }), event))).toEqual(written(state));
});

test("the key __proto__ is a key", () => {
  const state = evolve(initialState, { type: "entry.written", key: "__proto__", text: "x" });
  expect(Object.entries(state.entries)).toEqual([["__proto__", "x"]]);
  expect(Object.getPrototypeOf(state.entries)).toBeNull();
  const more = evolve(state, { type: "entry.written", key: "k", text: "y" });
  expect(Object.keys(more.entries)).toEqual(["__proto__", "k"]);
  expect(Object.keys(evolve(more, { type: "entry.deleted", key: "__proto__" }).entries)).toEqual(["k"]);
});

test("an edit that would make a string of gigabytes changes nothing, and at once", () => {
  const state = freezeState({ ...initialState, notes: "a".repeat(100_000) });
  const replace = "b".repeat(100_000);
  expect(evolve(state, { type: "notes.edited", operation: "find_replace", find: "a", replace, all: true }).notes).toBe(
    state.notes,
  );
  const once = evolve(state, { type: "notes.edited", operation: "find_replace", find: "a", replace });
  expect(once.notes).toHaveLength(199_999);
});

test("the longest text that an append may make is made, one more unit is not", () => {
  const state = freezeState({ ...initialState, notes: "a".repeat(textUnitsMax - 2) });
  expect(evolve(state, { type: "notes.appended", text: "b" }).notes).toHaveLength(textUnitsMax);
  expect(evolve(state, { type: "notes.appended", text: "bb" }).notes).toHaveLength(textUnitsMax - 2);
});

test("an event of a type from nowhere leaves the state, it does not lose it", () => {
  const alien = { type: "notes.sung", text: "la" } as unknown as ScratchpadEvent;
  expect(evolve(initialState, alien)).toBe(initialState);
});

const types = [
  ...["notes.set", "notes.appended", "notes.edited", "plan.set", "legacy.set", "ref.added", "ref.removed", "refs.set"],
  ...["entry.written", "entry.deleted", "lease.claimed", "section.written", "state.restored", "session.forked"],
];
const wrong = { text: 5, ref: 5, refs: [5], key: 5, name: 5, state: 5, operation: "sing", holder: 5, until: 5, at: 5 };

test.each([
  ...[null, undefined, "notes.set", [], {}],
  ...types.map((type) => ({ type })),
  ...types.map((type) => ({ type, ...wrong })),
  { type: "section.written", name: "a", text: "b", at, ttlMinutes: "5" },
  { type: "notes.edited", operation: "find_replace", find: 5, replace: 6, all: true },
  { type: "refs.set", refs: new Array(2) },
  { type: "ref.added", ref: "b", evicted: false },
  { type: "notes.set", text: "x", ignored: "no" },
])("%j is no event: it leaves the state, whatever it holds", (event) => {
  const state = freezeState({ ...initialState, notes: "q5", refs: ["a"] });
  expect(evolve(state, event as ScratchpadEvent)).toBe(state);
  expect(fold([event as ScratchpadEvent], state)).toBe(state);
});

test("fold takes recorded events as well as bare ones, and goes on from a state", () => {
  const recorded = {
    version: 1,
    event: { type: "notes.set", text: "a" } as const,
    at,
    turn: 0,
    actor: "agent",
    origin: "journal" as const,
  };
  const state = fold([recorded, { type: "notes.appended", text: "b" }]);
  expect(state.notes).toBe("a\nb");
  expect(fold([{ type: "notes.appended", text: "c" }], state).notes).toBe("a\nb\nc");
  expect(fold([])).toBe(initialState);
});

test.each([[null], [[]], ["state"], [{}], [{ notes: "", plan: "", refs: [], entries: [], leases: {}, sections: {} }]])(
  "%j is no state of a snapshot",
  (value) => {
    expect(parseState(value)).toBeUndefined();
  },
);

function written(state: ScratchpadState): unknown {
  return JSON.parse(JSON.stringify(state));
}

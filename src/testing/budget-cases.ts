/** States and actions around the edge of every budget, where reducers go wrong: just within, at it, just beyond. */
import { contentUnitsMax, type Limits } from "../action/limits.ts";
import { freezeState } from "../state/image.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { fc } from "./fast-check.ts";

/** A reducer is put through this. No text in it holds a lone surrogate. */
export interface BudgetCase {
  /** Perhaps over budget, as another runtime or another configuration left it. */
  readonly start: ScratchpadState;
  /** Each is asked of the state that the one before it left, so that it can aim at the room that remains. */
  readonly asks: readonly Ask[];
}

export type Ask = (state: ScratchpadState) => unknown;

/** `actions` is asked for instead of the actions of the journal. */
export function arbitraryBudgetCase(limits: Limits, actions?: fc.Arbitrary<unknown>): fc.Arbitrary<BudgetCase> {
  const ask =
    actions === undefined
      ? fc.oneof({ weight: 9, arbitrary: askNear(limits) }, malformed)
      : actions.map(
          (action): Ask =>
            () =>
              action,
        );
  return fc.record<BudgetCase>({ start: stateNear(limits), asks: fc.array(ask, { minLength: 1, maxLength: 8 }) });
}

/** These are values that a model or a bug may pass as an action. By default they are among the actions. */
const malformed = fc
  .constantFrom<unknown>(
    ...[null, undefined, 7, "set_notes", [], {}, { action: 7 }, { action: "dance" }, { action: "__proto__" }],
    ...["set_notes", "append_notes", "set_plan"].flatMap((action) => [{ action }, { action, content: 7 }]),
    ...[
      { action: "refs.add", ref: "" },
      { action: "refs.set", items: "r" },
      { action: "set_notes", content: "x", more: 1 },
    ],
    ...["", "a/b", "__proto__"].map((key) => ({ action: "entries.write", key, content: "x" })),
    { action: "edit_notes", operation: "find_replace", find: "", replace: "x" },
  )
  .map(
    (action): Ask =>
      () =>
        action,
  );

/** These characters have one and two units, and one to four bytes. */
const filler = fc.constantFrom("x", "é", "日", "😀");
const tail = fc.constantFrom("", "😀", "\n", "👩‍💻", "x");
const short = fc.tuple(filler, tail).map(([character, end]) => character + end);

function sizeNear(limit: number): fc.Arbitrary<number> {
  return fc.oneof(
    fc.nat({ max: 6 }),
    { weight: 2, arbitrary: fc.integer({ min: Math.max(0, limit - 4), max: limit + 4 }) },
    fc.nat({ max: 2 * limit + 4 }),
  );
}

/** The text has about so many units. */
function textNear(limit: number): fc.Arbitrary<string> {
  const size = sizeNear(Math.min(limit, contentUnitsMax / 2));
  return fc.tuple(run, size, tail).map(([fill, units, end]) => fill(units) + end);
}

/** A run of one character; after an "x" before it, pairs begin at odd places. */
const run = fc.tuple(filler, fc.constantFrom("", "x")).map(
  ([character, lead]) =>
    (units: number) =>
      lead + character.repeat(Math.max(0, Math.ceil((units - lead.length) / character.length))),
);

function stateNear(limits: Limits): fc.Arbitrary<ScratchpadState> {
  const space = <Value>(content: fc.Arbitrary<Value>, empty: Value) => fc.option(content, { nil: empty, freq: 3 });
  const state = fc.record({
    notes: space(textNear(limits.notes), ""),
    plan: space(textNear(limits.plan), ""),
    refs: space(refsNear(limits.refs), []),
    entries: space(entriesNear(limits), {}),
    leases: fc.constant({}),
    sections: space(countNear(limits.sections).map(sections), {}),
  });
  return fc.oneof(fc.constant(initialState), { weight: 4, arbitrary: state.map(freezeState) });
}

/** The list has about so many items. */
function countNear(limit: number): fc.Arbitrary<number> {
  const counts = [0, 1, limit - 1, limit, limit + 1, limit + 3];
  return fc.constantFrom(...counts.filter((count) => count >= 0));
}

function refsNear(limit: number): fc.Arbitrary<string[]> {
  return countNear(limit).map((count) => Array.from({ length: count }, () => "r"));
}

/** One entry near its own budget, or several that are together near that of all. */
function entriesNear({ entry, entriesTotal }: Limits): fc.Arbitrary<Record<string, string>> {
  const one = textNear(entry).map((text) => ({ a: text }));
  const several = fc
    .tuple(sizeNear(entriesTotal), fc.integer({ min: 1, max: entryKeys.length }))
    .map(([total, count]) =>
      Object.fromEntries(entryKeys.slice(0, count).map((key) => [key, "x".repeat(Math.floor(total / count))])),
    );
  return fc.oneof(one, { weight: 2, arbitrary: several });
}

const entryKeys = ["a", "b", "c", "d", "e", "f"];

function sections(count: number): ScratchpadState["sections"] {
  const names = Array.from({ length: count }, (_, index) => sectionName(index));
  return Object.fromEntries(names.map((name) => [name, { text: "x", at: "2026-01-01T00:00:00.000Z" }]));
}

function sectionName(index: number): string {
  return `s${index}`;
}

type Content = fc.Arbitrary<(state: ScratchpadState) => string>;

/** A little, about as much as the budget, or about as much as there is still room for. */
function contentNear(limit: number, used: (state: ScratchpadState) => number): Content {
  const room = fc.tuple(run, fc.integer({ min: -3, max: 3 })).map(
    ([fill, more]) =>
      (state: ScratchpadState) =>
        fill(limit - used(state) + more),
  );
  return fc.oneof(
    short.map((text) => () => text),
    textNear(limit).map((text) => () => text),
    room,
  );
}

/** The asks are all actions that can make something larger, and those that make room for it. */
function askNear(limits: Limits): fc.Arbitrary<Ask> {
  const notes = contentNear(limits.notes, (state) => state.notes.length);
  const plan = contentNear(limits.plan, () => 0);
  const entry = fc.oneof(
    contentNear(limits.entry, () => 0),
    contentNear(Math.min(limits.entriesTotal, contentUnitsMax), (state) =>
      Object.values(state.entries).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    ),
  );
  const key = fc.constantFrom(...entryKeys);
  const name = fc.constantFrom("new", "other", sectionName(0));
  return fc.oneof(
    withContent({ action: "set_notes" }, notes),
    withContent({ action: "append_notes" }, notes),
    withContent({ action: "edit_notes", operation: "prepend" }, notes),
    withContent({ action: "edit_notes", operation: "append" }, notes),
    fc
      .record({ find: filler, replace: short, replace_all: fc.boolean() })
      .map((edit) => () => ({ action: "edit_notes", operation: "find_replace", ...edit })),
    filler.map((find) => () => ({ action: "edit_notes", operation: "delete", find })),
    withContent({ action: "set_plan" }, plan),
    short.map((ref) => () => ({ action: "refs.add", ref })),
    fc.constant(() => ({ action: "refs.remove", ref: "r" })),
    refsNear(limits.refs).map((items) => () => ({ action: "refs.set", items })),
    key.chain((each) => withContent({ action: "entries.write", key: each }, entry)),
    key.chain((each) => withContent({ action: "entries.write", key: each }, entry)),
    key.map((each) => () => ({ action: "entries.delete", key: each })),
    fc.tuple(name, short).map(([each, content]) => () => ({ action: "sections.write", name: each, content })),
    name.map((each) => () => ({ action: "sections.clear", name: each })),
  );
}

function withContent(action: object, content: Content): fc.Arbitrary<Ask> {
  return content.map((text) => (state: ScratchpadState) => ({ ...action, content: text(state) }));
}

import fc from "fast-check";
import type { RecordedEvent, ScratchpadEvent, StateImage } from "../../src/event/event.ts";
import { fold } from "../../src/state/fold.ts";

export interface Told extends Partial<Omit<RecordedEvent, "event">> {
  readonly event: ScratchpadEvent;
}

/** A history as a journal would hold it: versions from 1, a commit an event, a minute between two events. */
export function historyOf(told: readonly (ScratchpadEvent | Told)[]): RecordedEvent[] {
  return told.map((item, index) => {
    const version = index + 1;
    const at = new Date(Date.UTC(2026, 10, 21, 20, index)).toISOString();
    const given: Told = "event" in item ? item : { event: item };
    return { version, at, turn: 0, actor: "agent", origin: "journal", commit: `c${version}`, ...given };
  });
}

export const emptyImage: StateImage = { notes: "", plan: "", refs: [], entries: {}, leases: {}, sections: {} };

const line = fc.constantFrom("", "alpha", "beta", "gamma", "delta", "a b", "é😀");
export const texts = fc.array(line, { maxLength: 6 }).map((lines) => lines.join("\n"));
const ref = fc.constantFrom("src/a.ts", "src/b.ts", "https://example.org/1", "x");
const key = fc.constantFrom("k1", "k2", "__proto__");
const at = fc.constant("2026-11-21T20:00:00.000Z");

const editions: fc.Arbitrary<ScratchpadEvent> = fc.oneof(
  texts.map((text) => ({ type: "notes.edited" as const, operation: "prepend" as const, text })),
  texts.map((text) => ({ type: "notes.edited" as const, operation: "append" as const, text })),
  fc.record({ find: line, replace: texts, all: fc.boolean() }).map((edit) => ({
    type: "notes.edited" as const,
    operation: "find_replace" as const,
    ...edit,
  })),
  line.map((find) => ({ type: "notes.edited" as const, operation: "delete" as const, find })),
);

const plainEvents: fc.Arbitrary<ScratchpadEvent> = fc.oneof(
  texts.map((text) => ({ type: "notes.set" as const, text })),
  texts.map((text) => ({ type: "notes.set" as const, text, dropped: "the rest" })),
  texts.map((text) => ({ type: "notes.appended" as const, text })),
  editions,
  texts.map((text) => ({ type: "plan.set" as const, text })),
  ref.map((added) => ({ type: "ref.added" as const, ref: added })),
  ref.map((removed) => ({ type: "ref.removed" as const, ref: removed })),
  fc.array(ref, { maxLength: 5 }).map((refs) => ({ type: "refs.set" as const, refs })),
  fc.record({ type: fc.constant("entry.written" as const), key, text: texts }),
  fc.record({ type: fc.constant("entry.deleted" as const), key }),
  fc.record({ type: fc.constant("section.written" as const), name: key, text: texts, at }),
  fc.record({ type: fc.constant("section.cleared" as const), name: key }),
  texts.map((text) => ({ type: "legacy.set" as const, text })),
  texts.map((text) => ({ type: "legacy.set" as const, text, ignored: true as const })),
  fc.constant({ type: "turn.began" as const }),
  texts.map((content) => ({
    type: "action.refused" as const,
    action: "append_notes",
    code: "over_budget" as const,
    offered: { content },
  })),
);

type Step = ScratchpadEvent | { readonly restore: number };

const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: plainEvents },
  { weight: 1, arbitrary: fc.nat().map((restore) => ({ restore })) },
);

/** Histories of every kind of event; restores point at a version before them and carry its state. */
export const histories: fc.Arbitrary<RecordedEvent[]> = fc
  .array(fc.tuple(steps, fc.boolean()), { maxLength: 30 })
  .map((told) => {
    const history: RecordedEvent[] = [];
    let turn = 0;
    for (const [step, begins] of told) {
      if (begins) turn += 1;
      const event = "restore" in step ? restored(history, step.restore) : step;
      history.push(...historyOf([...history, { event, turn }]).slice(-1));
    }
    return history;
  });

function restored(history: readonly RecordedEvent[], nat: number): ScratchpadEvent {
  const to = nat % (history.length + 1);
  return { type: "state.restored", to, state: fold(history.slice(0, to)) };
}

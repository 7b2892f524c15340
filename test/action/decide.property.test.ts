import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Answer, DecideContext } from "../../src/action/answer.ts";
import { answerTo } from "../../src/action/answers.ts";
import { budgetViolations } from "../../src/action/budget.ts";
import { decide, reduce } from "../../src/action/decide.ts";
import { defaultLimits } from "../../src/action/limits.ts";
import { actionOf, sameAction } from "../../src/action/replay.ts";
import type { ScratchpadEvent } from "../../src/event/event.ts";
import { encodeEvent, parseEvent } from "../../src/event/parse.ts";
import { currentSchema } from "../../src/event/upcast.ts";
import { evolve } from "../../src/state/evolve.ts";
import { fold } from "../../src/state/fold.ts";
import { initialState, type ScratchpadState } from "../../src/state/state.ts";
import {
  arbitraryAction,
  arbitraryLimits,
  arbitraryRequest,
  arbitraryState,
  wellFormedText,
} from "../../src/testing/arbitraries.ts";

const limits = fc.oneof(arbitraryLimits(), fc.constant(defaultLimits));
const actor = fc.constantFrom("agent", "other");
const minute = fc.integer({ min: 0, max: 90 });

const context: fc.Arbitrary<DecideContext> = fc
  .record({ limits, actor, minute })
  .map(({ minute: passed, ...rest }) => ({
    ...rest,
    at: new Date(Date.UTC(2026, 0, 1, 0, passed)).toISOString(),
  }));
const withRestore = fc.tuple(context, fc.option(arbitraryState())).map(([given, then]) => ({
  ...given,
  ...(then !== null && { stateAt: () => then }),
}));
const request = fc.oneof({ weight: 9, arbitrary: arbitraryRequest() }, fc.constant({ action: "restore", to: 1 }));

/** Measured here once more, independently of the code under test. */
function sizes(state: ScratchpadState): Record<string, number> {
  const bytes = Object.entries(state.entries).map(([key, text]) => [`entry ${key}`, Buffer.byteLength(text)] as const);
  return {
    notes: state.notes.length,
    plan: state.plan.length,
    refs: state.refs.length,
    entriesTotal: bytes.reduce((sum, [, size]) => sum + size, 0),
    sections: Object.keys(state.sections).length,
    ...Object.fromEntries(bytes),
  };
}

test("no action takes a space beyond its budget, nor makes one that is beyond it larger", () => {
  fc.assert(
    fc.property(arbitraryState(), request, withRestore, (state, action, given) => {
      const before = sizes(state);
      const after = sizes(reduce(state, action, given).state);
      for (const [space, size] of Object.entries(after)) {
        const limit = space.startsWith("entry ") ? given.limits.entry : given.limits[space as "notes"];
        expect(size).toBeLessThanOrEqual(Math.max(limit, before[space] ?? 0));
      }
    }),
  );
});

test("a state within budget has no violations, and stays so", () => {
  fc.assert(
    fc.property(fc.array(arbitraryAction(), { maxLength: 20 }), context, (actions, given) => {
      let state = initialState;
      for (const action of actions) state = reduce(state, action, given).state;
      expect(budgetViolations(state, given.limits)).toEqual([]);
    }),
  );
});

test("replay equals live, under whatever limits and after the events have been lines", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(request, withRestore), { maxLength: 20 }), (asked) => {
      let live = initialState;
      const history: ScratchpadEvent[] = [];
      for (const [action, given] of asked) {
        const { state, events } = reduce(live, action, given);
        live = state;
        history.push(...events);
      }
      const read = history.map((event) => parseEvent(currentSchema, JSON.parse(JSON.stringify(encodeEvent(event)))));
      expect(JSON.stringify(fold(history))).toBe(JSON.stringify(live));
      expect(JSON.stringify(fold(read))).toBe(JSON.stringify(live));
    }),
  );
});

test("an action gives one event, a refusal that is not recorded none, and the answer says which", () => {
  fc.assert(
    fc.property(arbitraryState(), request, withRestore, fc.nat(), (state, action, given, version) => {
      const { events, answer } = decide(state, action, { ...given, version });
      const isRecorded = answer.ok || ["over_budget", "not_found", "held"].includes(answer.code ?? "");
      expect(events).toHaveLength(isRecorded ? 1 : 0);
      expect(events[0]?.type === "action.refused").toBe(isRecorded && !answer.ok);
      expect(answer.version).toBe(version + events.length);
      expect(answer.events).toEqual(events);
    }),
  );
});

test("the answer's numbers are the state's numbers, and its message is one line that shows them", () => {
  fc.assert(
    fc.property(arbitraryState(), request, withRestore, (state, action, given) => {
      const { answer, state: after } = reduce(state, action, given);
      expect(answer.message).not.toMatch(/[\p{Control}\u2028\u2029]/u);
      if (answer.space === null) return;
      const key = answer.space === "entries" ? "entriesTotal" : answer.space;
      expect(answer.used).toBe(sizes(after)[key]);
      expect(answer.limit).toBe(given.limits[key]);
      if (answer.code !== "invalid_key") expect(answer.message).toContain(`${answer.used}/${answer.limit} `);
    }),
  );
});

test("no lone surrogate is ever made", () => {
  fc.assert(
    fc.property(fc.array(request, { maxLength: 20 }), context, (actions, given) => {
      let state = initialState;
      for (const action of actions) {
        const { events, answer, state: after } = reduce(state, action, given);
        state = after;
        for (const text of texts([events, answer, state])) expect(text).not.toMatch(/\p{Surrogate}/u);
      }
    }),
  );
});

test("limits changed later do not change a replay", () => {
  fc.assert(
    fc.property(arbitraryState(), arbitraryAction(), context, limits, (state, action, given, others) => {
      const { events, state: live } = reduce(state, action, given);
      const [event] = events;
      expect(JSON.stringify(fold(events, state))).toBe(JSON.stringify(live));
      if (event !== undefined) expect(sameAction(action, event, given.at)).toBe(true);
      decide(live, action, { ...given, limits: others });
      expect(JSON.stringify(fold(events, state))).toBe(JSON.stringify(live));
    }),
  );
});

test("everything dropped can be recovered from the events", () => {
  fc.assert(
    fc.property(arbitraryState(), arbitraryAction(), context, (state, action, given) => {
      const { events, state: after } = reduce(state, action, given);
      const [event] = events;
      if (event === undefined) return;
      const offered = texts(actionOf(event, given.at)).map(wellFormed);
      const asked = action.action === "refs.set" ? texts(action.items) : [action.content, action.ref, action.replace];
      for (const text of asked)
        if (typeof text === "string" && text !== "") expect(offered).toContain(wellFormed(text));
      if (event.type !== "ref.added" || event.evicted === undefined) return;
      expect([event.evicted, ...after.refs]).toEqual([...state.refs, event.ref]);
    }),
  );
});

describe("a repeated command", () => {
  test("is answered from its event as it was the first time", () => {
    fc.assert(
      fc.property(arbitraryState(), request, withRestore, (state, action, given) => {
        const { events, answer } = decide(state, action, given);
        const [event] = events;
        if (event === undefined) return;
        const read = parseEvent(currentSchema, JSON.parse(JSON.stringify(encodeEvent(event))));
        const again = answerTo(read, state, evolve(state, read), { limits: given.limits, at: given.at });
        expect(comparable(again)).toEqual(comparable(answer));
      }),
    );
  });

  test("is known by its event, and another action is not", () => {
    fc.assert(
      fc.property(arbitraryState(), request, request, withRestore, (state, action, other, given) => {
        const [event] = decide(state, action, given).events;
        if (event === undefined) return;
        expect(sameAction(action, event, given.at)).toBe(true);
        const [otherEvent] = decide(state, other, given).events;
        const isSame =
          otherEvent !== undefined &&
          JSON.stringify(actionOf(otherEvent, given.at)) === JSON.stringify(actionOf(event, given.at));
        expect(sameAction(other, event, given.at)).toBe(isSame);
      }),
    );
  });

  test("with one more character is another action", () => {
    fc.assert(
      fc.property(arbitraryState(), wellFormedText(), context, (state, content, given) => {
        for (const action of ["set_notes", "append_notes", "set_plan"]) {
          const [event] = decide(state, { action, content }, given).events;
          if (event === undefined) throw new Error("every well-formed action has an event");
          expect(sameAction({ action, content: `${content}x` }, event, given.at)).toBe(false);
        }
      }),
    );
  });
});

function comparable(answer: Answer): unknown {
  return JSON.parse(JSON.stringify(answer));
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, "\ufffd");
}

/** Every string in a value, at any depth. */
function texts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(texts) : [];
}

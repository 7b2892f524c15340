import fc from "fast-check";
import { expect, test } from "vitest";
import { useOf } from "../../src/action/budget.ts";
import { defaultLimits } from "../../src/action/limits.ts";
import { blame } from "../../src/audit/blame.ts";
import { lossesAt, lost } from "../../src/audit/lost.ts";
import { LossReader } from "../../src/audit/report/loss-reader.ts";
import { packHistory, unpackHistory } from "../../src/audit/report/pack.ts";
import { SpaceUseOver } from "../../src/audit/report/space-use.ts";
import { createTravel } from "../../src/audit/report/travel.ts";
import type { Json, RecordedEvent } from "../../src/event/event.ts";
import { fold } from "../../src/state/fold.ts";
import { histories, historyOf } from "./histories.ts";

const longHistories = fc
  .array(histories, { minLength: 5, maxLength: 8 })
  .map((parts) => parts.flat().filter(({ event }) => event.type !== "state.restored"))
  .map((told) => historyOf(told.map(({ event, turn }) => ({ event, turn }))));

const spaces = ["notes", "plan", "refs", "entries", "sections"] as const;

test("travelling to any position shows what folding up to it gives", () => {
  fc.assert(
    fc.property(fc.oneof(histories, longHistories), fc.nat(), (history, anywhere) => {
      const travel = createTravel(history);
      for (const position of [0, anywhere % (history.length + 1), history.length]) {
        const { state, notes } = travel(position);
        expect(state).toEqual(fold(history.slice(0, position)));
        const lines = blame(history.slice(0, position), "notes");
        expect(notes.authors.map(({ version }) => version)).toEqual(lines.map(({ version }) => version));
      }
    }),
  );
});

test("what was lost is the same read in parts as the history grows, at once, and event by event", () => {
  fc.assert(
    fc.property(fc.oneof(histories, longHistories), fc.integer({ min: 1, max: 5 }), (history, part) => {
      const growing: RecordedEvent[] = [];
      const travel = createTravel(growing);
      const reader = new LossReader(growing, travel);
      for (const recorded of history) {
        growing.push(recorded);
        if (growing.length % part === 0) reader.read(part - 1);
      }
      while (!reader.read(part));
      const losses = lost(history);
      expect(reader.losses).toEqual(losses);
      const each = history.flatMap((recorded, index) =>
        lossesAt({ recorded, before: travel(index), after: travel(index + 1) }),
      );
      expect(each).toEqual(losses.filter(({ reason }) => reason !== "unfinished"));
    }),
  );
});

test("the use of every space at every position is that of the state there", () => {
  fc.assert(
    fc.property(histories, (history) => {
      const over = new SpaceUseOver();
      over.grow(history.slice(0, 2));
      over.grow(history.slice(2));
      expect(over.all.length).toBe(history.length + 1);
      for (const [position, usage] of over.all.entries()) {
        const state = fold(history.slice(0, position));
        for (const space of spaces) expect(usage[space]).toBe(useOf(space, state, defaultLimits).used);
      }
    }),
  );
});

test("a packed history comes back as it was, whatever its texts and keys are called", () => {
  const payload = fc.jsonValue() as fc.Arbitrary<Json>;
  const marked = fc.tuple(payload, payload).map(([a, b]) => ({ $: a, other: { $: [b, 1] } }));
  fc.assert(
    fc.property(histories, fc.oneof(payload, marked), fc.string({ minLength: 20 }), (history, offered, name) => {
      const unknown: RecordedEvent[] = historyOf([{ type: "unknown", name, payload: offered }]);
      const whole = JSON.parse(JSON.stringify([...history, ...unknown]));
      expect(unpackHistory(JSON.parse(JSON.stringify(packHistory(whole))))).toEqual(whole);
    }),
  );
});

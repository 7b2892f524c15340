import { expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import { type NewestTurn, TurnKeeper } from "../../src/state/newest-turn.ts";
import { initialState } from "../../src/state/state.ts";

const start = { version: 2, state: initialState };

function recorded(version: number, turn: number): RecordedEvent {
  const event = { type: "plan.set", text: `plan ${version}` } as const;
  return { version, event, at: "2026-01-01T00:00:00.000Z", turn, actor: "agent", origin: "journal" };
}

function restored(held: NewestTurn | undefined): { keeper: TurnKeeper; asked: () => number } {
  const keeper = new TurnKeeper();
  let asked = 0;
  keeper.restore(start, 1, () => {
    asked += 1;
    return held;
  });
  return { keeper, asked: () => asked };
}

test("what a checkpoint holds of a turn is read by nobody who does not ask for it, and once by who does", () => {
  const held = { turn: 1, start, events: [recorded(3, 1)] };
  const { keeper, asked } = restored(held);
  expect(asked()).toBe(0);
  expect(keeper.newest).toEqual(held);
  expect(keeper.newest).toEqual(held);
  expect(asked()).toBe(1);
});

test("a turn that goes on behind a checkpoint has the events from before it, too", () => {
  const { keeper } = restored({ turn: 1, start, events: [recorded(3, 1)] });
  keeper.add(recorded(4, 1), start.state);
  expect(keeper.newest?.events.map(({ version }) => version)).toEqual([3, 4]);
});

test("a turn of which a checkpoint holds nothing is not taken for one that began behind it", () => {
  const { keeper } = restored(undefined);
  keeper.add(recorded(4, 1), start.state);
  expect(keeper.newest).toBeUndefined();
  keeper.add(recorded(5, 2), start.state);
  expect(keeper.newest?.events.map(({ version }) => version)).toEqual([5]);
});

import { expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import { Projection, type Step } from "../../src/journal/projection.ts";
import type { StreamEnd } from "../../src/stream/delivery.ts";

const told = (version: number, text: string, rest: Partial<RecordedEvent> = {}): RecordedEvent => ({
  version,
  event: { type: "notes.set", text },
  at: "2026-01-01T00:00:00.000Z",
  turn: 0,
  actor: "agent",
  origin: "journal",
  ...rest,
});
const end = (generation: number, version: number): StreamEnd => ({ generation, version, hash: `h${version}`, turn: 0 });

function settled() {
  const projection = new Projection();
  projection.event(told(1, "one"));
  projection.event(told(2, "two"));
  projection.settle(end(1, 2));
  return projection;
}

test("while another history is being told, the last state stays on show", () => {
  const projection = settled();
  projection.reset("rewritten");
  expect(projection.view.state.notes).toBe("two");
  projection.event(told(1, "other"));
  expect([projection.view.state.notes, projection.view.version]).toEqual(["two", 2]);
  expect(projection.delivered.state.notes).toBe("other");
  projection.settle(end(2, 1));
  expect([projection.view.state.notes, projection.head]).toEqual(["other", { version: 1, hash: "h1" }]);
});

test("another history is told as one reset, plain events one by one", () => {
  const projection = settled();
  const steps: Step[] = [];
  const untap = projection.tap((step) => steps.push(step));
  projection.event(told(3, "three"));
  projection.settle(end(1, 3));
  projection.reset("branch");
  projection.event(told(1, "other"));
  projection.settle(end(2, 1));
  untap();
  projection.event(told(2, "unheard"));
  expect(steps.map((step) => step.type)).toEqual(["event", "reset"]);
  expect(steps[1]).toMatchObject({ reason: "branch", view: { version: 1, state: { notes: "other" } } });
});

test("a telling that broke off in the middle is begun again from the start", () => {
  const projection = settled();
  expect(projection.from()).toEqual({ generation: 1, version: 2 });
  projection.reset("rewritten");
  projection.event(told(1, "half"));
  expect(projection.from()).toBeUndefined();
  expect(projection.view.state.notes).toBe("two");
  projection.event(told(1, "whole"));
  projection.settle(end(2, 1));
  expect([projection.view.state.notes, projection.from()]).toEqual(["whole", { generation: 2, version: 1 }]);
});

test("a first telling that broke off is begun again, too", () => {
  const projection = new Projection();
  projection.event(told(1, "half"));
  expect(projection.from()).toBeUndefined();
  projection.event(told(1, "one"));
  projection.settle(end(1, 1));
  expect([projection.view.version, projection.view.state.notes]).toEqual([1, "one"]);
});

test("plain events that were told before a failure are not asked for again", () => {
  const projection = settled();
  projection.event(told(3, "three"));
  expect(projection.from()).toEqual({ generation: 1, version: 3 });
});

test("a snapshot brings everything back, the refusal that was last included", () => {
  const projection = settled();
  const refusal = told(3, "", {
    event: { type: "action.refused", action: "refs.remove", code: "not_found", offered: { ref: "r" } },
  });
  projection.event(refusal);
  projection.settle(end(1, 3));
  const again = new Projection(projection.snapshot());
  expect(again.view).toEqual(projection.view);
  expect([again.head, again.from()]).toEqual([projection.head, projection.from()]);
  expect(again.view.refusal).toEqual(refusal);
});

test("a stream with an unknown event gives no snapshot, because that would hide it", () => {
  const projection = settled();
  projection.event(told(3, "", { event: { type: "unknown", name: "notes.sung", payload: {} } }));
  projection.settle(end(1, 3));
  expect(projection.snapshot()).toBeUndefined();
});

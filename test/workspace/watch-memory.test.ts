/** Who watches writes again after what others change, and does not answer another who watches. */
import { afterEach, expect, test, vi } from "vitest";
import type { ScratchpadEvent } from "../../src/event/event.ts";
import type { Change } from "../../src/journal/change.ts";
import { eventChange } from "../../src/journal/compared.ts";
import { evolve } from "../../src/state/evolve.ts";
import { initialState } from "../../src/state/state.ts";
import { watchMemory } from "../../src/workspace/watch-memory.ts";

afterEach(() => void vi.useRealTimers());

const at = "2026-02-05T14:30:00.000Z";
const written = (name: string): ScratchpadEvent => ({ type: "section.written", name, text: "- 01:30", at });
const cleared: ScratchpadEvent = { type: "section.cleared", name: "Proactive Alerts" };

function changeBy(actor: string, event: ScratchpadEvent): Change {
  const recorded = { version: 1, event, at, turn: 0, actor, origin: "journal" } as const;
  return eventChange(recorded, initialState, evolve(initialState, event));
}

test("two who watch one session with different sections do not answer each other for ever", async () => {
  vi.useFakeTimers();
  let tell: (change: Change) => void = () => undefined;
  const onChange = (fn: (change: Change) => void) => {
    tell = fn;
    return () => undefined;
  };
  const assemble = vi.fn(async () => undefined);
  const control = new AbortController();
  const watching = watchMemory({ onChange }, assemble, { everyMs: 1e9, signal: control.signal });
  await vi.waitFor(() => expect(assemble).toHaveBeenCalledTimes(1));
  const countAfter = async (change: Change): Promise<number> => {
    tell(change);
    await vi.advanceTimersByTimeAsync(10_000);
    return assemble.mock.calls.length;
  };
  expect(await countAfter(changeBy("assembler", written("Time Context")))).toBe(1);
  expect(await countAfter(changeBy("assembler", cleared))).toBe(1);
  expect(await countAfter(changeBy("agent", written("Time Context")))).toBe(2);
  expect(await countAfter(changeBy("assembler", written("Weather of a provider of its own")))).toBe(3);
  expect(await countAfter(changeBy("assembler", { type: "plan.set", text: "1. Go" }))).toBe(4);
  control.abort();
  await watching;
});

test("a file that is valid for months is not written again and again", async () => {
  vi.useFakeTimers();
  const assemble = vi.fn(async () => undefined);
  const control = new AbortController();
  const onChange = () => () => undefined;
  const watching = watchMemory({ onChange }, assemble, { everyMs: 2 ** 31, signal: control.signal });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(assemble).toHaveBeenCalledTimes(1);
  control.abort();
  await watching;
});

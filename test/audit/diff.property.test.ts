import fc from "fast-check";
import jsonPatch from "fast-json-patch";
import { expect, test } from "vitest";
import { diffStates, type PatchOperation, patchBetween } from "../../src/audit/diff.ts";
import { evolve } from "../../src/state/evolve.ts";
import { initialState, type ScratchpadState } from "../../src/state/state.ts";
import { arbitraryHistory, arbitraryState } from "../../src/testing/arbitraries.ts";

/** Without prototypes, because a patch to `/entries/toString/x` would otherwise change every object there is. */
function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== "object" || value === null) return value;
  const copy = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(value)) copy[key] = bare(item);
  return copy;
}

function patched(state: ScratchpadState, patch: readonly PatchOperation[]): unknown {
  const operations = patch.map((operation) => ({ ...operation })) as jsonPatch.Operation[];
  return jsonPatch.applyPatch(bare(state), operations, true, true, false).newDocument;
}

test("the patch from any state to any other turns the one into the other", () => {
  fc.assert(
    fc.property(arbitraryState(), arbitraryState(), (before, after) => {
      expect(bare(patched(before, patchBetween(before, after)))).toEqual(bare(after));
    }),
  );
});

test("between any two points of a history the patch turns the one state into the other", () => {
  fc.assert(
    fc.property(arbitraryHistory(), fc.nat(), fc.nat(), (events, a, b) => {
      const states = [initialState];
      for (const event of events) states.push(evolve(states.at(-1) as ScratchpadState, event));
      const before = states[a % states.length] as ScratchpadState;
      const after = states[b % states.length] as ScratchpadState;
      expect(bare(patched(before, patchBetween(before, after)))).toEqual(bare(after));
    }),
  );
});

test("text and patch agree on whether anything changed", () => {
  fc.assert(
    fc.property(arbitraryState(), arbitraryState(), (before, after) => {
      const { patch, text } = diffStates(before, after);
      expect(text === "").toBe(patch.length === 0);
    }),
  );
});

test("no patch touches what all objects share", () => {
  fc.assert(
    fc.property(arbitraryState(), arbitraryState(), (before, after) => {
      const shared = Object.getOwnPropertyNames(Object.prototype).sort();
      patched(before, patchBetween(before, after));
      expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(shared);
      expect(Object.keys(Object.prototype.toString)).toEqual([]);
    }),
  );
});

/** What goes into one line is measured only where it may be too much: that must not let a line grow beyond its limit. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DraftEvent } from "../../src/event/commit.ts";
import { draftBytes, draftBytesMax, LineSize } from "../../src/journal/size.ts";

/** Each takes six bytes in a line. */
const worst = fc.constantFrom("\u0001", "\u0085", "\u2028", "\ud800");

test("events that are too many for one line are taken for few", () => {
  const pieces = fc.array(fc.tuple(worst, fc.integer({ min: 1, max: 80_000 })), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(pieces, (drawn) => {
      const size = new LineSize();
      let bytes = 0;
      for (const [character, count] of drawn) {
        const draft: DraftEvent = { event: { type: "notes.set", text: character.repeat(count) }, limits: { notes: 1 } };
        size.add([draft]);
        bytes += draftBytes(draft);
        expect(size.isOver).toBe(bytes > draftBytesMax);
      }
    }),
    { numRuns: 30 },
  );
});

test("long plain texts that fit into one line are taken for too many", () => {
  const size = new LineSize();
  for (let index = 0; index < 4; index++) size.add([{ event: { type: "notes.set", text: "x".repeat(250_000) } }]);
  expect(size.isOver).toBe(false);
  size.add([{ event: { type: "plan.set", text: "x".repeat(250_000) } }]);
  expect(size.isOver).toBe(true);
});

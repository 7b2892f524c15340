import fc from "fast-check";
import { expect, test } from "vitest";
import { createCompactionGuard } from "../../src/prompt/compaction.ts";

/** A reading, or a compaction that the host forces whatever the guard said. */
const steps = fc.array(fc.oneof(fc.nat(250), fc.constant("forced" as const)), { maxLength: 60 });

test("over any readings: one warning at most per compaction, none without one unless forced, none lost", () => {
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 100 }), fc.nat(3), (sequence, percent, slowHost) => {
      const guard = createCompactionGuard({ windowTokens: 200, reserveTokens: 50, warnAt: percent / 100 });
      const due = 150 * (percent / 100);
      let warnings = 0;
      let asked = 0;
      let crossed = false;
      for (const step of sequence) {
        if (step === "forced") {
          guard.compacted();
          [warnings, asked, crossed] = [0, 0, false];
          continue;
        }
        crossed ||= step >= due;
        const { do: doing } = guard.reading(step);
        // Lost would be: the threshold was crossed, and the guard lets the run go on as if nothing were due.
        expect(doing === "continue").toBe(!crossed);
        if (doing === "warn") warnings += 1;
        expect(warnings).toBeLessThanOrEqual(1);
        if (doing !== "compact") continue;
        expect(warnings).toBe(1);
        asked += 1;
        // A host may take its time: it is asked again until it did.
        if (asked <= slowHost) continue;
        guard.compacted();
        [warnings, asked, crossed] = [0, 0, false];
      }
    }),
  );
});

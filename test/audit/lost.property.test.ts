import fc from "fast-check";
import { expect, test } from "vitest";
import { lost } from "../../src/audit/lost.ts";
import type { RecordedEvent } from "../../src/event/event.ts";
import { fold } from "../../src/state/fold.ts";
import { historyOf, texts } from "./histories.ts";

const sorted = (text: string): string[] => text.split("\n").filter(Boolean).sort();

test("after any series of outside writes, every line that was ever there still stands or was lost", () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 12 }), (written) => {
      const history: RecordedEvent[] = historyOf(
        written.map((text) => ({ event: { type: "notes.set", text }, origin: "host" as const })),
      );
      const accounted = [fold(history).notes, ...lost(history).map(({ text }) => text)].flatMap(sorted);
      for (const line of written.flatMap(sorted)) expect(accounted).toContain(line);
    }),
  );
});

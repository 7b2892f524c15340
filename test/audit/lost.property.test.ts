import fc from "fast-check";
import { expect, test } from "vitest";
import { lost } from "../../src/audit/lost.ts";
import type { RecordedEvent } from "../../src/event/event.ts";
import { fold } from "../../src/state/fold.ts";
import { historyOf, texts } from "./histories.ts";

const sorted = (text: string): string[] => text.split("\n").filter(Boolean).sort();

const journalEvents = fc.array(fc.tuple(texts, fc.constantFrom("ann", "bob")), { maxLength: 12 });

test("whoever writes, every line that was ever there still stands or was lost, to all who ask for all", () => {
  fc.assert(
    fc.property(journalEvents, (written) => {
      const history = historyOf(
        written.map(([text, actor]) => ({ event: { type: "notes.set", text } as const, actor })),
      );
      const accounted = [fold(history).notes, ...lost(history, { all: true }).map(({ text }) => text)].flatMap(sorted);
      for (const line of written.flatMap(([text]) => sorted(text))) expect(accounted).toContain(line);
      for (const { actor, author } of lost(history)) expect(author).not.toBe(actor);
    }),
  );
});

test("after any series of outside writes, every line that was ever there still stands or was lost", () => {
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 12 }), (written) => {
      const history: RecordedEvent[] = historyOf(
        written.map((text) => ({ event: { type: "notes.set", text }, origin: "host" as const, actor: "host" })),
      );
      const accounted = [fold(history).notes, ...lost(history).map(({ text }) => text)].flatMap(sorted);
      for (const line of written.flatMap(sorted)) expect(accounted).toContain(line);
    }),
  );
});

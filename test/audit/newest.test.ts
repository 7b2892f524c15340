import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { longTextUnits } from "../../src/audit/long-text-units.ts";
import { withoutLongTexts } from "../../src/audit/long-texts.ts";
import { Newest } from "../../src/audit/newest.ts";
import { newestEvents, omissions } from "../../src/audit/report/newest-events.ts";
import type { RecordedEvent, ScratchpadEvent } from "../../src/event/event.ts";
import { fold } from "../../src/state/fold.ts";

function historyOf(...events: ScratchpadEvent[]): RecordedEvent[] {
  return events.map((event, index) => {
    const at = `2026-01-01T00:00:0${index}.000Z`;
    return { version: index + 1, event, at, turn: index, actor: "agent", origin: "journal", offset: index * 100 };
  });
}

const appended = (text: string): ScratchpadEvent => ({ type: "notes.appended", text });

test("the newest are held, by number and by length, and the rest is counted", () => {
  const newest = new Newest<number>(3, 10);
  const gone = Array.from({ length: 1000 }, (_, index) => newest.add(index, 1)).flat();
  expect([newest.items, newest.leftOut, gone.length, gone[0]]).toEqual([[997, 998, 999], 997, 997, 0]);
  expect(newest.add(1000, 9)).toEqual([997, 998]);
  expect(newest.add(1001, 100)).toEqual([999, 1000]);
  expect(newest.items).toEqual([1001]);
});

test("a report of the newest events begins with what all before them add up to", async () => {
  const history = historyOf(appended("one"), appended("two"), appended("three"), appended("four"));
  const newest = await newestEvents(Readable.from(history), 2);
  expect(newest).toMatchObject({ leftOut: 2, shortened: 0, all: 4 });
  expect(newest.events.map(({ version, turn, actor, offset }) => [version, turn, actor, offset])).toEqual([
    [2, 1, "earlier events", 100],
    [3, 2, "agent", 200],
    [4, 3, "agent", 300],
  ]);
  expect(fold(newest.events)).toEqual(fold(history));
});

test("a report of a whole history says nothing of newest ones", async () => {
  const history = historyOf(appended("one"), appended("two"));
  const newest = await newestEvents(Readable.from(history));
  expect(newest.events).toEqual(history);
  expect(omissions(newest, { shown: 3, all: 3 })).toEqual([]);
});

test("what stands for a text that is too long says how long it is, its SHA-256, and where it stands", async () => {
  const [short, long] = historyOf(appended("x".repeat(longTextUnits)), {
    type: "refs.set",
    refs: ["a", "x".repeat(longTextUnits + 1)],
  }) as [RecordedEvent, RecordedEvent];
  expect(withoutLongTexts(short)).toBe(short);
  const { refs } = withoutLongTexts(long).event as unknown as { refs: string[] };
  expect(refs).toEqual(["a", expect.stringMatching(/^\(1048577 characters, .* SHA-256 [0-9a-f]{32}….* byte 100\)$/)]);
  const newest = await newestEvents(Readable.from([short, long]));
  expect(omissions(newest)).toEqual([expect.stringMatching(/^1 event has a text of more than 1,048,576 characters/)]);
});

/** One reading gives what several would. */
import { expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import type { EventOrHost } from "../../src/index.ts";
import { openJournal } from "../../src/open/open-journal.ts";

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const held: Item[] = [];
  for await (const item of items) held.push(item);
  return held;
}

test.each([
  ["fixtures/journals/0.1.0/story.jsonl", "file"],
  ["fixtures/journals/0.1.0/branch.jsonl", "branch"],
  ["fixtures/sessions/pi-0.87.1.jsonl", "file"],
] as const)("no event, marker or prompt of %s is missed or told otherwise with the others", async (file, fold) => {
  await using journal = await openJournal(file, { readonly: true, fold });
  const [events, markers, prompts] = [
    await all(journal.history()),
    await all(journal.markers()),
    await journal.prompts(),
  ];
  const items = await all(journal.historyWithHost());
  const isEvent = (item: EventOrHost): item is RecordedEvent => "event" in item;
  expect(items.filter(isEvent)).toEqual(events);
  expect(items.filter((item) => "marker" in item)).toEqual(markers);
  expect(items.filter((item) => !isEvent(item) && !("marker" in item))).toEqual(prompts);
  const told: unknown[][] = [];
  const tell = async (given: AsyncIterable<unknown>): Promise<void> => {
    told.push(await all(given));
  };
  await journal.verify({ history: tell });
  await journal.verify({ markers: tell });
  await journal.verify({ prompts: tell });
  expect(told).toEqual([events, markers, prompts]);
});

test("a prompt stands before the first event of its turn, a marker before what came after it", async () => {
  await using journal = await openJournal("fixtures/sessions/pi-0.87.1.jsonl", { readonly: true });
  let turn = 0;
  let offset = 0;
  for await (const item of journal.historyWithHost()) {
    if ("marker" in item || "event" in item) {
      expect(item.offset ?? 0).toBeGreaterThanOrEqual(offset);
      offset = item.offset ?? 0;
    }
    if ("text" in item) expect(item.turn).toBeGreaterThan(turn);
    if ("event" in item) turn = item.turn;
  }
  expect(turn).toBeGreaterThan(1);
});

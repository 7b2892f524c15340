/** One reading gives what several would. */
import { appendFileSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import type { EventOrHost } from "../../src/index.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { cli, newSession } from "../cli/cli.ts";

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

test("a compaction on a branch that was left is told as the events there are: under policy file, and not under branch", async () => {
  const told = async (fold: "file" | "branch") => {
    const file = newSession();
    const entry = (id: string, parentId: string | null, fields: object) =>
      appendFileSync(file, `${JSON.stringify({ ...fields, id, parentId, timestamp: "2026-01-01T00:00:00.000Z" })}\n`);
    const said = { type: "message", message: { role: "user", content: "Go on" } };
    const newestId = () => JSON.parse(readFileSync(file, "utf8").trimEnd().split("\n").at(-1) ?? "").id as string;
    await using journal = await openJournal(file, { fold, mirror: false });
    entry("f0000001", null, said);
    await journal.notes.set("stays");
    entry("f0000002", newestId(), { type: "compaction", tokensBefore: 9 });
    await journal.notes.set("left");
    entry("f0000003", newestId(), said);
    entry("f0000004", "f0000001", said);
    await journal.refresh();
    const { stdout } = await cli(["log", file]);
    const markers = (await journal.hostMarkers()).map(({ marker }) => marker);
    return [stdout.includes("left"), stdout.includes("context compacted"), ...markers];
  };
  expect(await told("file")).toEqual([true, true, "compaction", "branch"]);
  expect(await told("branch")).toEqual([false, false, "branch"]);
});

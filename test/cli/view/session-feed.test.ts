import { expect, test } from "vitest";
import { unpackHistory } from "../../../src/audit/report/pack.ts";
import { createModel, type LiveModel } from "../../../src/audit/report/page/model.ts";
import type { EarlierEvents, ReportData } from "../../../src/audit/report/render.ts";
import { tellJournal } from "../../../src/cli/view/session-feed.ts";
import { SessionReading } from "../../../src/cli/view/session-reading.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { memoryStore } from "../../../src/store/memory.ts";

const count = 1_234;

test("of a long session the end is told first, and the page has all of it once the rest has come", async () => {
  const store = memoryStore();
  const journal = await openJournal(store);
  for (let index = 0; index < count; index++) await journal.notes.set(`note ${index}`);
  const listed = { key: "k", client: "c", title: "t", session: "s", where: "w" };
  const told: [string, unknown][] = [];
  const leaving = new AbortController();
  await tellJournal({
    reading: new SessionReading(store),
    opening: { listed, open: async () => store },
    title: "t",
    tell: async (name, value) => {
      told.push([name, structuredClone(value)]);
      if (name === "about") leaving.abort();
    },
    signal: leaving.signal,
  });
  const [[, report] = [], ...others] = told;
  const model = createModel(report as ReportData, leaving.signal);
  expect(model.events.length).toBeLessThan(count / 2);
  expect(model.awaited + model.events.length - 1).toBe(count);
  const shown = viewOf(model);
  model.go(model.positionOf(count - 3));
  for (const [name, value] of others) {
    if (name !== "earlier") continue;
    const { history, isLast } = value as EarlierEvents;
    model.addEarlier(unpackHistory(history), isLast);
  }
  expect(model.awaited).toBe(0);
  expect(model.events.map(({ version }) => version)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  expect(model.position()).toBe(count - 3);
  model.go(count);
  expect(viewOf(model)).toEqual(shown);
  model.go(1);
  expect(viewOf(model)).toMatchObject({ notes: "note 0", version: 1 });
});

test("a session that cannot be read for a moment stays shown, for its host may be writing it again", async () => {
  const store = memoryStore();
  const journal = await openJournal(store);
  await journal.notes.set("one");
  const listed = { key: "k", client: "c", title: "t", session: "s", where: "w" };
  const reading = new SessionReading(store);
  const failing = { open: 1, refresh: 0 };
  const failOnce = (what: keyof typeof failing): void => {
    failing[what] -= 1;
    if (failing[what] >= 0) throw new Error("w was rewritten while it was read: try again");
  };
  const refresh = reading.refresh.bind(reading);
  reading.refresh = async () => {
    failOnce("refresh");
    return refresh();
  };
  const told: string[] = [];
  const leaving = new AbortController();
  await tellJournal({
    reading,
    opening: {
      listed,
      open: async () => {
        failOnce("open");
        return store;
      },
    },
    title: "t",
    tell: async (name) => {
      told.push(name);
      if (told.includes("grown") && name === "about") leaving.abort();
      else if (name === "about") {
        failing.refresh = 1;
        await journal.notes.set("two");
      }
    },
    signal: leaving.signal,
  });
  expect(told).toEqual(["report", "about", "grown", "about"]);
});

function viewOf({ events, position, travel, spaceUses, states }: LiveModel) {
  const { state } = travel(position());
  const [usage, folded] = [spaceUses[position()], states[position()]];
  return { notes: state.notes, version: events[position() - 1]?.version, usage, folded: folded?.notes };
}

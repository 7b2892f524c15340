import { describe, expect, test } from "vitest";
import { type HistoryEnd, type HistoryPlace, soughtPoint } from "../../src/audit/points.ts";
import { PointError } from "../../src/errors.ts";
import type { RecordedEvent } from "../../src/event/event.ts";

function recorded(version: number, turn: number, at: string, entryId: string): RecordedEvent {
  return { version, event: { type: "notes.set", text: "" }, at, turn, actor: "agent", origin: "journal", entryId };
}

interface History extends HistoryEnd {
  readonly events: readonly RecordedEvent[];
}

function placeIn(point: unknown, history: History): HistoryPlace {
  const sought = soughtPoint(point, history);
  return sought.place(history.events.findLast(sought.matches));
}

/** Turn 2 has no event of its own, turn 4 is open and has none yet; versions 3 and 4 share a line. */
const history: History = {
  events: [
    recorded(1, 0, "2026-01-01T10:00:00.000Z", "e1"),
    recorded(2, 1, "2026-01-01T11:00:00.000Z", "e2"),
    recorded(3, 3, "2026-01-01T12:00:00.000Z", "e3"),
    recorded(4, 3, "2026-01-01T12:00:00.000Z", "e3"),
  ],
  version: 4,
  turn: 4,
};

describe("a point is", () => {
  test.each([
    ["v2", 2, 1],
    ["2", 2, 1],
    [2, 2, 1],
    ["v0", 0, 0],
    [0, 0, 0],
    ["t0", 1, 0],
    ["t1", 2, 1],
    ["t2", 2, 2],
    ["t3", 4, 3],
    ["t4", 4, 4],
    ["head", 4, 4],
    ["#e1", 1, 0],
    ["#e3", 4, 3],
    ["2026-01-01T11:00:00.000Z", 2, 1],
    ["2026-01-01T11:59:59Z", 2, 1],
    ["2026-01-01T12:00:00+01:00", 2, 1],
    ["2026-01-01T12:00+0100", 2, 1],
    ["2025-01-01T00:00:00Z", 0, 0],
    ["2030-01-01T00:00:00Z", 4, 3],
  ])("%s: version %d in turn %d", (point, version, turn) => {
    expect(placeIn(point, history)).toMatchObject({ version, turn });
  });

  test("for a version the turn of its event, as the history says it, also when a turn without events began behind it", () => {
    expect(placeIn("v4", history)).toEqual({ version: 4, turn: 3, at: "2026-01-01T12:00:00.000Z" });
    expect(placeIn("v0", { events: [], version: 0, turn: 2 })).toEqual({ version: 0, turn: 0 });
  });

  test("told with the time of its event, and with none at version 0", () => {
    expect(placeIn("v2", history).at).toBe("2026-01-01T11:00:00.000Z");
    expect(placeIn("head", history).at).toBe("2026-01-01T12:00:00.000Z");
    expect(placeIn("v0", history)).toEqual({ version: 0, turn: 0 });
  });
});

describe("no point is", () => {
  test.each([
    "v5",
    5,
    "t5",
    "#e4",
    "#",
    "",
    "v",
    "t",
    "v-1",
    -1,
    1.5,
    Number.NaN,
    "1.5",
    "v2 ",
    "V2",
    "HEAD",
    "2026-01-01",
    "2026-01-01T11:00:00",
    "2026-13-01T11:00:00Z",
    "2026-02-30T00:00:00Z",
    "2025-02-29T12:00:00+01:00",
    "yesterday",
    null,
    undefined,
    {},
    "9".repeat(400),
  ])("%s", (point) => {
    expect(() => placeIn(point, history)).toThrow(PointError);
  });

  test("told without saying what would be one", () => {
    expect(() => placeIn("yesterday", history)).toThrow(/"v12".*"t4".*"#entryId".*ISO.*"head"/);
    expect(() => placeIn("v5", history)).toThrow(/newest version is 4/);
    expect(() => placeIn("t5", history)).toThrow(/newest turn is t4/);
  });
});

test("in an empty history the head is version 0", () => {
  const empty: History = { events: [], version: 0, turn: 0 };
  for (const point of ["head", "v0", "t0", 0, "2026-01-01T00:00:00Z"]) {
    expect(placeIn(point, empty)).toEqual({ version: 0, turn: 0 });
  }
});

test("where the newest event is not part of the fold, the versions in between stand for the fold before them", () => {
  const branched: History = { ...history, version: 9 };
  expect(placeIn("v7", branched)).toMatchObject({ version: 7, turn: 3 });
  expect(placeIn("head", branched)).toMatchObject({ version: 9, turn: 4 });
});

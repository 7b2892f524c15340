import { describe, expect, test } from "vitest";
import { mirroredKeys, showsValue } from "../../src/line/legacy.ts";
import { names, takeAll } from "./lines.ts";

let ids = 0;
function value(customType: string, data: unknown, fields: object = {}): string {
  ids += 1;
  const entry = { type: "custom", customType, data, id: `h-${ids}`, parentId: null, ...fields };
  return `${JSON.stringify(entry)}\n`;
}

function eventsOf(...lines: string[]): unknown[] {
  return takeAll(Buffer.from(lines.join(""))).map(({ event }) => event);
}

describe("a value of an older runtime is an event", () => {
  test("a text under each key, an empty one too", () => {
    expect(eventsOf(value(names.legacy, "L"), value(names.notes, "N"), value(names.plan, ""))).toEqual([
      { type: "legacy.set", text: "L" },
      { type: "notes.set", text: "N" },
      { type: "plan.set", text: "" },
    ]);
  });

  test("refs of which only the texts are kept, also empty ones", () => {
    expect(eventsOf(value(names.refs, ["a", 7, null, "", ["b"]]))).toEqual([{ type: "refs.set", refs: ["a", ""] }]);
  });

  test("nothing is shortened on reading", () => {
    const text = "x".repeat(300_000);
    expect(eventsOf(value(names.notes, text))).toEqual([{ type: "notes.set", text }]);
  });

  test.each([
    [names.notes, ["a"], { type: "notes.set", text: '["a"]', ignored: true }],
    [names.plan, 7, { type: "plan.set", text: "7", ignored: true }],
    [names.refs, "a", { type: "refs.set", refs: ['"a"'], ignored: true }],
    [names.legacy, { a: 1 }, { type: "legacy.set", text: '{"a":1}', ignored: true }],
  ])("of the wrong type under %s it is kept and changes nothing", (key, data, event) => {
    expect(eventsOf(value(key, data))).toEqual([event]);
  });
});

describe("the single key is ignored, not lost", () => {
  test("after notes in the newer format, also empty ones and ones of the wrong type", () => {
    for (const notes of ["N", "", 7]) {
      expect(eventsOf(value(names.notes, notes), value(names.legacy, "late"))[1]).toEqual({
        type: "legacy.set",
        text: "late",
        ignored: true,
      });
    }
  });

  test("but not after a mirror of notes", () => {
    const mirror = value(names.notes, "N", { mirror: "c-1" });
    expect(eventsOf(mirror, value(names.legacy, "L"))).toEqual([{ type: "legacy.set", text: "L" }]);
  });

  test("but not after plan or refs", () => {
    const [, , last] = eventsOf(value(names.plan, "P"), value(names.refs, []), value(names.legacy, "L"));
    expect(last).toEqual({ type: "legacy.set", text: "L" });
  });
});

describe("a value line with an id that another had before", () => {
  test("is a duplicate and no event, whatever it holds", () => {
    expect(eventsOf(value(names.notes, "N", { id: "x" }), value(names.plan, "P", { id: "x" }))).toHaveLength(1);
  });

  test("is an event where the earlier one was a mirror", () => {
    const mirror = value(names.notes, "N", { id: "x", mirror: "c-1" });
    expect(eventsOf(mirror, value(names.notes, "N", { id: "x" }))).toHaveLength(1);
  });

  test("is an event each time where there is no id", () => {
    const line = value(names.notes, "N", { id: undefined });
    expect(eventsOf(line, line)).toHaveLength(2);
  });
});

test("a mirror is one whatever its mark says", () => {
  for (const mirror of ["", null, 7, {}]) expect(eventsOf(value(names.notes, "N", { mirror }))).toEqual([]);
});

test("an older runtime finds nothing, and that is an empty value", () => {
  expect(showsValue({}, "notes", "")).toBe(true);
  expect(showsValue({}, "refs", [])).toBe(true);
  expect(showsValue({}, "notes", "x")).toBe(false);
  expect(showsValue({ notes: undefined }, "notes", "")).toBe(false);
  expect(showsValue({ refs: ["a", 7] }, "refs", ["a"])).toBe(false);
  expect(showsValue({ refs: ["a", "b"] }, "refs", ["a", "b"])).toBe(true);
});

test("which keys are kept up to date", () => {
  expect(mirroredKeys(false)).toEqual([]);
  expect(mirroredKeys("single-key")).toEqual([["legacy", "notes"]]);
  expect(mirroredKeys(true).map(([key]) => key)).toEqual(["notes", "plan", "refs"]);
});

/** The way from an old line to a new event, with schemas that stand for those to come. */
import { expect, test } from "vitest";
import { currentSchema, type Upcast, upcast } from "../../src/event/upcast.ts";

const renamed =
  (from: string, to: string): Upcast =>
  ({ [from]: value, ...event }) =>
    (value === undefined ? event : { ...event, [to]: value }) as ReturnType<Upcast>;
const steps = [renamed("content", "body"), renamed("body", "text")];

test("an event takes each step from its own schema to the newest, and no step before it", () => {
  const event = { type: "notes.set", content: "a", actor: "ann" };
  expect(upcast(1, event, steps)).toEqual({ type: "notes.set", text: "a", actor: "ann" });
  expect(upcast(2, event, steps)).toEqual(event);
  expect(upcast(2, { type: "notes.set", body: "b" }, steps)).toEqual({ type: "notes.set", text: "b" });
  expect(upcast(3, { type: "notes.set", body: "b" }, steps)).toEqual({ type: "notes.set", body: "b" });
  expect(event).toEqual({ type: "notes.set", content: "a", actor: "ann" });
});

test.each([0, 4, -1, 1.5, Number.NaN])("an event of schema %s is nobody's to turn into another", (v) => {
  expect(upcast(v, { type: "notes.set", text: "a" }, steps)).toBeUndefined();
});

test("an event of the schema that is written is as it stands", () => {
  const event = { type: "notes.set", text: "a" };
  expect(upcast(currentSchema, event)).toEqual(event);
});

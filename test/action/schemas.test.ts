/** The JSON Schemas against what they are made of: a real validator and our own readers must judge alike. */
import fs from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { actionNames } from "../../src/action/actions.ts";
import { reduce } from "../../src/action/decide.ts";
import { defaultLimits } from "../../src/action/limits.ts";
import { parseAction } from "../../src/action/parse.ts";
import { jsonSchema, type SchemaName } from "../../src/action/schemas.ts";
import type { WrittenEvent } from "../../src/event/commit.ts";
import { parseImage } from "../../src/event/image.ts";
import { described } from "../../src/event/json-schema.ts";
import { encodeEvent, parseEvent, readableTypes } from "../../src/event/parse.ts";
import { currentSchema } from "../../src/event/upcast.ts";
import { initialState } from "../../src/state/state.ts";
import {
  arbitraryAction,
  arbitraryEvent,
  arbitraryLimits,
  arbitraryRequest,
  arbitraryState,
} from "../../src/testing/arbitraries.ts";

const names: readonly SchemaName[] = ["action", "answer", "event"];
const ajv = new Ajv2020({ allErrors: true });
const [isAction, isAnswer, isEvent] = [
  ajv.compile(jsonSchema("action")),
  ajv.compile(jsonSchema("answer")),
  ajv.compile(jsonSchema("event")),
];

const at = "2026-11-21T20:00:00.000Z";
const context = { limits: defaultLimits, actor: "agent", at };
const asJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

test.each(names)("the schema of every %s names its draft and its version", (name) => {
  expect(jsonSchema(name)).toMatchObject({
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: `urn:session-journal:${name}:${currentSchema}`,
  });
});

test("each action and each type of event has a definition of its own", () => {
  const definitions = (name: SchemaName) => Object.keys(jsonSchema(name)["$defs"] as object);
  expect(definitions("action").toSorted()).toEqual(actionNames.toSorted());
  expect(definitions("event").toSorted()).toEqual([...readableTypes(), "unknown"].sort());
});

test("a reader has one shape: it cannot be described a second time", () => {
  expect(() => described({}, parseImage)).toThrow(TypeError);
  expect(parseImage.schema).toHaveProperty("required");
});

test("an event is valid where our reader knows it, and only there", () => {
  const spoilt = fc
    .tuple(arbitraryEvent(), fc.string(), fc.jsonValue({ maxDepth: 1 }))
    .chain(([event, field, value]) =>
      fc
        .constantFrom(field, ...Object.keys(event))
        .map((name) => ({ ...encodeEvent(event), [name]: value }) as unknown as WrittenEvent),
    );
  const cut = arbitraryEvent().chain((event) => {
    const raw = encodeEvent(event);
    return fc
      .constantFrom(...Object.keys(raw))
      .map((name) => ({ ...raw, [name]: undefined }) as unknown as WrittenEvent);
  });
  const seen = { valid: 0, broken: 0 };
  fc.assert(
    fc.property(fc.oneof(arbitraryEvent().map(encodeEvent), spoilt, cut), (event) => {
      const raw = asJson(event) as WrittenEvent;
      // In a history, what no reader knows is an event of this type.
      fc.pre(raw.type !== "unknown");
      const isKnown = typeof raw.type === "string" && parseEvent(currentSchema, raw).type !== "unknown";
      seen[isKnown ? "valid" : "broken"] += 1;
      expect(isEvent(raw), JSON.stringify(raw)).toBe(isKnown);
    }),
    { numRuns: 300 },
  );
  expect(seen.valid).toBeGreaterThan(20);
  expect(seen.broken).toBeGreaterThan(20);
});

test("every event as a history tells it is valid, also one that this version does not know", () => {
  fc.assert(
    fc.property(arbitraryEvent(), (event) => {
      expect(isEvent(asJson(event))).toBe(true);
    }),
  );
  expect(isEvent({ type: "notes.sung", text: "la" })).toBe(false);
});

test("an action that is valid is one that can be decided, and what is decided is valid", () => {
  const seen = { valid: 0, broken: 0 };
  fc.assert(
    fc.property(fc.oneof(arbitraryAction(), arbitraryRequest()), (request) => {
      const parsed = parseAction(request);
      const isValid = isAction(request);
      seen[isValid ? "valid" : "broken"] += 1;
      if (isValid) expect(parsed).toHaveProperty("action");
      // What is left out, null or of another action is passed over: what is made of it keeps to the schema.
      if ("action" in parsed) expect(isAction(parsed.action), JSON.stringify(parsed.action)).toBe(true);
    }),
    { numRuns: 300 },
  );
  expect(seen.valid).toBeGreaterThan(20);
  expect(seen.broken).toBeGreaterThan(20);
});

test.each<[string, unknown]>([
  ["no object", "set_notes"],
  ["an unknown action", { action: "sing", content: "la" }],
  ["no content", { action: "set_notes" }],
  ["content of another type", { action: "set_plan", content: 5 }],
  ["content beyond any budget", { action: "set_notes", content: "x".repeat(100_001) }],
  ["a misspelt parameter", { action: "set_notes", content: "a", contents: "b" }],
  ["an empty ref", { action: "refs.add", ref: "" }],
  ["a path as a key", { action: "entries.write", key: "a/b", content: "x" }],
  ["a reserved key", { action: "entries.write", key: "__proto__", content: "x" }],
  ["a key that is too long", { action: "entries.delete", key: "k".repeat(129) }],
  ["a name of two lines", { action: "sections.write", name: "a\nb", content: "x" }],
  ["a blank name", { action: "sections.clear", name: "  " }],
  ["a lease of no time", { action: "entries.claim", key: "a", ttlSeconds: 0 }],
  ["an unknown operation", { action: "edit_notes", operation: "sing", content: "la" }],
])("%s is no valid action, and is refused", (_, value) => {
  expect([isAction(value), "refusal" in parseAction(value)]).toEqual([false, true]);
});

test("every answer is valid", () => {
  fc.assert(
    fc.property(arbitraryState(), arbitraryRequest(), arbitraryLimits(), (state, request, limits) => {
      const { answer } = reduce(state, request, { ...context, limits });
      expect(isAnswer(asJson(answer)), JSON.stringify(answer)).toBe(true);
    }),
  );
});

test("an answer that lacks something, or says what cannot be, is not valid", () => {
  const { answer } = reduce(initialState, { action: "set_notes", content: "a" }, context);
  const { answer: refusal } = reduce(initialState, { action: "refs.remove", ref: "r" }, context);
  expect([isAnswer(answer), isAnswer(refusal)]).toEqual([true, true]);
  for (const field of Object.keys(answer)) expect(isAnswer({ ...answer, [field]: undefined })).toBe(false);
  expect(isAnswer({ ...answer, code: "held" })).toBe(false);
  expect(isAnswer({ ...refusal, code: undefined })).toBe(false);
  expect(isAnswer({ ...refusal, code: "lost" })).toBe(false);
  expect(isAnswer({ ...answer, space: "attic" })).toBe(false);
  expect(isAnswer({ ...answer, events: [{ type: "notes.set" }] })).toBe(false);
});

test("a name that has no schema is said, not answered with nothing", () => {
  expect(() => jsonSchema("events" as "event")).toThrow('must be one of "action", "answer", "event"');
});

describe("what the first release wrote", () => {
  const folder = path.resolve(import.meta.dirname, "../../fixtures/journals/0.1.0");
  const files = fs.readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

  test.each(files)("%s: its events are valid under the schema that they were written in", (name) => {
    const commits = fs
      .readFileSync(path.join(folder, name), "utf8")
      .split("\n")
      .filter((line) => line.includes(':events"'))
      .map((line) => (JSON.parse(line) as { data: { v: number; events: unknown[] } }).data);
    expect(commits.length).toBeGreaterThan(0);
    for (const { v, events } of commits) {
      if (v === currentSchema) for (const event of events) expect(isEvent(event), JSON.stringify(event)).toBe(true);
      else expect(events.every((event) => isEvent(event))).toBe(false);
    }
  });
});

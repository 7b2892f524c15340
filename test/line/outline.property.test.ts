import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Outline, OutlineReader, outlineOf } from "../../src/line/outline.ts";
import { hostileText } from "../../src/testing/arbitraries.ts";
import { anyCuts, chunksOf } from "./lines.ts";

/** So short that no field outgrows what an outline keeps, escaped or not. */
const text = hostileText({ piecesMax: 2 });
const name = fc.oneof(text, fc.constantFrom("type", "id", "parentId", "role", "message", "customType", "null"));
const other = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.dictionary(fc.constantFrom("type", "id", "parentId", "role", "message"), fc.jsonValue({ maxDepth: 1 })),
);
const value = fc.oneof({ weight: 3, arbitrary: name }, other);
const message = fc.oneof(
  { weight: 3, arbitrary: fc.dictionary(fc.constantFrom("role", "content", "message", "id"), value) },
  value,
);

/** Fields in any order; each at most once, as every printer writes them. */
const entry = fc
  .record(
    {
      type: value,
      customType: value,
      id: value,
      parentId: fc.oneof(value, fc.constant(null)),
      timestamp: value,
      message,
      data: other,
      [""]: value,
      notes: value,
    },
    { requiredKeys: [] },
  )
  .chain((fields) => fc.shuffledSubarray(Object.entries(fields), { minLength: Object.keys(fields).length }))
  .map((fields) => Object.fromEntries(fields));

const space = fc.constantFrom("", "", " ", "\t", "  ", "\r");

/** As printers of other languages write it: spaces anywhere, characters escaped at will. */
function printed(item: unknown, gap: string, escapes: boolean): string {
  if (typeof item === "string") return escapes ? escapedText(item) : JSON.stringify(item);
  if (Array.isArray(item)) return `[${item.map((each) => gap + printed(each, gap, escapes) + gap).join(",")}]`;
  if (typeof item === "object" && item !== null) {
    const fields = Object.entries(item).map(
      ([key, each]) => `${gap}${printed(key, gap, escapes)}${gap}:${gap}${printed(each, gap, escapes)}${gap}`,
    );
    return `{${fields.join(",")}}`;
  }
  return JSON.stringify(item);
}

function escapedText(item: string): string {
  const units = [...item].flatMap((char) => char.split(""));
  return `"${units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("")}"`;
}

/** What the whole parser says of the same fields. A text of more than 512 bytes is none that matters. */
function parsedOutline(json: string): Outline {
  const fields = JSON.parse(json) as Record<string, unknown>;
  const outline: Outline = { whole: true };
  for (const key of ["type", "customType", "id", "parentId", "timestamp"] as const) {
    const field = fields[key];
    if (typeof field === "string") outline[key] = field;
  }
  if (fields["parentId"] === null) outline.parentId = null;
  const { message: inner } = fields;
  if (typeof inner === "object" && inner !== null && !Array.isArray(inner)) {
    const { role } = inner as { role?: unknown };
    if (typeof role === "string") outline.role = role;
  }
  return outline;
}

function readInChunks(bytes: Buffer, cuts: readonly number[]): Outline {
  const reader = new OutlineReader();
  for (const chunk of chunksOf(bytes, cuts)) reader.push(chunk);
  return reader.end();
}

test("the outline of any entry is what the whole parser says, in chunks of any size", () => {
  fc.assert(
    fc.property(entry, space, fc.boolean(), anyCuts, (fields, gap, escapes, cuts) => {
      const json = gap + printed(fields, gap, escapes) + gap;
      const bytes = Buffer.from(json);
      expect(readInChunks(bytes, cuts)).toEqual(parsedOutline(json));
    }),
  );
});

test("bytes one at a time are the same as all at once", () => {
  fc.assert(
    fc.property(entry, (fields) => {
      const bytes = Buffer.from(JSON.stringify(fields));
      expect(readInChunks(bytes, [...bytes.keys()])).toEqual(outlineOf(bytes));
    }),
  );
});

test("any bytes give an outline, the same in chunks of any size", () => {
  const bytes = fc.oneof(fc.uint8Array(), fc.array(fc.constantFrom(...'{}[]":,\\n'), { maxLength: 60 }).map(toBytes));
  fc.assert(
    fc.property(bytes, anyCuts, (given, cuts) => {
      expect(readInChunks(Buffer.from(given), cuts)).toEqual(outlineOf(given));
    }),
  );
});

function toBytes(chars: string[]): Uint8Array {
  return Buffer.from(chars.join(""));
}

describe("what is not whole", () => {
  test.each([
    ['{"type":"message"', "cut"],
    ['{"type":"message","id":"a', "cut in a text"],
    ["[]", "no object"],
    ['"type"', "a text"],
    ["", "empty"],
    ["}", "closed only"],
    ["{}{}", "two objects"],
  ])("%s (%s)", (json) => {
    expect(outlineOf(Buffer.from(json)).whole).toBe(false);
  });
});

test("a text that is too long to matter leaves the field out and the rest in", () => {
  const json = JSON.stringify({
    id: "x".repeat(600),
    type: "message",
    message: { role: "user" },
    ["k".repeat(600)]: 1,
  });
  expect(outlineOf(Buffer.from(json))).toEqual({ type: "message", role: "user", whole: true });
});

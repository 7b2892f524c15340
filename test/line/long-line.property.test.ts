import fc from "fast-check";
import { expect, test } from "vitest";
import { LongLine } from "../../src/line/long-line.ts";
import { anyCuts, anyHostLine, anyOurLine, chunksOf, damaged, names } from "./lines.ts";

/** What the whole parser says of the same bytes. */
function parsed(bytes: Buffer): unknown {
  const bare = bytes.subarray(bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? 3 : 0);
  const latin1 = bare.toString("latin1").replace(/^[ \t\r\n\0]+|[ \t\r\n\0]+$/g, "");
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(latin1, "latin1"));
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const { message, mirror, ...fields } = value as Record<string, unknown>;
    const role =
      typeof message === "object" && message !== null && !Array.isArray(message) && "role" in message
        ? message.role
        : undefined;
    const texts = Object.fromEntries(
      ["type", "customType", "id", "parentId", "timestamp"].flatMap((key) =>
        typeof fields[key] === "string" || fields[key] === null ? [[key, fields[key]]] : [],
      ),
    );
    return { texts, hasMirror: mirror !== undefined, role: typeof role === "string" ? role : undefined };
  } catch {
    return undefined;
  }
}

function walked(bytes: Buffer, cuts: readonly number[]): unknown {
  const reader = new LongLine(names);
  for (const chunk of chunksOf(bytes, cuts)) reader.push(chunk);
  const { isObject, fields, role } = reader.end();
  if (!isObject) return undefined;
  const { mirror, ...texts } = fields;
  return { texts, hasMirror: mirror !== undefined, role };
}

function isAgreed(bytes: Buffer, cuts: readonly number[]): void {
  expect(walked(bytes, cuts)).toEqual(parsed(bytes));
}

const key = fc.constantFrom("type", "role", "message", "id", "mirror", "parentId", "customType", "x", "ro\\u006ce");
const scalar = fc.constantFrom(
  ...['"user"', '"\\u0075ser"', "null", "true", "false", "0", "-0", "-1.5e+3", "1E2", '""', '"\\ud800"', '"é"', "[]"],
  ...["01", "1.", "-", ".5", "+1", "nul", "1e", '"\t"', '"\\x"', '"\\u12g4"', "tru e", "undefined", '"', "NaN"],
);
const blank = fc.constantFrom("", "", "", " ", "\t", "\r", "\n", "\0", "\f", "\v", "\ufeff", "\u00a0");
const object: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  object: fc
    .array(fc.tuple(blank, key, blank, tie("value"), blank), { maxLength: 4 })
    .map((fields) => `{${fields.map(([a, name, b, value, c]) => `${a}"${name}"${b}:${value}${c}`).join(",")}}`),
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    tie("object"),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(",")}]`),
  ),
})).object;

test("what JSON.parse would say of a line is said of it piece by piece", () => {
  fc.assert(
    fc.property(blank, object, blank, anyCuts, (before, json, after, cuts) => {
      isAgreed(Buffer.from(before + json + after), cuts);
    }),
    { numRuns: 2000 },
  );
});

test("damage is seen as JSON.parse sees it", () => {
  fc.assert(fc.property(fc.oneof(damaged(anyOurLine), damaged(anyHostLine), damaged(object)), anyCuts, isAgreed), {
    numRuns: 1000,
  });
});

test("any bytes of JSON's own characters are judged as JSON.parse judges them", () => {
  const shards = fc.constantFrom(...'{}[]":,\\ tfn0-1e.u\0', '"a"', '{"role":', "null", "\xef\xbb\xbf");
  const bytes = fc.array(shards, { maxLength: 40 }).map((pieces) => Buffer.from(pieces.join(""), "latin1"));
  fc.assert(fc.property(bytes, anyCuts, isAgreed), { numRuns: 2000 });
});

test("names that stand in the bytes are found across pieces", () => {
  fc.assert(
    fc.property(anyOurLine, fc.nat({ max: 80 }), (text, size) => {
      const bytes = Buffer.from(text);
      const reader = new LongLine(names);
      for (let at = 0; at < bytes.length; at += size + 1) reader.push(bytes.subarray(at, at + size + 1));
      const { stands, fields } = reader.end();
      expect(stands.has(fields.customType ?? "")).toBe(true);
    }),
  );
});

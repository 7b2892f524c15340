import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { classify } from "../../src/line/classify.ts";
import { parseObject } from "../../src/line/decode.ts";
import type { HostLine } from "../../src/line/format.ts";
import { LineSurvey, surveyBytesMax } from "../../src/line/line-survey.ts";
import { anyHostLine, damaged, names } from "./lines.ts";

const survey = LineSurvey.make();
if (survey === undefined) throw new Error("this machine runs no WebAssembly");

interface Surveyed {
  readonly start: number;
  readonly line: Buffer;
  readonly message: HostLine | undefined;
}

function surveyed(lines: Buffer): Surveyed[] {
  const found: Surveyed[] = [];
  survey?.look(lines, (start, feed, message) => found.push({ start, line: lines.subarray(start, feed), message }));
  return found;
}

/** As they lie in the room of the survey after a part was read into it: behind what was read once more, and before half a line. */
function readIntoRoom(lines: Buffer): Buffer {
  const [before, behind] = [Buffer.from('"end":1}\n'), Buffer.from('{"type":"message","id":"')];
  const room = survey?.room ?? expect.unreachable();
  Buffer.concat([before, lines, behind]).copy(room);
  return room.subarray(before.length, before.length + lines.length);
}

/** What is surveyed as a message is what parsing makes of it, and wherever the lines lie. */
function expectSame(lines: Buffer): void {
  const found = surveyed(lines);
  const messages = found.map(({ message }) => message && { ...message, fields: message.fields });
  const inRoom = surveyed(readIntoRoom(lines));
  expect(inRoom.map(({ start, line }) => [start, line.length])).toEqual(
    found.map(({ start, line }) => [start, line.length]),
  );
  expect(inRoom.map(({ message }) => message && { ...message, fields: message.fields })).toEqual(messages);
  expect(Buffer.concat(found.flatMap(({ line }) => [line, Buffer.from("\n")])).equals(lines)).toBe(true);
  let end = 0;
  for (const { start, line, message } of found) {
    expect(start).toBe(end);
    end = start + line.length + 1;
    if (message === undefined) continue;
    const parsed = classify(line, names);
    const { kind, entry, type, customType, role, fields, isPlain } = message;
    expect({ kind, entry, type, customType, role, fields }).toEqual(parsed);
    expect(isPlain && Object.keys(fields ?? {}).sort()).toEqual(["id", "message", "parentId", "timestamp", "type"]);
  }
}

const known = [
  ...['{"type":"message"', '"id":"a1b2c3d4"', '"parentId":null', '"parentId":"00000000"'],
  ...['"timestamp":"2026-03-09T13:03:46.417Z"', '"message":{"role":"user"', '"message":{"content":[', '"role":"tool"'],
];
const odd = [
  ...['"type":"message"', '"type":"messages"', '"type":7', '"id":"é"', '"id":"\\u0061"', '"id":4', '"copied":true'],
  ...['"data":{"prev":"","hash":""}', '"message":7', '"message":{}', '{"a":1,"a":{}}', "[1,2,[]]", "[", "]", "{", "}"],
  ...["{}", "-0.5e+3", "01", "1.", "1e", "-", "+1", ".5", "1E5", "1e-05", "0", "-12", "tru", "true", "false", "null"],
  ...["nul", '"\\n\\t\\"\\\\\\/\\b\\f\\r"', '"\\x"', '"\\u12G4"', '"\\uD800"', '"\\u00', '"\\', '"', '"\u2028São 🎉"'],
  ...[
    ":",
    ",",
    " ",
    "\t",
    "\r",
    "\u0000",
    "\u001f",
    "\v",
    "\uFEFF",
    "\n",
    '""',
    `"${"x".repeat(40)}\\n${"y".repeat(17)}"`,
  ],
];
const tokens = fc
  .array(fc.oneof(fc.constantFrom(...known), fc.constantFrom(",", "}", "}}", "]}}", ":"), fc.constantFrom(...odd)))
  .map((pieces) => `${pieces.join("")}\n`);

/** In any order and spacing, now and then with one that stands twice or does not belong there. */
const entries = fc
  .tuple(
    fc.shuffledSubarray(['"type":"message"', '"id":"a1"', '"parentId":"b2"', '"timestamp":"2026"'], { minLength: 3 }),
    fc.json({ maxDepth: 4 }),
    fc.constantFrom(
      ...['"role":"user"', '"role" : "assistant"', '"role":"user","role":"x"', '"r\\u006fle":"x"', '"a":1'],
    ),
    fc.constantFrom("", "", "", ',"id":"c3"', ',"label":"x"', ',"message":{"role":"x"}'),
    fc.constantFrom("", " ", "\t", "\r"),
    fc.nat(4),
  )
  .map(([fields, value, role, extra, space, at]) => {
    const message = `"message":${space}{"content":${value},${role}${space}}`;
    return `${space}{${fields.toSpliced(at, 0, message).join(`,${space}`)}${extra}}${space}\n`;
  });
const files: fc.Arbitrary<Buffer> = fc
  .array(fc.oneof(fc.oneof(tokens, entries).map(Buffer.from), damaged(entries), damaged(anyHostLine)), {
    maxLength: 12,
  })
  .map((lines) => Buffer.concat([...lines, Buffer.from("\n")]));

test("what is surveyed as a message is what parsing makes of it, however the line is damaged", () => {
  const texts = files.filter((lines) => isUtf8(lines));
  fc.assert(fc.property(texts, expectSame), { numRuns: 500 });
});

const message = '"message":{"role":"assistant","content":[{"type":"text","text":"São Paulo\\n"}]}';
const plain = `{"type":"message","id":"a1b2c3d4","parentId":null,"timestamp":"2026-03-09T13:03:46.417Z",${message}}`;

test.each([
  ["as clients print it", plain],
  ["in another order", `{${message},"timestamp":"2026","parentId":"x","id":"y","type":"message"}`],
  ["with white space", JSON.stringify(JSON.parse(plain), null, 1).replace(/\n */g, " ")],
  ["with a carriage return", `${plain}\r`],
])("a message %s is not parsed", (_, line) => {
  const [found] = surveyed(Buffer.from(`${line}\n`));
  expect(found?.message?.isPlain).toBe(true);
  expectSame(Buffer.from(`${line}\n`));
});

test.each([
  ["no id", plain.replace('"id":"a1b2c3d4",', "")],
  ["two ids", plain.replace('"parentId"', '"id":"x","parentId"')],
  ["an id with an escape", plain.replace("a1b2", "\\u0061")],
  ["a field that may be ours", plain.replace('"parentId"', '"mirror":"x","parentId"')],
  ["another type", plain.replace('"message"', '"custom"')],
  ["two roles", plain.replace('"content"', '"role":"user","content"')],
  ["a role that is written with escapes", plain.replace('"content"', '"r\\u006fle":"user","content"')],
  ["no role", plain.replace('"role":"assistant",', "")],
  ["a number that is none", plain.replace('"content"', '"n":01,"content"')],
  ["an escape that is none", plain.replace("\\n", "\\q")],
  ["a control character", plain.replace("\\n", "\t")],
  ["something behind it", `${plain}x`],
  ["nothing before it ends", plain.slice(0, -1)],
  ["more levels than are followed", plain.replace('"text"', `${"[".repeat(60)}${"]".repeat(60)},"text"`)],
])("a line with %s is left to who parses", (_, line) => {
  expect(surveyed(Buffer.from(`${line}\n`)).map(({ message }) => message)).toEqual([undefined]);
});

test("a window of nothing but short lines has them all", () => {
  const lines = Buffer.alloc(surveyBytesMax, `\n${plain}\n{}\n`);
  lines[surveyBytesMax - 1] = 0x0a;
  expect(surveyed(Buffer.alloc(surveyBytesMax, "\n")).length).toBe(surveyBytesMax);
  const found = surveyed(lines);
  expect(found.filter(({ message }) => message !== undefined).length).toBe(
    lines
      .toString("latin1")
      .split("\n")
      .filter((line) => parseObject(Buffer.from(line, "latin1"))?.["id"]).length,
  );
});

test("a message hangs on the entry that it names, also where that is printed like the one before it", () => {
  const lines = ["a1", "a2", "a11"].map((parentId, index) =>
    plain.replace("null", `"${parentId}"`).replace('"a1b2c3d4"', `"a${index + 1}"`),
  );
  expectSame(Buffer.from(`${lines.join("\n")}\n${plain}\n`));
});

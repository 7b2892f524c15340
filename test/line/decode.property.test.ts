import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Ledger } from "../../src/line/acceptance.ts";
import { decodeHeader } from "../../src/line/decode.ts";
import { commitLine, linkCommit } from "../../src/line/encode.ts";
import { commitLineBytesMax } from "../../src/line/format.ts";
import { isTornLine } from "../../src/line/torn.ts";
import { evolve } from "../../src/state/evolve.ts";
import { initialState } from "../../src/state/state.ts";
import { anyHostLine, anyOurLine, damaged, decodeLine, encodeContext, names, session, takeAll } from "./lines.ts";

const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
  damaged(anyOurLine),
  damaged(anyHostLine),
  damaged(fc.array(anyOurLine, { maxLength: 3 }).map((lines) => lines.join(""))),
);

test("no bytes make reading fail, and what is read has a meaning", () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      decodeHeader(bytes);
      isTornLine(bytes, names);
      expect(takeAll(bytes).reduce((state, { event }) => evolve(state, event), initialState)).toBeDefined();
    }),
  );
});

test("a line of ours that was cut off is torn, and nothing of it is read", () => {
  fc.assert(
    fc.property(anyOurLine, fc.nat(), (text, at) => {
      const line = Buffer.from(text).subarray(0, -1);
      const cut = line.subarray(0, at % line.length);
      expect(isTornLine(cut, names)).toBe(true);
      expect(decodeLine(cut, names)?.kind).toBeOneOf([undefined, "damaged"]);
      expect(isTornLine(line, names)).toBe(false);
    }),
  );
});

test.each(["1.", "1.5e", "1.5e-", "-", "2e+1", "tru"])("a line that was cut off in the value %s is torn", (value) => {
  const text = `{"type":"custom","customType":"${names.events}","data":{"events":[${value}`;
  expect(isTornLine(Buffer.from(text), names)).toBe(true);
  expect(isTornLine(Buffer.from(`${text}]}x`), names)).toBe(false);
});

test("a line that lost bytes in its middle is not torn", () => {
  fc.assert(
    fc.property(anyOurLine, fc.nat(), (text, at) => {
      const line = Buffer.from(text).subarray(0, -1);
      const opening = `{"type":"custom","customType":"`.length;
      const from = at % opening;
      const holed = Buffer.concat([line.subarray(0, from), line.subarray(from + 1)]);
      expect(isTornLine(holed, names)).toBe(false);
    }),
  );
});

test("whatever a crash or an editor puts around a line, the line is read", () => {
  const around = fc.constantFrom("", "\u0000\u0000\u0000", "\r", " ", "\t\u0000");
  fc.assert(
    fc.property(anyOurLine, fc.constantFrom("", "\ufeff"), around, around, (text, bom, before, after) => {
      const line = text.slice(0, -1);
      expect(decodeLine(Buffer.from(bom + before + line + after), names)).toEqual(decodeLine(Buffer.from(line), names));
    }),
  );
});

describe("a commit line is damaged, not someone else's and not an event, when", () => {
  const event = { type: "notes.set", text: "x", actor: "agent" };
  const right = linkCommit(
    { v: 1, id: "c-1", at: session.timestamp, events: [event] },
    new Ledger(session).head,
    "file",
  );
  const line = commitLine(right, null, encodeContext()).text;
  const withData = (data: unknown): Buffer =>
    Buffer.from(JSON.stringify({ type: "custom", customType: names.events, data, id: "a", parentId: null }));
  let deep: unknown = [];
  for (let level = 0; level < 100; level++) deep = [deep];

  test.each<[string, Buffer]>([
    ["it has no data", withData(undefined)],
    ["its data is null", withData(null)],
    ["its data is a list", withData([right])],
    ["its id is a number", withData({ ...right, id: 7 })],
    ["its id is empty", withData({ ...right, id: "" })],
    ["a command is empty", withData({ ...right, events: [{ ...event, command: "" }] })],
    ["a command is a number", withData({ ...right, events: [{ ...event, command: 7 }] })],
    ["it has no prev", withData({ ...right, prev: undefined })],
    ["its hash is null", withData({ ...right, hash: null })],
    ["its schema is a text", withData({ ...right, v: "1" })],
    ["it has no events", withData({ ...right, events: [] })],
    ["its events are a map", withData({ ...right, events: { 0: event, length: 1 } })],
    ["an event is null", withData({ ...right, events: [null] })],
    ["an event has no type", withData({ ...right, events: [{ text: "x" }] })],
    ["its version is beyond 2^53", withData({ ...right, version: 2 ** 53 })],
    ["its version is a fraction", withData({ ...right, version: 1.5 })],
    ["its version is negative", withData({ ...right, version: -1 })],
    ["its version is below the number of events", withData({ ...right, version: 0 })],
    ["it is nested too deep", withData({ ...right, events: [{ ...event, deep }] })],
    ["it is nested 100,000 deep", Buffer.from(line.replace('"x"', `${"[".repeat(100_000)}${"]".repeat(100_000)}`))],
    ["it is not JSON", Buffer.from(line.replace('"x"', "x"))],
    ["it holds invalid UTF-8", Buffer.from(line.replace('"x"', '"\xff"'), "latin1")],
    ["it was cut off", Buffer.from(line.slice(0, -30))],
  ])("%s", (_, bytes) => {
    expect(decodeLine(bytes, names)).toMatchObject({ kind: "damaged", reason: expect.any(String) as string });
    expect(takeAll(Buffer.concat([bytes, Buffer.from("\n"), Buffer.from(line)]))).toHaveLength(1);
  });

  test("it is too long to be read", () => {
    const long = line.replace('"x"', JSON.stringify("x".repeat(commitLineBytesMax)));
    expect(decodeLine(Buffer.from(long))).toMatchObject({ kind: "damaged", broken: false });
  });
});

describe("a value line of another runtime is one event, also when", () => {
  const withData = (json: string): Buffer =>
    Buffer.from(`{"type":"custom","customType":"${names.notes}","data":${json},"id":"a1","parentId":null}\n`);

  test.each([
    ["its data is null", "null"],
    ["its data is a map", '{"__proto__":{"polluted":true},"constructor":1}'],
    ["its data is a number beyond 2^53", "90071992547409931"],
    ["its data is nested 100,000 deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    ["its data holds lone surrogates", '"\\ud83d"'],
  ])("%s", (_, json) => {
    const [first, ...rest] = takeAll(withData(json));
    expect(rest).toEqual([]);
    expect(first).toMatchObject({ version: 1, origin: "host", event: { type: "notes.set" } });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test("it has no data", () => {
    const line = `{"type":"custom","customType":"${names.plan}","id":"a1","parentId":null}\n`;
    expect(takeAll(Buffer.from(line))).toMatchObject([{ version: 1, event: { type: "plan.set", ignored: true } }]);
  });
});

test("of keys that are there twice the last one counts, as for every JSON parser", () => {
  const twice = `{"type":"custom","customType":"x","customType":"${names.notes}","data":"a","data":"b","id":"a1"}\n`;
  expect(takeAll(Buffer.from(twice))).toMatchObject([{ event: { text: "b" } }]);
});

test.each([
  ["not JSON", "session"],
  ["a list", "[]"],
  ["of another type", '{"type":"message"}'],
  ["empty", ""],
])("what is %s is no header", (_, text) => {
  expect(decodeHeader(Buffer.from(text))).toBeUndefined();
});

test("of a header only what has the right type counts", () => {
  const odd = '{"type":"session","id":7,"version":"3","timestamp":0,"cwd":null,"parentSession":[]}';
  expect(decodeHeader(Buffer.from(odd))).toEqual({ id: "", version: 1 });
});

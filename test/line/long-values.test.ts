/** A value of another runtime may be of any length: it is held once, and not in the heap. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { splitLines } from "../../src/audit/lines.ts";
import { linesIn } from "../../src/audit/visible.ts";
import { classify } from "../../src/line/classify.ts";
import { lineNames } from "../../src/line/format.ts";

const names = lineNames();
const units = 3_000_000;

function lineOf(text: string): Buffer {
  const data = JSON.stringify(text);
  return Buffer.from(`{"type":"custom","customType":"${names.notes}","id":"a","parentId":null,"data":${data}}`);
}

/** After a full collection. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

test.each([
  ["a text in ASCII", "plain line\n"],
  ["one in Latin letters", "é line\n"],
  ["one whose letters stand across the borders of pieces", "x漢字"],
  ["one of lone surrogates", "\ud800 x"],
])("%s is read wrongly or held in the heap", (_, piece) => {
  const text = piece.repeat(Math.ceil(units / piece.length));
  const line = lineOf(text);
  const before = heapBytes();
  const read = classify(line, names);
  expect(heapBytes() - before).toBeLessThan(units / 2);
  expect(read.kind === "value" && read.data === text).toBe(true);
});

test.each([0xff, 0xc3])("a long value whose last byte is %i, which is no UTF-8, counts", (byte) => {
  const line = lineOf("é".repeat(units));
  line[line.length - 3] = byte;
  expect(classify(line, names).kind).toBe("broken");
});

test.each(["", "\n", "one", "one\n", "\n\none\r\n\ntwo"])("of %j a line is missing", (text) => {
  expect([...linesIn(text)]).toEqual(text.split("\n"));
});

test("a long text is cut into millions of lines", () => {
  const text = "a line\n".repeat(200_000);
  expect(splitLines(text)).toEqual([text]);
  expect(splitLines(text.slice(0, 21))).toEqual(["a line", "a line", "a line", ""]);
});

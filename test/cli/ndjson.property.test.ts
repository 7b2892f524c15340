import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonWriter, readJsonLines } from "../../src/cli/ndjson.ts";

/** Bytes cut anywhere, also inside a character. */
function chunks(text: string | Buffer, size: number): Buffer[] {
  const bytes = Buffer.from(text);
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size),
  );
}

async function read(input: Iterable<Buffer | string>) {
  const lines: { line: number; value: unknown }[] = [];
  try {
    for await (const line of readJsonLines(Readable.from(input))) lines.push(line);
  } catch (error) {
    return { lines, error: (error as Error).message };
  }
  return { lines };
}

const value = fc.jsonValue({ maxDepth: 2 });
const blank = fc.constantFrom("", "  ", "\r", "\t");
const size = fc.integer({ min: 1, max: 50 });

test("every value comes with the number of its line, whatever the chunks and the blank lines", async () => {
  const row = fc.oneof(
    value.map((each) => ({ text: JSON.stringify(each), each })),
    blank.map((text) => ({ text })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row), size, fc.boolean(), async (rows, cut, ended) => {
      const text = rows.map((each) => each.text).join("\n") + (ended ? "\n" : "");
      const expected = rows.flatMap((each, index) =>
        "each" in each ? [{ line: index + 1, value: JSON.parse(each.text) as unknown }] : [],
      );
      expect(await read(chunks(text, cut))).toEqual({ lines: expected });
    }),
  );
});

const malformed = fc.constantFrom("{", "]", "[", "],[", "1,2", "{},{}", ",", "nul", '"a', "}", "1 2", "\u0000", ",3");

test("the first malformed line is named, after every value before it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(value), malformed, fc.array(value), size, async (before, bad, after, cut) => {
      const text = [...before.map((each) => JSON.stringify(each)), bad, ...after.map((each) => JSON.stringify(each))];
      const { lines, error } = await read(chunks(text.join("\n"), cut));
      expect(lines.map(({ line }) => line)).toEqual(before.map((_, index) => index + 1));
      expect(error).toMatch(new RegExp(`^line ${before.length + 1} is malformed JSON`));
    }),
  );
});

const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

test("a byte order mark before the first line is passed over, however it is cut, and one in a text is kept", async () => {
  const marked = "\uFEFFa";
  const bytes = Buffer.concat([byteOrderMark, Buffer.from(`${JSON.stringify(marked)}\n2\n`)]);
  for (let cut = 1; cut < bytes.length; cut++) {
    expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual({
      lines: [
        { line: 1, value: marked },
        { line: 2, value: 2 },
      ],
    });
  }
});

test("bytes that are no UTF-8 are refused with their line, never stored as replacement characters", async () => {
  const bad = fc
    .constantFrom("ff", "c3", "c328", "e282", "eda080", "f0288cbc", "80")
    .map((hex) => Buffer.from(hex, "hex"));
  await fc.assert(
    fc.asyncProperty(fc.array(value), bad, fc.boolean(), size, async (before, bytes, isEnded, cut) => {
      const text = before.map((each) => `${JSON.stringify(each)}\n`).join("");
      const input = Buffer.concat([Buffer.from(`${text}"`), bytes, Buffer.from(isEnded ? '"\n3\n' : "")]);
      const { lines, error } = await read(chunks(input, cut));
      expect(lines.map(({ line }) => line)).toEqual(before.map((_, index) => index + 1));
      expect(error).toMatch(new RegExp(`^line ${before.length + 1} is not UTF-8`));
    }),
  );
  expect(await read(['"\uFFFD"\n'])).toEqual({ lines: [{ line: 1, value: "\uFFFD" }] });
});

test("lines before a malformed one are spoken of only where there are any", async () => {
  expect((await read(["\n{\n"])).error).toBe(
    "line 2 is malformed JSON: nothing was carried out; correct it and send it again",
  );
  expect((await read(["1\n{\n"])).error).toBe(
    "line 2 is malformed JSON: the lines before it were carried out; correct it and send the rest",
  );
});

test("a line without end is refused, not collected", async () => {
  function* endless() {
    yield "1\n";
    for (;;) yield "x".repeat(1 << 16);
  }
  const { lines, error } = await read(endless());
  expect(lines).toEqual([{ line: 1, value: 1 }]);
  expect(error).toMatch(/^line 2 is longer than 2097152 characters/);
});

test("what is written reads back, a value a line", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(value.filter((each) => each !== null)), async (given) => {
      let text = "";
      const writer = jsonWriter((line) => {
        text += line;
      });
      for (const each of given) writer.write(each);
      await writer.end();
      expect(text.split("\n")).toHaveLength(given.length + 1);
      const { lines } = await read([text]);
      expect(lines.map((each) => each.value)).toEqual(given.map((each): unknown => JSON.parse(JSON.stringify(each))));
    }),
  );
});

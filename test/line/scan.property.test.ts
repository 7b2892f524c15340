import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { classify } from "../../src/line/classify.ts";
import { Clues, overlapBytes } from "../../src/line/clues.ts";
import { EveryLine, type OnLine } from "../../src/line/every-line.ts";
import { beginsTurn, lineNames } from "../../src/line/format.ts";
import { surveyOf } from "../../src/line/line-survey.ts";
import { InterestScanner } from "../../src/line/scan.ts";
import { anyCuts, anyHostLine, anyOurLine, chunksOf, damaged, names } from "./lines.ts";

const clues = new Clues(names.namespace);

interface Scanned {
  readonly lines: { readonly start: number; readonly end: number }[];
  /** Where the line begins that has not ended, after each chunk. */
  readonly open: number[];
}

/** A chunk begins where the scanner goes on. */
function scanWith(scanner: EveryLine | InterestScanner, chunks: readonly Buffer[], whole: Buffer): Scanned {
  const lines: Scanned["lines"] = [];
  const onLine: OnLine = (start, end, bytes, isTurn) => {
    const line = whole.subarray(start, end - 1);
    if (bytes !== undefined) expect(bytes.equals(line)).toBe(true);
    if (isTurn) expect(beginsTurn(classify(line, names))).toBe(true);
    lines.push({ start, end });
  };
  let to = 0;
  const open = chunks.map((chunk) => {
    to += chunk.length;
    scanner.push(whole.subarray(scanner.next(), to), onLine);
    return scanner.lineStart;
  });
  return { lines, open };
}

/** Small pieces of needles and line feeds, so that they meet in every way. */
const shards = fc
  .array(
    fc.constantFrom("\n", '"use', 'r"', '"openclaw', ":scratch", "pad", '"', "x", '"user"', "\\u0", "07", "\\u0061"),
  )
  .map((pieces) => Buffer.from(pieces.join("")));
const files = fc
  .array(fc.oneof(damaged(anyOurLine), damaged(anyHostLine), fc.uint8Array({ maxLength: 40 })), { maxLength: 8 })
  .map((pieces) => Buffer.concat(pieces));

describe.each([
  ["shards of needles", shards],
  ["damaged files", files],
])("%s", (_, arbitrary) => {
  test("every line is handed on once, whatever the chunks", () => {
    fc.assert(
      fc.property(arbitrary, anyCuts, (bytes, cuts) => {
        const { lines, open } = scanWith(new EveryLine(0), chunksOf(bytes, cuts), bytes);
        const ends = [...bytes.keys()].filter((at) => bytes[at] === 0x0a).map((at) => at + 1);
        expect(lines.map(({ end }) => end)).toEqual(ends);
        expect(lines.map(({ start }) => start)).toEqual([0, ...ends].slice(0, ends.length));
        expect(open.at(-1)).toBe(ends.at(-1) ?? 0);
      }),
    );
  });

  test("the scan for what is of interest misses no line that matters, and hands on each at most once", () => {
    fc.assert(
      fc.property(arbitrary, anyCuts, (bytes, cuts) => {
        const chunks = chunksOf(bytes, cuts);
        const every = scanWith(new EveryLine(0), chunks, bytes);
        const interest = scanWith(new InterestScanner(0, clues), chunks, bytes);
        const handedOn = new Set(interest.lines.map(({ start }) => start));
        expect(every.lines.filter(({ start }) => handedOn.has(start))).toEqual(interest.lines);
        const missed = every.lines.filter(({ start }) => !handedOn.has(start));
        expect(missed.filter(({ start, end }) => matters(bytes.subarray(start, end - 1)))).toEqual([]);
        expect(interest.open).toEqual(every.open);
      }),
    );
  });

  test("a line that goes on behind a chunk in which it did not end is handed on once", () => {
    fc.assert(
      fc.property(arbitrary, fc.integer({ min: overlapBytes + 1, max: 80 }), (bytes, chunkBytes) => {
        for (const scanner of [new EveryLine(0), new InterestScanner(0, clues)]) {
          const lines: Scanned["lines"] = [];
          for (let to = 0; to < bytes.length; ) {
            const from = scanner.next();
            to = Math.min(bytes.length, from + chunkBytes);
            scanner.push(bytes.subarray(from, to), (start, end, inChunk) => {
              if (end - start > chunkBytes) expect(inChunk).toBe(undefined);
              else if (scanner instanceof EveryLine) expect(inChunk?.length).toBe(end - start - 1);
              lines.push({ start, end });
            });
          }
          const every = scanWith(new EveryLine(0), [bytes], bytes).lines;
          const handedOn = new Set(lines.map(({ start }) => start));
          expect(every.filter(({ start }) => handedOn.has(start))).toEqual(lines);
          const missed = every.filter(({ start }) => !handedOn.has(start));
          expect(missed.filter(({ start, end }) => matters(bytes.subarray(start, end - 1)))).toEqual([]);
          if (scanner instanceof EveryLine) expect(missed).toEqual([]);
        }
      }),
    );
  });

  test("in one piece, only lines that hold a clue are handed on", () => {
    fc.assert(
      fc.property(arbitrary, (bytes) => {
        const { lines } = scanWith(new InterestScanner(0, clues), [bytes], bytes);
        const every = scanWith(new EveryLine(0), [bytes], bytes);
        expect(lines).toEqual(every.lines.filter(({ start, end }) => hasPlace(bytes.subarray(start, end - 1))));
      }),
    );
  });

  test("a scan may begin at any line", () => {
    fc.assert(
      fc.property(arbitrary, anyCuts, fc.nat(), (bytes, cuts, nth) => {
        const { lines } = scanWith(new EveryLine(0), [bytes], bytes);
        const from = lines[nth % (lines.length + 1)]?.start ?? 0;
        const rest = scanWith(
          new InterestScanner(from, clues),
          [bytes.subarray(0, from), ...chunksOf(bytes.subarray(from), cuts)],
          bytes,
        );
        const found = new Set(rest.lines.map(({ start }) => start));
        const missed = lines.filter(({ start }) => start >= from && !found.has(start));
        expect(missed.filter(({ start, end }) => matters(bytes.subarray(start, end - 1)))).toEqual([]);
      }),
    );
  });
});

function matters(line: Buffer): boolean {
  const content = classify(line, names);
  return (content.kind !== "host" && content.kind !== "broken") || beginsTurn(content);
}

function hasPlace(line: Buffer): boolean {
  return /"user"|"opencla|\\u00[2-7]/.test(line.toString("latin1"));
}

const place = '"id":"a1b2c3d4","parentId":null,"timestamp":"2026-03-09T13:03:46.417Z"';
const plain = `{"type":"message",${place},"message":{"role":"user","content":"São \\"user\\""}}`;
const said = plain.replace('"role":"user"', '"role":"tool","a":{"role":"user"}');
const mirror = `{"type":"custom","customType":"${names.notes}","data":"a\\nb","mirror":"c1",${place}}`;
const value = mirror.replace('"mirror":"c1",', "");

/** Enough before it that the program looks at all. */
const much = Buffer.from(`${"x".repeat(20_000)}\n`);

/** What is told of a line that follows on much, with and without mirrors. */
function toldOf(line: string | Buffer): {
  readonly isTold: boolean;
  readonly isTurn: boolean;
  readonly isSkipped: boolean;
} {
  const bytes = Buffer.concat([much, Buffer.from(line), Buffer.from("\n")]);
  if (surveyOf(bytes) === undefined) throw new Error("this machine runs no WebAssembly");
  const told = [false, true].map((skipsMirrors) => {
    const found: boolean[] = [];
    new Clues(names.namespace, skipsMirrors).lines(bytes, 0, (start, _, isTurn) => {
      expect(start).toBe(much.length);
      found.push(isTurn);
    });
    return found;
  });
  const [all = [], some = []] = told;
  return { isTold: all.length === 1, isTurn: all[0] === true, isSkipped: some.length < all.length };
}

test.each([
  ["a message of the user's", plain, { isTold: true, isTurn: true, isSkipped: false }],
  ["a message of another that holds one", said, { isTold: false, isTurn: false, isSkipped: false }],
  ["a mirror", mirror, { isTold: true, isTurn: false, isSkipped: true }],
  [
    "a mirror of the older key",
    mirror.replace(names.notes, names.legacy),
    { isTold: true, isTurn: false, isSkipped: true },
  ],
])("%s is known without parsing", (_, line, told) => {
  expect(toldOf(line)).toEqual(told);
});

test.each([
  ["a message of the user's that is no UTF-8", Buffer.from(plain, "latin1")],
  ["a message of another that is no UTF-8", Buffer.from(said, "latin1")],
  ["a message with two roles", plain.replace('"content"', '"role":"user","content"')],
  ["a message with a field more", plain.replace('"parentId"', '"copied":true,"parentId"')],
  ["a message that does not end", plain.slice(0, -1)],
  ["a message with two types", plain.replace('"type":"message"', '"type":"message""custom"')],
  ["a value of another runtime", value],
  ["a mirror under another name", mirror.replace(names.notes, `${names.notes}s`)],
  ["a mirror under a name of commits", mirror.replace(names.notes, names.events)],
  ["a mirror under an escaped name", mirror.replace("scratchpad:notes", "scratchp\\u0061d:notes")],
  ["a mirror with two names", mirror.replace('"data"', `"customType":"x","data"`)],
  ["a mirror with a field more", mirror.replace('"data"', '"x":1,"data"')],
  ["a mirror that does not end", mirror.slice(0, -1)],
  ["a mirror of the host's", mirror.replace('"type":"custom"', '"type":"label","a":"user"')],
])("%s is left to who parses", (_, line) => {
  expect(toldOf(line)).toEqual({ isTold: true, isTurn: false, isSkipped: false });
});

test("the fast search leaves out what does not matter, and nothing else, whatever is beside it", () => {
  const piece = fc.oneof(
    shards,
    files,
    fc.constantFrom(plain, said, mirror, value).map((line) => Buffer.from(`${line}\n`)),
    damaged(fc.constantFrom(plain, said, mirror, value).map((line) => `${line}\n`)),
    fc.constantFrom(20, 9000, 262_130).map((size) => Buffer.alloc(size, '"u')),
  );
  const namespaces = fc.constantFrom(names.namespace, "a", "user", "u", "u:long.name-0");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), namespaces, fc.nat({ max: 64 }), (pieces, namespace, step) => {
      const bytes = Buffer.concat([Buffer.alloc(16_384 + step, "\\"), ...pieces]);
      const plainly: string[] = [];
      new Clues(namespace).plainLines(bytes, (start, feed) => feed < bytes.length && plainly.push(`${start} ${feed}`));
      for (const skipsMirrors of [false, true]) {
        const fast = new Set<string>();
        const scanner = new InterestScanner(0, new Clues(namespace, skipsMirrors));
        scanner.push(bytes, (start, end, _, isTurn) => {
          if (isTurn) expect(beginsTurn(classify(bytes.subarray(start, end - 1), names))).toBe(true);
          fast.add(`${start} ${end - 1}`);
        });
        expect(plainly.filter((line) => fast.has(line))).toEqual([...fast]);
        for (const line of plainly.filter((line) => !fast.has(line))) {
          const [start, feed] = line.split(" ").map(Number);
          const content = classify(bytes.subarray(start, feed), lineNames(namespace));
          const isMirror = content.kind === "value" && content.mirror !== undefined;
          expect(isMirror ? skipsMirrors : content.kind === "host" && !beginsTurn(content)).toBe(true);
        }
      }
    }),
  );
});

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test, vi } from "vitest";
import { classifyRaw } from "../../../src/line/classify.ts";
import { lineNames } from "../../../src/line/format.ts";
import { MemoryBytes } from "../../../src/store/archive/memory-bytes.ts";
import { type ByteSource, SessionBytes } from "../../../src/store/session-file/session-bytes.ts";
import { linesOf } from "../../../src/store/session-file/session-lines.ts";
import type { RawLine } from "../../../src/stream/log.ts";

const megabyte = 1 << 20;
const close = (): void => undefined;

async function linesIn(text: string): Promise<RawLine[]> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-parts-"));
  try {
    const file = path.join(folder, "s.jsonl");
    fs.writeFileSync(file, text);
    const lines: RawLine[] = [];
    const bytes = SessionBytes.open(file);
    if (bytes === undefined) return expect.unreachable();
    for await (const part of linesOf(() => bytes, file))
      for (const line of part) lines.push({ ...line, bytes: Buffer.from(line.bytes) });
    return lines;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

test.each([
  ["a line feed is the last byte of a part", [megabyte - 1, 5, 0, 7]],
  ["a line feed is the first byte of a part", [megabyte, 5]],
  ["a line is in two parts", [megabyte - 10, 100, 3]],
  ["a line is longer than two parts", [10, 2 * megabyte + 7, 3]],
  ["a part ends with an empty line", [megabyte - 2, 0, 0, 1]],
])("%s: every line is whole, whether the last one has ended or not", async (_, sizes) => {
  const expected = sizes.map((size, index) => String(index).repeat(size));
  for (const end of ["", "\n"]) {
    const found = await linesIn(expected.join("\n") + end);
    expect(found.map(({ bytes }) => bytes.length)).toEqual(sizes);
    expect(found.every(({ bytes, number }) => Buffer.from(bytes).equals(Buffer.from(expected[number - 1] ?? "")))).toBe(
      true,
    );
    let offset = 0;
    for (const [index, line] of found.entries()) {
      const ended = end === "\n" || index < sizes.length - 1;
      expect(line).toMatchObject({ offset, number: index + 1, size: sizes[index], ended });
      offset += line.size + 1;
    }
  }
});

test("a message that goes on behind a part is told without parsing it, like any other", async () => {
  const place = '"id":"a1","parentId":null,"timestamp":"2026-03-09T13:03:46.417Z"';
  const said = `{"type":"message",${place},"message":{"role":"toolResult","content":"${"x".repeat(90_000)}"}}\n`;
  const found = await linesIn(said.repeat(12));
  expect(found.map((line) => classifyRaw(line, lineNames()))).toEqual(
    Array.from({ length: 12 }, () => expect.objectContaining({ kind: "host", isPlain: true })),
  );
});

test("between two parts others have their turn, so that a long reading can say that it goes on", async () => {
  const line = `${"x".repeat(1023)}\n`;
  const bytes = {
    size: () => 3 * megabyte,
    slice: (start: number, end: number) => Buffer.alloc(end - start, line),
    close,
  };
  let hadTurn = false;
  setImmediate(() => {
    hadTurn = true;
  });
  let hadTurnAtEnd = false;
  for await (const part of linesOf(() => bytes as ByteSource, "memory"))
    if (part.at(-1)?.offset === 3 * megabyte - line.length) hadTurnAtEnd = hadTurn;
  expect(hadTurnAtEnd).toBe(true);
});

test("of a long session only a part is read at a time, for lines that wait to be freed hold the whole part", async () => {
  const line = `${"x".repeat(1023)}\n`;
  let most = 0;
  const slice = (start: number, end: number): Buffer => {
    most = Math.max(most, end - start);
    return Buffer.alloc(end - start, line);
  };
  let lines = 0;
  for await (const part of linesOf(() => ({ size: () => 3 * megabyte, slice, close }) as ByteSource, "memory"))
    lines += part.length;
  expect(lines).toBe(3 * 1024);
  expect(most).toBeLessThanOrEqual(megabyte / 4);
});

test("what a line is, is known for each namespace by itself", () => {
  const bytes = Buffer.from('{"type":"custom","customType":"team:pad:notes","data":"x","id":"1","parentId":null}');
  const line = { bytes, size: bytes.length };
  expect(classifyRaw(line, lineNames()).kind).toBe("host");
  expect(classifyRaw(line, lineNames("team:pad")).kind).toBe("value");
  expect(classifyRaw(line, lineNames()).kind).toBe("host");
});

test("blank lines come in parts of no more lines than fit into memory, and each comes once", async () => {
  const found: number[] = [];
  const bytes = Buffer.from(`${"\n".repeat(40_000)}{}\n`);
  for await (const part of linesOf(() => new MemoryBytes(bytes), "memory")) {
    expect(part.length).toBeLessThanOrEqual(4000);
    for (const { offset, number } of part) found.push(offset - number);
  }
  expect(found).toEqual(new Array(40_001).fill(-1));
});

test.each(["", " \t\r"])("of a line that is blank, %j, it is known without parsing it", (text) => {
  const parse = vi.spyOn(JSON, "parse");
  const bytes = Buffer.from(text);
  expect(classifyRaw({ bytes, size: bytes.length }, lineNames())).toEqual({ kind: "broken", isBlank: true });
  expect(parse).not.toHaveBeenCalled();
  parse.mockRestore();
});

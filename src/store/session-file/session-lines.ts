/** Lists every line of a session file, for verification and diagnosis. */
import { NotASessionError } from "../../errors.ts";
import { longLineBytes } from "../../line/classify.ts";
import { lineBytesMax } from "../../line/format.ts";
import { EveryLine } from "../../line/scan.ts";
import type { RawLine } from "../store.ts";
import { piecesBetween } from "./line-between.ts";
import { type ByteSource, SessionBytes } from "./session-bytes.ts";

const partBytes = 4 << 20;

export async function* listLines(file: string): AsyncGenerator<RawLine> {
  const bytes = SessionBytes.open(file);
  if (bytes === undefined) throw new NotASessionError(`${file} is not there: check the path`, { file });
  try {
    yield* linesOf(bytes);
  } finally {
    bytes.close();
  }
}

export async function* linesOf(bytes: ByteSource): AsyncGenerator<RawLine> {
  let number = 0;
  for (const { start, end, ended } of spansIn(bytes)) {
    number += 1;
    yield lineAt(bytes, start, ended ? end - 1 : end, number, ended);
  }
}

/** Where each line begins, and where it ends with its line feed. */
export function* spansIn(bytes: ByteSource): Generator<{ start: number; end: number; ended: boolean }> {
  const scanner = new EveryLine(0);
  let position = 0;
  for (const size = bytes.size(); position < size; ) {
    const spans: { start: number; end: number; ended: boolean }[] = [];
    position = bytes.pieces(position, Math.min(size, position + partBytes), (chunk) => {
      scanner.push(chunk, (start, end) => spans.push({ start, end, ended: true }));
    });
    yield* spans;
  }
  if (scanner.lineStart < position) yield { start: scanner.lineStart, end: position, ended: false };
}

function lineAt(bytes: ByteSource, offset: number, end: number, number: number, ended: boolean): RawLine {
  const size = end - offset;
  const line = { offset, number, size, ended };
  if (size < longLineBytes) return { ...line, bytes: bytes.slice(offset, end) };
  return {
    ...line,
    get bytes() {
      return bytes.slice(offset, offset + Math.min(size, lineBytesMax));
    },
    pieces: (take) => piecesBetween(bytes, offset, end, take),
  };
}

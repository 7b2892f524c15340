/** Lists every line of a session file, for verification and diagnosis. */
import { NotASessionError } from "../../errors.ts";
import { lineBytesMax } from "../../line/format.ts";
import { EveryLine } from "../../line/scan.ts";
import type { RawLine } from "../store.ts";
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
  const scanner = new EveryLine(0);
  let number = 0;
  let position = 0;
  for (const size = bytes.size(); position < size; ) {
    const spans: { start: number; end: number }[] = [];
    position = bytes.pieces(position, Math.min(size, position + partBytes), (chunk) => {
      scanner.push(chunk, (start, end) => spans.push({ start, end }));
    });
    for (const { start, end } of spans) {
      number += 1;
      yield lineAt(bytes, start, end - 1, number, true);
    }
  }
  if (scanner.lineStart < position) yield lineAt(bytes, scanner.lineStart, position, number + 1, false);
}

function lineAt(bytes: ByteSource, offset: number, end: number, number: number, ended: boolean): RawLine {
  const size = end - offset;
  return { offset, number, size, ended, bytes: bytes.slice(offset, offset + Math.min(size, lineBytesMax)) };
}

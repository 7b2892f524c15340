import { expect, test } from "vitest";
import { FileLines, type LineSource } from "../../src/line/file-lines.ts";

/** A file to which a line is appended behind one of the looks at it, once that is wanted. */
class Growing implements LineSource {
  bytes = Buffer.from("one\n");
  time = 1;
  isDue = false;

  size(): number {
    const { length } = this.bytes;
    this.#appendIfDue();
    return length;
  }

  modifiedMs(): number {
    const { time } = this;
    this.#appendIfDue();
    return time;
  }

  slice(start: number, end: number): Buffer {
    return this.bytes.subarray(start, end);
  }

  #appendIfDue(): void {
    if (!this.isDue) return;
    this.isDue = false;
    this.bytes = Buffer.concat([this.bytes, Buffer.from("two\n")]);
    this.time += 1;
  }
}

test("what is appended between the looks at time and size is no rewriting, and another time alone is one", () => {
  const source = new Growing();
  const lines = new FileLines(source, () => true);
  while (!lines.isAtEnd) lines.next();
  source.isDue = true;
  expect(lines.isSame).toBe(true);
  source.bytes = source.bytes.subarray(0, 4);
  expect(lines.isSame).toBe(false);
});

/**
 * Lines that this process has just appended. A writer reads back what it wrote before it says so; where the file holds
 * the very same bytes, what they decode to is known, and is taken without decoding and hashing them once more.
 */
import type { JournalLine } from "../../line/format.ts";

export interface WrittenLines {
  readonly bytes: Buffer;
  /** What they decode to, and the bytes of each. */
  readonly lines: readonly JournalLine[];
  readonly sizes: readonly number[];
}

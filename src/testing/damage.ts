/**
 * This file does to a file what crashes, disks and careless programs do. Each damage is plain data, so that it can be printed, repeated and
 * shrunk.
 */
import fs from "node:fs";

/**
 * Bytes and lines count from 0; negative ones from the end. A place beyond the end wraps around, so that any whole
 * number is a place in any file.
 */
export type Damage =
  /** Everything from this byte on is gone: `at: -3` tears three bytes off the end. */
  | { readonly damage: "cut"; readonly at: number }
  /** One bit, 0 to 7, of one byte is turned. */
  | { readonly damage: "flip"; readonly at: number; readonly bit: number }
  /** So many NUL bytes are put in, as a file system leaves them after a power cut; `at: -1` puts them at the end. */
  | { readonly damage: "nuls"; readonly at: number; readonly count: number }
  /** So many bytes are missing. */
  | { readonly damage: "hole"; readonly at: number; readonly count: number }
  /** Two lines have changed places. */
  | { readonly damage: "swap"; readonly lines: readonly [number, number] }
  /** A line is there twice, the second time at the end. */
  | { readonly damage: "repeat"; readonly line: number };

/**
 * Gives a damaged copy. The damages are applied one after the other.
 *
 * @param bytes The bytes of a whole file.
 * @param damages What is done to them, in this order.
 * @throws RangeError for a number of NUL bytes below 0.
 * @example
 * const torn = damaged(await readFile("session.jsonl"), [{ damage: "cut", at: -3 }]);
 */
export function damaged(bytes: Uint8Array, damages: readonly Damage[]): Uint8Array {
  return damages.reduce<Uint8Array>(hurt, Uint8Array.from(bytes));
}

/**
 * Damages a file in place. What lies before the first byte that changes is not touched, nor is the inode.
 *
 * @param file The path of the file.
 * @param damages What is done to it, in this order.
 * @throws The system's error if the file cannot be read or written.
 * @example
 * damageFile("session.jsonl", { damage: "flip", at: 100, bit: 0 });
 */
export function damageFile(file: string, ...damages: readonly Damage[]): void {
  const before = fs.readFileSync(file);
  const after = damaged(before, damages);
  const kept = before.findIndex((byte, at) => byte !== after[at]);
  const from = kept === -1 ? before.length : kept;
  const descriptor = fs.openSync(file, "r+");
  try {
    fs.writeSync(descriptor, after, Math.min(from, after.length), Math.max(0, after.length - from), from);
    fs.ftruncateSync(descriptor, after.length);
  } finally {
    fs.closeSync(descriptor);
  }
}

function hurt(bytes: Uint8Array, damage: Damage): Uint8Array {
  if (bytes.length === 0 && damage.damage !== "nuls") return bytes;
  switch (damage.damage) {
    case "cut":
      return bytes.slice(0, place(damage.at, bytes.length));
    case "flip": {
      const at = place(damage.at, bytes.length);
      return bytes.with(at, (bytes[at] as number) ^ (1 << damage.bit));
    }
    case "nuls": {
      const at = place(damage.at, bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, at), new Uint8Array(damage.count), bytes.subarray(at)]);
    }
    case "hole": {
      const at = place(damage.at, bytes.length);
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + damage.count)]);
    }
    case "swap": {
      const lines = linesOf(bytes);
      const [one, other] = damage.lines.map((line) => place(line, lines.length)) as [number, number];
      return Buffer.concat(lines.with(one, lines[other] as Uint8Array).with(other, lines[one] as Uint8Array));
    }
    case "repeat": {
      const lines = linesOf(bytes);
      return Buffer.concat([...lines, lines[place(damage.line, lines.length)] as Uint8Array]);
    }
  }
}

/** The result is one of `count` places. */
function place(at: number, count: number): number {
  return at < 0 ? Math.max(0, count + at) : at % count;
}

/** Each line comes with its line feed; the last one may come without. */
function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0x0a, start) + 1 || bytes.length;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

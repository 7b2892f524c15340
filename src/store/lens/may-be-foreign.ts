/** Whether a look at its first lines is due: most sessions are ours, and say so in their first bytes. */
import fs from "node:fs";
import { openUntouched } from "../session-file/session-bytes.ts";
import { lookAt, release } from "../session-file/session-path.ts";

const ours = Buffer.from('{"type":"session",');
/** Most sessions of ours have an entry of ours in so many first bytes. */
const firstBytes = 16 * 1024;

/** The result is true where a look at the first lines is due, and else has the first bytes of a file that may be ours. */
export function mayBeForeign(file: string): true | Buffer {
  const stats = lookAt(file);
  if (stats === undefined && file.includes("#")) return true;
  if (!stats?.isFile() || stats.size === 0) return Buffer.alloc(0);
  const first = beginning(file, firstBytes);
  return first.subarray(0, ours.length).equals(ours) ? first : true;
}

/** Archives are. */
export function isCompressed(file: string): boolean {
  const [first, second] = lookAt(file)?.isFile() === true ? beginning(file, 2) : [];
  return first === 0x1f && second === 0x8b;
}

function beginning(file: string, length: number): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openUntouched(file);
    const bytes = Buffer.allocUnsafe(length);
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, 0));
  } catch {
    return ours;
  } finally {
    release(descriptor);
  }
}

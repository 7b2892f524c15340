/** Whether a look at its first lines is due: most sessions are ours, and say so in their first bytes. */
import fs from "node:fs";
import { openUntouched } from "../session-file/session-bytes.ts";
import { lookAt, release } from "../session-file/session-path.ts";

const ours = Buffer.from('{"type":"session",');

export function mayBeForeign(file: string): boolean {
  const stats = lookAt(file);
  if (stats === undefined) return file.includes("#");
  if (!stats.isFile() || stats.size === 0) return false;
  return !beginning(file).equals(ours);
}

/** Archives are. */
export function isCompressed(file: string): boolean {
  const [first, second] = lookAt(file)?.isFile() === true ? beginning(file) : [];
  return first === 0x1f && second === 0x8b;
}

function beginning(file: string): Buffer {
  let descriptor: number | undefined;
  try {
    descriptor = openUntouched(file);
    const bytes = Buffer.alloc(ours.length);
    return bytes.subarray(0, fs.readSync(descriptor, bytes, 0, bytes.length, 0));
  } catch {
    return ours;
  } finally {
    release(descriptor);
  }
}

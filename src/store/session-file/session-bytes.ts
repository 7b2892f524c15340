/** The bytes of one generation of a session file: an open descriptor and the identity of what it was opened on. */
import fs from "node:fs";
import { plainFile, release, unreadable } from "./session-path.ts";

/** Enough to recognise the last line that was read, whatever its length. */
export const lastBytesMax = 1024;

/** Measured: larger chunks leave the processor's cache, smaller ones cut more lines in two, and a stream costs six times more. */
export const chunkBytes = 256 * 1024;

/** All sessions share one spare chunk. It is taken away while a reading fills it. */
let spareChunk: Buffer | undefined;

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_NOATIME = 0 } = fs.constants;
const openFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

export interface FileIdentity {
  readonly dev: number;
  readonly ino: number;
}

export function isSameFile(one: FileIdentity, other: FileIdentity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

/** The bytes of a session, wherever they are. */
export interface ByteSource {
  readonly identity: FileIdentity;
  /** The result is how many bytes there are now. */
  size(): number;
  /** The result is how many bytes there are now. It is undefined if they are no longer those of the session, or closed. */
  currentSize(): number | undefined;
  /** The result has the bytes from `start` to `end`, or fewer if there are fewer. They may lie in `room`, which has space for them. */
  slice(start: number, end: number, room?: Buffer): Buffer;
  /** The result is when the bytes were last changed, as their file says. */
  modifiedMs?(): number;
  /** Reads from `start` to `end`, piece by piece, into `room` if it is given. The next piece overwrites a piece. The result is where it ended. */
  pieces(start: number, end: number, take: (piece: Buffer) => void, room?: Buffer): number;
  close(): void;
}

/** The result is the end of the line that ends at `offset`. The file is recognised by it. */
export function lastBytesBefore(offset: number, bytes: ByteSource): Buffer {
  return bytes.slice(Math.max(0, offset - lastBytesMax), offset);
}

/** The result is the end of two pieces, and a copy. */
export function lastOf(one: Buffer, other: Buffer): Buffer {
  const isEnough = other.length >= lastBytesMax;
  return isEnough ? Buffer.from(other.subarray(-lastBytesMax)) : Buffer.concat([one, other]).subarray(-lastBytesMax);
}

export class SessionBytes implements ByteSource {
  readonly file: string;
  readonly identity: FileIdentity;
  readonly #descriptor: number;
  #isOpen = true;

  private constructor(file: string, descriptor: number, identity: FileIdentity) {
    this.file = file;
    this.#descriptor = descriptor;
    this.identity = identity;
  }

  /** The result is undefined if nothing is there. */
  static open(file: string): SessionBytes | undefined {
    if (plainFile(file) === undefined) return undefined;
    let descriptor: number | undefined;
    try {
      descriptor = openUntouched(file);
      const { dev, ino } = fs.fstatSync(descriptor);
      return new SessionBytes(file, descriptor, { dev, ino });
    } catch (error) {
      release(descriptor);
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw unreadable(file, error);
    }
  }

  modifiedMs(): number {
    return this.#stats().mtimeMs;
  }

  size(): number {
    return this.#stats().size;
  }

  #stats(): fs.Stats {
    try {
      return fs.fstatSync(this.#descriptor);
    } catch (error) {
      throw unreadable(this.file, error);
    }
  }

  /** The result is undefined if the path leads somewhere else now, or if the size cannot be found out. */
  currentSize(): number | undefined {
    if (!this.#isOpen) return undefined;
    try {
      const stats = fs.statSync(this.file);
      return isSameFile(stats, this.identity) ? stats.size : undefined;
    } catch {
      return undefined;
    }
  }

  slice(start: number, end: number, room = Buffer.allocUnsafe(Math.max(0, end - start))): Buffer {
    return room.subarray(0, this.#read(room, Math.max(0, end - start), start));
  }

  pieces(start: number, end: number, take: (piece: Buffer) => void, room?: Buffer): number {
    const chunk = room ?? spareChunk ?? Buffer.allocUnsafe(chunkBytes);
    if (room === undefined) spareChunk = undefined;
    try {
      let position = start;
      while (position < end) {
        const count = this.#read(chunk, Math.min(chunk.length, end - position), position);
        if (count === 0) break;
        take(count === chunk.length ? chunk : chunk.subarray(0, count));
        position += count;
      }
      return position;
    } finally {
      if (room === undefined) spareChunk = chunk;
    }
  }

  close(): void {
    if (this.#isOpen) release(this.#descriptor);
    this.#isOpen = false;
  }

  #read(into: Buffer, length: number, position: number): number {
    let filled = 0;
    while (filled < length) {
      let count: number;
      try {
        count = fs.readSync(this.#descriptor, into, filled, length - filled, position + filled);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "EINTR") continue;
        throw unreadable(this.file, error);
      }
      if (count === 0) break;
      filled += count;
    }
    return filled;
  }
}

/** This leaves the time of the last access alone, if the system allows that: Linux allows it to the file's owner. */
export function openUntouched(file: string): number {
  try {
    return fs.openSync(file, openFlags | O_NOATIME);
  } catch {
    return fs.openSync(file, openFlags);
  }
}

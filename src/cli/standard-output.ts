/**
 * This file writes to standard output if that is a pipe or a file. `process.stdout` would do the same, but makes Node load its streams and
 * its sockets first, which takes longer than most commands.
 */
import fs from "node:fs";
import type { OutputStream } from "./output.ts";

const descriptor = 1;

/** So much fits into an empty pipe of any system. A reader who is slow to take more is waited for as streams do. */
const plainBytesMax = 16 * 1024;

/** `stream`: what to use for all else, such as a terminal; called when it is needed. */
export function standardOutput(stream: () => OutputStream): OutputStream {
  return isPlain() ? new PlainOutput(stream) : stream();
}

/** Pipes of Windows are not to be written without its streams. */
function isPlain(): boolean {
  if (process.platform === "win32") return false;
  try {
    const stats = fs.fstatSync(descriptor);
    return stats.isFIFO() || stats.isSocket() || stats.isFile();
  } catch {
    return false;
  }
}

class PlainOutput implements OutputStream {
  readonly #stream: () => OutputStream;
  readonly #listeners: ((error: NodeJS.ErrnoException) => void)[] = [];
  #plainBytes = 0;
  #waiting: OutputStream | undefined;

  constructor(stream: () => OutputStream) {
    this.#stream = stream;
  }

  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): void {
    this.#listeners.push(listener);
    this.#waiting?.on(event, listener);
  }

  write(text: string | Uint8Array, done: (error?: Error | null) => void): void {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    this.#plainBytes += bytes.length;
    if (this.#plainBytes > plainBytesMax) {
      this.#goOn(bytes, done);
      return;
    }
    let from = 0;
    try {
      while (from < bytes.length) from += fs.writeSync(descriptor, bytes, from);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") done(error as Error);
      else this.#goOn(bytes.subarray(from), done);
      return;
    }
    done();
  }

  #goOn(bytes: Uint8Array, done: (error?: Error | null) => void): void {
    this.#plainBytes = Number.POSITIVE_INFINITY;
    if (this.#waiting === undefined) {
      this.#waiting = this.#stream();
      for (const listener of this.#listeners) this.#waiting.on("error", listener);
    }
    this.#waiting.write(bytes, done);
  }
}

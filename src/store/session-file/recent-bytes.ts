/** The last bytes of a reading, kept while it goes by, so that they need not be read again to be recognised. */
import { tailBytesMax } from "./session-bytes.ts";

const nothing = Buffer.alloc(0);

export class RecentBytes {
  #bytes: Buffer = nothing;
  #end = 0;

  /** The reading goes on at `offset`. */
  startAt(offset: number): void {
    if (this.#end === offset) return;
    this.#bytes = nothing;
    this.#end = offset;
  }

  /** `chunk` comes next and will be overwritten. Its end matters where the reading ends, at `until`. */
  add(chunk: Buffer, until: number): void {
    this.#end += chunk.length;
    if (until - this.#end >= tailBytesMax) {
      this.#bytes = nothing;
      return;
    }
    const whole = chunk.length >= tailBytesMax ? chunk : Buffer.concat([this.#bytes, chunk]);
    this.#bytes = Buffer.from(whole.subarray(-tailBytesMax));
  }

  /** As `ByteSource.tailBefore`; undefined where they are not known. */
  before(offset: number): Buffer | undefined {
    return this.#end === offset && this.#bytes.length === Math.min(offset, tailBytesMax) ? this.#bytes : undefined;
  }
}

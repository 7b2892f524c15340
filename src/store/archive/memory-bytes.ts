/** The bytes of a session that lies in memory as a whole. */
import { type ByteSource, type FileIdentity, tailBytesMax } from "../session-file/session-bytes.ts";

export class MemoryBytes implements ByteSource {
  readonly identity: FileIdentity = { dev: 0, ino: 0 };
  isOpen = true;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isSameAs({ dev, ino }: FileIdentity): boolean {
    return dev === 0 && ino === 0;
  }

  size(): number {
    return this.#bytes.length;
  }

  currentSize(): number {
    return this.#bytes.length;
  }

  slice(start: number, end: number): Buffer {
    return this.#bytes.subarray(Math.max(0, start), Math.max(0, end));
  }

  pieces(start: number, end: number, take: (piece: Buffer) => void): number {
    const piece = this.slice(start, end);
    if (piece.length > 0) take(piece);
    return start + piece.length;
  }

  tailBefore(offset: number): Buffer {
    return this.slice(offset - tailBytesMax, offset);
  }

  close(): void {
    this.isOpen = false;
  }
}

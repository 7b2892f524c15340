/**
 * The outline of a JSON object, read off its bytes without decoding it: the handful of top-level fields that say what a
 * line is and where it hangs. It takes the line in pieces of any size and skips what it does not need, so that a
 * message of 200 MB costs no memory. It trusts the line to be JSON; what it would misjudge is reported by verification.
 */

/** Strings as they stand, undefined where absent or of another type. `role` is `message.role`. */
export interface Outline {
  type?: string;
  customType?: string;
  id?: string;
  parentId?: string | null;
  timestamp?: string;
  role?: string;
  /** The object ended where the line ended. */
  whole: boolean;
}

const quote = 0x22;
const backslash = 0x5c;
const captureMax = 512;
const nothing = Buffer.alloc(0);

type Field = "type" | "customType" | "id" | "parentId" | "timestamp" | "role";

const topFields: ReadonlySet<string> = new Set(["type", "customType", "id", "parentId", "timestamp"]);

export class OutlineReader {
  #outline: Outline = { whole: false };
  #depth = 0;
  #inString = false;
  #escaped = false;
  /** What was read of a string that matters. */
  #captured: Buffer | undefined;
  /** The last string at this level, until it proves to be a key or a value. */
  #text: string | undefined;
  #key: string | undefined;
  #inMessage = false;
  #closed = false;
  #broken = false;

  push(bytes: Uint8Array): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = 0;
    while (at < buffer.length) at = this.#inString ? this.#readString(buffer, at) : this.#readOne(buffer, at);
  }

  end(): Outline {
    this.#outline.whole = this.#closed && !this.#broken && !this.#inString && this.#depth === 0;
    return this.#outline;
  }

  #wanted(): boolean {
    return this.#depth === 1 || (this.#depth === 2 && this.#inMessage);
  }

  /** The string that begins is a key, or the value of one that is asked for. */
  #matters(): boolean {
    return this.#wanted() && (this.#key === undefined || this.#field() !== undefined);
  }

  #readString(buffer: Buffer, from: number): number {
    const end = this.#skipString(buffer, from);
    if (this.#captured !== undefined) this.#capture(buffer.subarray(from, this.#inString ? end : end - 1));
    return end;
  }

  /** `piece` is of the string, all of it or a part. */
  #capture(piece: Buffer): void {
    const before = this.#captured ?? nothing;
    this.#captured = undefined;
    if (before.length + piece.length > captureMax) return;
    const text = before.length === 0 ? piece : Buffer.concat([before, piece]);
    if (this.#inString) this.#captured = Buffer.from(text);
    else this.#text = unescapeText(text);
  }

  #skipString(buffer: Buffer, from: number): number {
    let at = from;
    if (this.#escaped && at < buffer.length) {
      this.#escaped = false;
      at += 1;
    }
    for (;;) {
      const end = buffer.indexOf(quote, at);
      const stop = end === -1 ? buffer.length : end;
      let slashes = 0;
      while (stop - slashes > at && buffer[stop - slashes - 1] === backslash) slashes += 1;
      const odd = slashes % 2 === 1;
      if (end === -1) {
        this.#escaped = odd;
        return buffer.length;
      }
      if (!odd) {
        this.#inString = false;
        return end + 1;
      }
      at = end + 1;
    }
  }

  #readOne(buffer: Buffer, at: number): number {
    const byte = buffer[at] as number;
    switch (byte) {
      case quote:
        this.#inString = true;
        this.#escaped = false;
        this.#text = undefined;
        this.#captured = this.#matters() ? nothing : undefined;
        return at + 1;
      case 0x3a: // :
        if (this.#wanted()) {
          this.#key = this.#text ?? "";
          this.#text = undefined;
        }
        return at + 1;
      case 0x2c: // ,
        this.#settle();
        return at + 1;
      case 0x7b: // {
      case 0x5b: // [
        this.#open(byte === 0x7b);
        return at + 1;
      case 0x7d: // }
      case 0x5d: // ]
        this.#settle();
        this.#shut();
        return at + 1;
      case 0x6e: // n, of null
        if (this.#depth === 1 && this.#key === "parentId") this.#outline.parentId = null;
        return at + 1;
      default:
        return at + 1;
    }
  }

  #open(isObject: boolean): void {
    if (this.#depth === 0 && (this.#closed || !isObject)) this.#broken = true;
    if (this.#depth === 1) this.#inMessage = isObject && this.#key === "message";
    this.#depth += 1;
    this.#text = undefined;
    this.#key = undefined;
  }

  #shut(): void {
    this.#depth -= 1;
    if (this.#depth === 1) this.#inMessage = false;
    if (this.#depth === 0) this.#closed = true;
    if (this.#depth < 0) this.#broken = true;
    this.#key = undefined;
  }

  #settle(): void {
    if (!this.#wanted()) return;
    const field = this.#field();
    if (field !== undefined && this.#text !== undefined) this.#outline[field] = this.#text;
    this.#text = undefined;
    this.#key = undefined;
  }

  #field(): Field | undefined {
    const key = this.#key;
    if (key === undefined) return undefined;
    if (this.#depth === 2) return key === "role" ? "role" : undefined;
    return topFields.has(key) ? (key as Field) : undefined;
  }
}

export function outlineOf(line: Uint8Array): Outline {
  const reader = new OutlineReader();
  reader.push(line);
  return reader.end();
}

function unescapeText(bytes: Buffer): string | undefined {
  const raw = bytes.toString("utf8");
  if (!raw.includes("\\")) return raw;
  try {
    const text: unknown = JSON.parse(`"${raw}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

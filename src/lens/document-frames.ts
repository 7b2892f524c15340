/**
 * Cuts one JSON document whose top level has a list of `messages`, or of `steps`, into lines: what stands before the list, then each of
 * its messages, then what stands behind. Nothing is held but the message that has not ended, so the size of the document
 * does not matter. Where brackets or quotes are missing, the next message that begins as the first one did is a message
 * again: damage takes no more with it than the message in which it stands.
 */
export interface DocumentLine {
  /** Holds only for the call; undefined for a message that is too long. */
  readonly bytes: Buffer | undefined;
  readonly offset: number;
  /** This is the number of the line of the file on which it begins, counted from 1. */
  readonly number: number;
}

const [quote, backslash, comma, lineFeed] = [0x22, 0x5c, 0x2c, 0x0a];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
/** An editor or a shell may have put it in front. */
const mark = Buffer.from("\ufeff");
/** The list has one of these names; no two begin alike. */
const listKeys = ["messages", "steps"].map((name) => Buffer.from(name));

/** Without such a key there is no list, wherever it would stand. */
export function hasListKey(bytes: Buffer): boolean {
  return listKeys.some((key) => bytes.includes(`"${key}"`));
}

export class DocumentFrames {
  /** "head" and "tail" stand around the messages. */
  part: "head" | "messages" | "tail" | "end" = "head";
  /** This counts the line feeds so far. */
  lines = 0;
  readonly #bytesMax: number;
  #onLine: (line: DocumentLine) => void = () => undefined;
  #kept: Buffer[] = [];
  #keptLength = 0;
  #isTooLong = false;
  #piece: Buffer = Buffer.alloc(0);
  /** `#base` is where the piece begins in the document, and `#from` where what is held begins in the piece; -1 stands for nothing. */
  #base = 0;
  #from = -1;
  #isHolding = true;
  #start = { offset: 0, number: 1 };
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** How much of the list's key the string of the top level is so far; -1: it is another one. */
  #matched = -1;
  #key: Buffer = Buffer.alloc(0);
  #column = 0;
  #isLineBegin = true;
  /**
   * These are the columns of the first brace of the first message, and of the key of the list. They are -1 if these do not begin a line.
   */
  #messageColumn = -1;
  #keyColumn = -1;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Past the last line that was handed on. */
  get position(): number {
    return this.#isHolding ? this.#start.offset : this.#base;
  }

  get rest(): Buffer {
    return this.part === "end" ? Buffer.alloc(0) : Buffer.concat(this.#kept);
  }

  push(piece: Buffer, onLine: (line: DocumentLine) => void): void {
    this.#onLine = onLine;
    this.#piece = piece;
    const first = this.#base === 0 && piece.subarray(0, mark.length).equals(mark) ? mark.length : 0;
    if (first > 0) this.#start = { offset: first, number: 1 };
    this.#from = this.#isHolding ? first : -1;
    for (let at = first; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (this.#isInString) this.#inString(byte);
      else if (!isBlank(byte)) this.#outside(byte, at);
      this.#count(byte);
    }
    if (this.#from >= 0) this.#keep(piece.subarray(this.#from));
    this.#base += piece.length;
  }

  /** The message that is held is whole: what follows begins another one. */
  endRest(onLine: (line: DocumentLine) => void): void {
    this.#onLine = onLine;
    if (this.part === "messages" && this.#isHolding) this.#hand(0);
  }

  #count(byte: number): void {
    this.#column += 1;
    if (byte === lineFeed) {
      this.lines += 1;
      this.#column = 0;
      this.#isLineBegin = true;
    } else if (!isBlank(byte)) this.#isLineBegin = false;
  }

  #inString(byte: number): void {
    if (this.#matched === 0) this.#key = listKeys.find((key) => key[0] === byte) ?? this.#key;
    if (this.#matched >= 0) this.#matched = byte === this.#key[this.#matched] ? this.#matched + 1 : this.#atEnd(byte);
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    // JSON has no line feed in a string: the quote that should have ended it is missing.
    else if (byte === quote || byte === lineFeed) this.#isInString = false;
  }

  get #isListKey(): boolean {
    return this.#matched > 0 && this.#matched === this.#key.length;
  }

  #atEnd(byte: number): number {
    return byte === quote && this.#isListKey ? this.#matched : -1;
  }

  #outside(byte: number, at: number): void {
    switch (this.part) {
      case "head":
        this.#inHead(byte, at);
        return;
      case "messages":
        this.#inMessages(byte, at);
        return;
      case "tail":
        if (this.#nest(byte) === 0) {
          this.#handTail(at + 1);
          this.part = "end";
        }
        return;
      case "end":
        if (this.#keptLength < 0) return;
        this.#keptLength = -1;
        this.#onLine({ bytes: this.#piece.subarray(at, at + 64), offset: this.#base + at, number: this.lines + 1 });
    }
  }

  #inHead(byte: number, at: number): void {
    const depth = this.#nest(byte);
    if (byte === quote && depth === 1) {
      this.#matched = 0;
      if (this.#isLineBegin) this.#keyColumn = this.#column;
    } else if (byte === comma && depth === 1) this.#matched = -1;
    else if (byte === openBracket && depth === 2 && this.#isListKey) {
      this.#hand(at + 1, "]}");
      this.part = "messages";
    } else if (depth === 0) {
      this.#hand(at + 1);
      this.part = "end";
    }
  }

  #inMessages(byte: number, at: number): void {
    if (this.#isAsAtFirst(byte)) this.#depth = 2;
    if (this.#depth > 2) this.#nest(byte);
    else this.#betweenMessages(byte, at);
  }

  /** It begins a line as the first message did, or as the end of the list does: whatever is open before it is broken. */
  #isAsAtFirst(byte: number): boolean {
    if (!this.#isLineBegin || this.#messageColumn < 1) return false;
    if (byte === openBrace) return this.#column === this.#messageColumn;
    return byte === closeBracket && this.#column === this.#keyColumn;
  }

  #betweenMessages(byte: number, at: number): void {
    const isEnd = byte === closeBracket;
    const isAnother = byte === openBrace && this.#isLineBegin && this.#column === this.#messageColumn;
    if (this.#isHolding && (isEnd || isAnother || byte === comma)) this.#hand(at);
    if (isEnd) {
      this.#depth = 1;
      this.part = "tail";
      this.#hold(at + 1);
    } else if (byte !== comma) {
      if (!this.#isHolding) this.#hold(at);
      if (byte === openBrace && this.#isLineBegin && this.#messageColumn === -1) this.#messageColumn = this.#column;
      if (byte !== closeBrace) this.#nest(byte);
    }
  }

  #nest(byte: number): number {
    if (byte === quote) this.#isInString = true;
    else if (byte === openBrace || byte === openBracket) this.#depth += 1;
    else if (byte === closeBrace || byte === closeBracket) this.#depth -= 1;
    return this.#depth;
  }

  #hold(at: number): void {
    this.#isHolding = true;
    this.#from = at;
    this.#start = { offset: this.#base + at, number: this.lines + 1 };
  }

  #keep(part: Buffer): void {
    if (this.#keptLength + part.length > this.#bytesMax) this.#isTooLong = true;
    this.#keptLength += part.length;
    if (this.#isTooLong) this.#kept = [];
    else this.#kept.push(Buffer.from(part));
  }

  #handTail(to: number): void {
    this.#keep(this.#piece.subarray(this.#from, to));
    const rest = Buffer.concat(this.#kept).toString("utf8").trim().replace(/^,/, "");
    this.#release();
    if (rest !== "}") this.#onLine({ bytes: Buffer.from(`{${rest}`), ...this.#start });
  }

  /** This hands on what is held, up to `to` in the piece. */
  #hand(to: number, after = ""): void {
    if (this.#from >= 0) this.#keep(this.#piece.subarray(this.#from, to));
    const bytes = this.#isTooLong ? undefined : Buffer.concat([...this.#kept, Buffer.from(after)]);
    this.#release();
    this.#onLine({ bytes, ...this.#start });
  }

  #release(): void {
    this.#kept = [];
    this.#keptLength = 0;
    this.#isTooLong = false;
    this.#isHolding = false;
    this.#from = -1;
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === lineFeed || byte === 0x0d || byte === 0x09;
}

/** Streams of JSON lines at the edges of the command line. The only file that names ndjson. */
import { type Duplex, pipeline, type Readable, Transform, type TransformCallback } from "node:stream";
import { finished } from "node:stream/promises";
import ndjson from "ndjson";
import { visibleJson } from "../audit/visible.ts";
import { UsageError } from "./usage.ts";

export interface JsonLine {
  /** Lines are counted from 1. */
  readonly line: number;
  readonly value: unknown;
}

/** A line of this length is longer than any action that could be accepted. The unit is UTF-16 code units. */
const lineUnitsMax = 2 << 20;

/**
 * The value of each line; blank lines have none. Throws a {@link UsageError} that names the first malformed line, after
 * every value before it.
 *
 * In its strict mode ndjson raises an error without a line number, ahead of values that it has parsed but not handed
 * out; in its loose mode it drops the line; and a `null` ends its stream. So each line goes in wrapped in brackets and
 * followed by its number: a number that does not follow on its line is that of the malformed one.
 */
export async function* readJsonLines(input: Readable): AsyncGenerator<JsonLine, undefined> {
  const rows = ndjson.parse({ strict: false }) as unknown as Duplex;
  pipeline(input, new NumberedLines(), rows, () => undefined);
  let wrapped: readonly unknown[] | string | undefined;
  let isFirst = true;
  for await (const row of rows as AsyncIterable<readonly unknown[] | string | number>) {
    if (typeof row !== "number") {
      wrapped = row;
      continue;
    }
    if (typeof wrapped === "string") throw unusable(row, wrapped, isFirst);
    if (wrapped === undefined || wrapped.length > 1) throw unusable(row, "malformed JSON", isFirst);
    if (wrapped.length === 1) {
      isFirst = false;
      yield { line: row, value: wrapped[0] };
    }
    wrapped = undefined;
  }
}

function unusable(line: number, why: string, isFirst: boolean): UsageError {
  const before = isFirst
    ? "nothing was carried out; correct it and send it again"
    : "the lines before it were carried out; correct it and send the rest";
  return new UsageError(`line ${line} is ${why}: ${before}`);
}

/** These stand instead of a line that cannot be read, and are the last: no wrapped line is a bare text. */
const tooLong = `longer than ${lineUnitsMax} characters`;
const notUtf8 = "not UTF-8";

const lineFeed = 0x0a;

class NumberedLines extends Transform {
  /** Passes over a byte order mark at the beginning, which some shells send of themselves. */
  readonly #decoder = new TextDecoder("utf-8", { fatal: true });
  #line = 1;
  #lineUnits = 0;

  constructor() {
    super();
    this.push("[");
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let numbered = "";
    for (let from = 0; from < chunk.length; ) {
      const lineEnd = chunk.indexOf(lineFeed, from);
      const text = this.#decoded(chunk.subarray(from, lineEnd === -1 ? undefined : lineEnd + 1));
      if (text === undefined) {
        this.#stop(numbered, notUtf8);
        return;
      }
      this.#lineUnits += text.length;
      if (this.#lineUnits > lineUnitsMax) {
        this.#stop(numbered, tooLong);
        return;
      }
      numbered += lineEnd === -1 ? text : `${text.slice(0, -1)}]\n${this.#line}\n[`;
      if (lineEnd === -1) break;
      this.#line += 1;
      this.#lineUnits = 0;
      from = lineEnd + 1;
    }
    done(null, numbered);
  }

  override _flush(done: TransformCallback): void {
    done(null, this.#decoded() === undefined ? this.#last(notUtf8) : `]\n${this.#line}\n`);
  }

  /** The chunk is never done: nothing more may be taken in, and the reader of the last row ends the stream. */
  #stop(numbered: string, unreadable: string): void {
    this.push(numbered + this.#last(unreadable));
  }

  #last(unreadable: string): string {
    return `\n${JSON.stringify(unreadable)}\n${this.#line}\n`;
  }

  /** The result is undefined if the bytes are not UTF-8. Without bytes the input has ended, perhaps in the middle of a character. */
  #decoded(bytes?: Buffer): string | undefined {
    try {
      return this.#decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      return undefined;
    }
  }
}

export interface JsonWriter {
  write(value: unknown): void;
  /** Resolves when every line was handed on. */
  end(): Promise<void>;
}

/** Hands each value to `write` as one line that ends in "\n". */
export function jsonWriter(write: (line: string) => void): JsonWriter {
  const lines = ndjson.stringify();
  lines.on("data", (line: Buffer | string) => write(`${visibleJson(String(line).trimEnd())}\n`));
  return {
    write: (value) => void lines.write(value),
    end: async () => {
      lines.end();
      await finished(lines);
    },
  };
}

/** Streams of JSON lines at the edges of the command line. The only file that names ndjson. */
import { type Duplex, pipeline, type Readable, Transform, type TransformCallback } from "node:stream";
import { finished } from "node:stream/promises";
import { StringDecoder } from "node:string_decoder";
import ndjson from "ndjson";
import { UsageError } from "./usage.ts";
import { visibleJson } from "./visible.ts";

export interface JsonLine {
  /** Counted from 1. */
  readonly line: number;
  readonly value: unknown;
}

/** Longer than any action that could be accepted. UTF-16 code units. */
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
  let wrapped: readonly unknown[] | typeof tooLong | undefined;
  for await (const row of rows as AsyncIterable<readonly unknown[] | typeof tooLong | number>) {
    if (typeof row !== "number") {
      wrapped = row;
      continue;
    }
    if (wrapped === tooLong) throw unusable(row, `longer than ${lineUnitsMax} characters`);
    if (wrapped === undefined || wrapped.length > 1) throw unusable(row, "malformed JSON");
    if (wrapped.length === 1) yield { line: row, value: wrapped[0] };
    wrapped = undefined;
  }
}

function unusable(line: number, why: string): UsageError {
  return new UsageError(`line ${line} is ${why}: the lines before it were carried out; correct it and send the rest`);
}

/** Stands instead of a line that would be collected without end, and is the last: no wrapped line is a bare text. */
const tooLong = "too long";

class NumberedLines extends Transform {
  readonly #decoder = new StringDecoder("utf8");
  #line = 1;
  #lineUnits = 0;

  constructor() {
    super();
    this.push("[");
  }

  override _transform(chunk: Buffer | string, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    const lastEnd = text.lastIndexOf("\n");
    this.#lineUnits = lastEnd === -1 ? this.#lineUnits + text.length : text.length - lastEnd - 1;
    const numbered = text.replaceAll("\n", () => `]\n${this.#line++}\n[`);
    if (this.#lineUnits <= lineUnitsMax) done(null, numbered);
    // Never done: nothing more may be taken in, and the reader of the last row ends the stream.
    else this.push(`${numbered}\n"${tooLong}"\n${this.#line}\n`);
  }

  override _flush(done: TransformCallback): void {
    done(null, `${this.#decoder.end()}]\n${this.#line}\n`);
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

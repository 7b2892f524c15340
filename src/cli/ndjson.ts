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
const lineUnitsMax = 8 << 20;

/**
 * The value of each line; blank lines have none. Throws a {@link UsageError} that names the first malformed line, after
 * every value before it.
 *
 * In its strict mode ndjson raises an error without a line number, ahead of values that it has parsed but not handed
 * out; in its loose mode it drops the line; and a `null` ends its stream. So each line goes in wrapped in brackets and
 * followed by its number: a number that does not follow on its line is that of the malformed one.
 */
export async function* readJsonLines(input: Readable): AsyncGenerator<JsonLine, undefined> {
  const options = { strict: false, maxLength: lineUnitsMax };
  const rows = ndjson.parse(options) as unknown as Duplex;
  pipeline(input, new NumberedLines(), rows, () => undefined);
  let wrapped: readonly unknown[] | undefined;
  let line = 0;
  try {
    for await (const row of rows as AsyncIterable<readonly unknown[] | number>) {
      if (typeof row !== "number") {
        wrapped = row;
        continue;
      }
      line = row;
      if (wrapped === undefined || wrapped.length > 1) throw malformed(line, "malformed JSON");
      if (wrapped.length === 1) yield { line, value: wrapped[0] };
      wrapped = undefined;
    }
  } catch (error) {
    const isTooLong = error instanceof Error && error.message === "maximum buffer reached";
    throw isTooLong ? malformed(line + 1, `longer than ${lineUnitsMax} characters`) : error;
  }
}

function malformed(line: number, what: string): UsageError {
  return new UsageError(`line ${line} is ${what}: the lines before it were carried out; correct it and send the rest`);
}

class NumberedLines extends Transform {
  readonly #decoder = new StringDecoder("utf8");
  #line = 1;

  constructor() {
    super();
    this.push("[");
  }

  override _transform(chunk: Buffer | string, _encoding: BufferEncoding, done: TransformCallback): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    done(
      null,
      text.replaceAll("\n", () => `]\n${this.#line++}\n[`),
    );
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

/** The one door to standard output: whatever passes is visible, and coloured only where somebody sees it. */
import { styleText } from "node:util";
import { visible } from "../audit/visible.ts";
import { shorten, widthOf } from "../audit/width.ts";
import { StorageError } from "../errors.ts";
import type { JsonWriter } from "./ndjson.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** A piece of a line: plain, or in a style. Control characters in it are shown, never sent. */
export type Span = string | { readonly text: string; readonly style: Style; readonly isMarked?: boolean };

export interface OutputStream {
  write(text: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the width of a terminal is unknown. */
const columnsDefault = 120;

export class Output {
  readonly isTerminal: boolean;
  readonly isColoured: boolean;
  readonly #stream: OutputStream;
  #isClosed = false;
  #closing: AbortController | undefined;
  #json: Promise<JsonWriter> | undefined;
  #queued: Promise<void> = Promise.resolve();
  #unsent = "";
  #failure: Error | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(stream: OutputStream, env: Environment) {
    this.#stream = stream;
    this.isTerminal = stream.isTTY === true;
    this.isColoured = isColoured(this.isTerminal, env);
    stream.on("error", (error) => this.#close(error));
  }

  /** Aborted when nobody reads any more, as in `… | head`. */
  get closed(): AbortSignal {
    this.#closing ??= new AbortController();
    if (this.#isClosed) this.#closing.abort();
    return this.#closing.signal;
  }

  get columns(): number {
    return this.#stream.columns ?? columnsDefault;
  }

  line(...spans: readonly Span[]): void {
    this.#write(`${spans.map((span) => this.#render(span)).join("")}\n`);
  }

  /** Aligned columns, the last one cut at the right edge. `whole`: only on a terminal. */
  table(rows: readonly (readonly Span[])[], { whole = false } = {}): void {
    const last = highest(rows, (row) => row.length) - 1;
    const widths = Array.from({ length: last }, (_, column) =>
      highest(rows, (row) => widthOf(visible(textOf(row[column] ?? "")))),
    );
    const right = whole && !this.isTerminal ? Number.POSITIVE_INFINITY : this.columns;
    const left = right - widths.reduce((sum, width) => sum + width + gap.length, 0);
    for (const row of rows) {
      const cells = row.map((span, column) => {
        const text = visible(textOf(span));
        if (column === last) return restyled(span, shorten(text, Math.max(left, columnsMin)));
        const isEnd = row.slice(column + 1).every((next) => textOf(next) === "");
        return restyled(span, isEnd ? text : text + " ".repeat((widths[column] ?? 0) - widthOf(text)) + gap);
      });
      this.line(...cells);
    }
  }

  /** A text of several lines, each behind `indent`. */
  text(text: string, indent = "", style?: Style): void {
    for (const line of text.split("\n")) this.line(indent, style === undefined ? line : { text: line, style });
  }

  /** Byte for byte where a program reads it, visible where a person does. */
  exact(text: string): void {
    if (this.isTerminal) this.text(text);
    else this.#write(text);
  }

  /** One value as one line. */
  json(value: unknown): void {
    this.#json ??= import("./ndjson.ts").then(({ jsonWriter }) => jsonWriter((line) => this.#write(line)));
    this.#queued = this.#json.then((lines) => lines.write(value));
  }

  /** Waits for a slow reader. */
  async written(): Promise<void> {
    await this.#queued;
    this.#send();
    await this.#written;
  }

  /** Ends the output: everything is out. Throws what went wrong, unless it was that nobody reads any more. */
  async flush(): Promise<void> {
    await (await this.#json)?.end();
    this.#json = undefined;
    await this.written();
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** What is written at one go is sent at one go. */
  #write(text: string): void {
    if (this.#unsent === "") queueMicrotask(() => this.#send());
    this.#unsent += text;
    if (this.#unsent.length >= unsentMax) this.#send();
  }

  #send(): void {
    const text = this.#unsent;
    this.#unsent = "";
    if (text === "" || this.#isClosed) return;
    // Where it is neither a pipe nor a terminal, Node's own stream throws at once.
    this.#written = new Promise<void>((resolve, reject) => {
      this.#stream.write(text, (error) => (error ? reject(error) : resolve()));
    }).catch((error: NodeJS.ErrnoException) => this.#close(error));
  }

  #close(error: NodeJS.ErrnoException): void {
    if (error.code !== "EPIPE" && error.code !== "ERR_STREAM_DESTROYED") this.#failure ??= notSent(error);
    this.#isClosed = true;
    this.#closing?.abort();
  }

  #render(span: Span): string {
    const text = visible(textOf(span));
    if (typeof span === "string" || !this.isColoured) return text;
    return styleText(span.isMarked ? [span.style, "inverse"] : span.style, text, { validateStream: false });
  }
}

/** What was asked for may have been carried out, but for telling of it. */
function notSent(cause: NodeJS.ErrnoException): StorageError {
  const why = cause.code ?? cause.message;
  const message = `cannot write standard output (${why}): check the space and the permissions where it goes`;
  return new StorageError(message, "unknown", {}, cause);
}

const unsentMax = 64 * 1024;

const gap = "  ";
const columnsMin = 20;

function textOf(span: Span): string {
  return typeof span === "string" ? span : span.text;
}

function restyled(span: Span, text: string): Span {
  return typeof span === "string" ? text : { text, style: span.style };
}

/** As Node decides for its own output: FORCE_COLOR, then NO_COLOR (https://no-color.org), then whether it is a terminal. */
function isColoured(isTerminal: boolean, env: Environment): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTerminal && TERM !== "dumb";
}

/** Not by `Math.max(…)`: a table may have more rows than arguments fit on the stack. */
function highest<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((max, item) => Math.max(max, of(item)), 0);
}

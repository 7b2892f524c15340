/** The one door to standard output: whatever passes is visible, and coloured only where somebody sees it. */
import { styleText } from "node:util";
import { linesIn, visible, visibleJson } from "../audit/visible.ts";
import { StorageError } from "../errors.ts";
import { pagesOf } from "../stream/pages.ts";
import { aligned, type LastCell } from "./aligned.ts";
import type { JsonWriter } from "./ndjson.ts";
import { type Span, type Style, textOf } from "./span.ts";

export interface OutputStream {
  write(text: string | Uint8Array, done: (error?: Error | null) => void): unknown;
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** See pager.ts. */
export interface Pager {
  write(text: string): void;
  /** Resolves when whoever reads has left, perhaps before the end. False: there is no such program, nothing was shown. */
  readonly ended: Promise<boolean>;
  /** Says that the text ends, and answers as `ended` does. */
  end(): Promise<boolean>;
}

export const colourChoices = ["auto", "always", "never"] as const;

/** These hold if the size of a terminal is unknown. */
const columnsDefault = 80;
const rowsDefault = 24;

export class Output {
  readonly isTerminal: boolean;
  readonly #stream: OutputStream;
  readonly #env: Environment;
  #isColoured: boolean;
  #isClosed = false;
  #closing: AbortController | undefined;
  #json: Promise<JsonWriter> | undefined;
  #queued: Promise<void> = Promise.resolve();
  #unsent = "";
  /** Before it is known whether the text is longer than the screen. */
  #held: string[] | undefined;
  #heldRows = 0;
  #makePager: (() => Promise<Pager>) | undefined;
  #pager: Promise<Pager> | undefined;
  #failure: Error | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(stream: OutputStream, env: Environment) {
    this.#stream = stream;
    this.isTerminal = stream.isTTY === true;
    this.#env = env;
    this.#isColoured = isColoured(this.isTerminal, env);
    stream.on("error", (error) => this.#close(error));
  }

  /** The signal aborts when nobody reads any more, as in `… | head`, or in a pager that was left. */
  get closed(): AbortSignal {
    this.#closing ??= new AbortController();
    if (this.#isClosed) this.#closing.abort();
    return this.#closing.signal;
  }

  get isColoured(): boolean {
    return this.#isColoured;
  }

  /** "auto" is as the environment says, and else as it is a terminal. */
  colour(when: (typeof colourChoices)[number]): void {
    if (when !== "auto") this.#isColoured = when === "always";
  }

  /**
   * The width is Infinity if the output is not a terminal, because what a program reads is never cut. COLUMNS takes precedence,
   * as with other programs.
   */
  get columns(): number {
    if (!this.isTerminal) return Number.POSITIVE_INFINITY;
    return sizeIn(this.#env["COLUMNS"]) ?? this.#stream.columns ?? columnsDefault;
  }

  /** From here on, a text that is longer than the screen of a terminal goes to the pager, which is made then. */
  page(make: () => Promise<Pager>): void {
    if (!this.isTerminal) return;
    this.#held = [];
    this.#makePager = make;
  }

  line(...spans: readonly Span[]): void {
    const texts = spans.map((span) => this.#render(span));
    const isLong = this.#held === undefined && texts.some(({ length }) => length >= unsentMax);
    // Joining the texts would hold a long output in memory twice.
    for (const text of isLong ? [...texts, "\n"] : [`${texts.join("")}\n`]) this.#write(text);
  }

  /** This prints aligned columns. On a terminal, the last cell is fitted to the right edge, and a row that has no room goes on below. */
  table(rows: readonly (readonly Span[])[], lastCell: LastCell = "cut"): void {
    this.#aligned(rows, [], lastCell);
  }

  /** Prints one item after the other. Waits for a slow reader, and stops where nobody reads any more. */
  async each<Item>(items: Iterable<Item> | AsyncIterable<Item>, print: (item: Item) => void): Promise<void> {
    await this.pages(items, (page) => page.forEach(print));
  }

  /** This prints like `each`, but so many items at a time. `table` prints rows that are aligned with those before them. */
  async pages<Item>(
    items: Iterable<Item> | AsyncIterable<Item>,
    print: (page: readonly Item[], table: (rows: readonly (readonly Span[])[], lastCell?: LastCell) => void) => void,
  ): Promise<void> {
    let widths: readonly number[] = [];
    for await (const page of pagesOf(items, pageRows, firstPageRows)) {
      print(page, (rows, lastCell = "cut") => {
        widths = this.#aligned(rows, widths, lastCell);
      });
      // A pager shows nothing of a text that is still held for it.
      await (this.#held === undefined ? this.written() : this.#queued);
      if (this.#isClosed) return;
    }
  }

  /** Answers how wide the columns were, none narrower than in `before`. */
  #aligned(rows: readonly (readonly Span[])[], before: readonly number[], lastCell: LastCell): readonly number[] {
    const { lines, widths } = aligned(rows, before, this.columns, lastCell);
    for (const line of lines) this.line(...line);
    return widths;
  }

  /** This prints a text of several lines, each behind `indent`. */
  text(text: string, indent = "", style?: Style): void {
    for (const line of linesIn(text)) this.line(indent, style === undefined ? line : { text: line, style });
  }

  /** A program reads the text byte for byte; a person sees invisible characters made visible. */
  exact(text: string): void {
    if (this.isTerminal) this.text(text);
    else this.#write(text);
  }

  /** This prints one value as one line. */
  json(value: unknown): void {
    this.#json ??= import("./ndjson.ts").then(({ jsonWriter }) => jsonWriter((line) => this.#write(line)));
    this.#queued = this.#json.then((lines) => lines.write(value));
  }

  /** One value as one line, with a last field that is a list of more than can be held. `value` has fields itself. */
  async jsonWithList(value: object, name: string, items: Iterable<unknown> | AsyncIterable<unknown>): Promise<void> {
    this.#write(visibleJson(JSON.stringify(value).slice(0, -1)));
    await this.written();
    let before = `,${JSON.stringify(name)}:[`;
    await this.each(items, (item) => {
      this.#write(before);
      before = ",";
      this.#write(visibleJson(JSON.stringify(item)));
    });
    this.#write(before === "," ? "]}\n" : `${before}]}\n`);
  }

  /** Waits for a slow reader. What was held for a pager is shown. */
  async written(): Promise<void> {
    await this.#queued;
    this.#release();
    this.#send();
    await this.#written;
  }

  /** Ends the output: everything is out. Throws what went wrong, unless it was that nobody reads any more. */
  async flush(): Promise<void> {
    await (await this.#json)?.end();
    this.#json = undefined;
    await this.#queued;
    if (this.#pager === undefined) await this.written();
    else await this.#endPager(await this.#pager);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** The text is sent at one go, as it was written. */
  #write(text: string): void {
    if (this.#held !== undefined) {
      this.#hold(text, this.#held);
      return;
    }
    if (text.length >= unsentMax) this.#send();
    if (this.#unsent === "") queueMicrotask(() => this.#send());
    this.#unsent += text;
    if (this.#unsent.length >= unsentMax) this.#send();
  }

  #hold(text: string, held: string[]): void {
    held.push(text);
    if (this.#pager !== undefined) {
      void this.#pager.then((pager) => pager.write(text));
      return;
    }
    this.#heldRows += rowsOf(text, this.columns);
    const rows = sizeIn(this.#env["LINES"]) ?? this.#stream.rows ?? rowsDefault;
    if (this.#heldRows < rows || this.#makePager === undefined) return;
    this.#pager = this.#makePager();
    const all = held.join("");
    void this.#pager.then((pager) => {
      pager.write(all);
      void pager.ended.then((isShown) => isShown && this.#leave());
    });
  }

  /** A pager that cannot be run is no reason to show nothing. */
  async #endPager(pager: Pager): Promise<void> {
    const isShown = await pager.end();
    this.#pager = undefined;
    if (isShown) this.#held = [];
    await this.written();
  }

  #release(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined && held.length > 0) this.#write(held.join(""));
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
    this.#leave();
  }

  #leave(): void {
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
  const message = `cannot write to standard output (${why}): check the space and the permissions at its destination`;
  return new StorageError(message, "unknown", {}, cause);
}

const unsentMax = 64 * 1024;

/**
 * So many rows are aligned with each other before the first of them is sent: at first as many as a large screen shows. With
 * 512, the engine learns that rows live long, and keeps what each was made of: `ls` of 100,000 sessions took 30 MB more.
 */
const pageRows = 128;
const firstPageRows = 64;

/** The result is undefined if the user wants no pager. On a terminal that cannot move its cursor, less asks for a key before it shows anything. */
export function pagerCommand({ TERM, PAGER = TERM === "dumb" ? "" : "less" }: Environment): string | undefined {
  const command = PAGER.trim();
  return command === "" || command === "cat" ? undefined : command;
}

function sizeIn(text: string | undefined): number | undefined {
  return text !== undefined && /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

/**
 * Rows are counted as a terminal of this width breaks them. Colours are counted, too: at worst, a pager shows what one screen
 * could hold.
 */
function rowsOf(text: string, columns: number): number {
  const lines = text.split("\n").slice(0, -1);
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / columns)), 0);
}

/** FORCE_COLOR decides, then NO_COLOR (https://no-color.org), then whether it is a terminal. A variable that is empty counts as not set. */
function isColoured(isTerminal: boolean, env: Environment): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = env;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== "") return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR !== undefined && NO_COLOR !== "") return false;
  return isTerminal && TERM !== "dumb";
}

/** A matcher says which parts of a text are to go, and what stands in their place. */
import type { EncodedForm } from "./encoded-forms.ts";
import { findSecrets } from "./secrets.ts";

export interface MatcherParts {
  /** These are matched as they are, wherever they stand. */
  readonly texts?: Iterable<string>;
  /** Only where they are a whole line. */
  readonly lines?: Iterable<string>;
  /** Each pattern has the flag `g`. */
  readonly patterns?: readonly RegExp[];
  readonly encoded?: readonly EncodedForm[];
  /** With true, secrets of common kinds are matched. */
  readonly secrets?: boolean;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** A match that a cut went through: `kept` ends the one part, and `dropped` begins the other. */
export interface Divided {
  readonly kept: string;
  readonly dropped: string;
}

const marker = /\[redacted \d+ characters\]/g;

export function isMarker(text: string): boolean {
  return /^\[redacted \d+ characters\]$/.test(text);
}

/** `N` is the length in UTF-16 code units. */
export function redactedText(text: string): string {
  return `[redacted ${text.length} characters]`;
}

export class Matcher {
  readonly #texts: readonly string[];
  /** These texts have a marker of an earlier redaction in them, and more. A marker alone says nothing of what stood there. */
  readonly #marked: readonly string[];
  readonly #lines: ReadonlySet<string>;
  readonly #patterns: readonly RegExp[];
  readonly #encoded: readonly EncodedForm[];
  readonly #secrets: boolean;

  constructor({ texts = [], lines = [], patterns = [], encoded = [], secrets = false }: MatcherParts) {
    this.#texts = [...new Set(texts)].filter((text) => text !== "");
    this.#marked = this.#texts.filter((text) => text.search(marker) !== -1 && !isMarker(text));
    this.#lines = new Set([...lines].filter((line) => line !== ""));
    this.#patterns = patterns;
    this.#encoded = encoded;
    this.#secrets = secrets;
  }

  /** What is to go, in order. What was redacted before is left, unless a text to go has it. */
  found(text: string): string[] {
    return this.#spans(text).map(({ start, end }) => text.slice(start, end));
  }

  /** The result is the text without the matches. `took` is called with each removed part. */
  replace(text: string, took: (part: string) => void = () => undefined): string {
    let replaced = "";
    let from = 0;
    for (const { start, end } of this.#spans(text)) {
      const part = text.slice(start, end);
      took(part);
      replaced += text.slice(from, start) + redactedText(part);
      from = end;
    }
    return from === 0 ? text : replaced + text.slice(from);
  }

  /** A budget cut the text in two: this is the match of which each part has a piece, if there is one. */
  divided(text: string, dropped: string): Divided | undefined {
    const span = this.#spans(text + dropped).find(({ start, end }) => start < text.length && end > text.length);
    return span && { kept: text.slice(span.start), dropped: dropped.slice(0, span.end - text.length) };
  }

  #spans(text: string): Span[] {
    if (!text.includes("[redacted ")) return merged(this.#spansIn(text, 0));
    const spans: Span[] = [];
    let from = 0;
    for (const { 0: mark, index } of text.matchAll(marker)) {
      for (const span of this.#spansIn(text.slice(from, index), from)) spans.push(span);
      from = index + mark.length;
    }
    for (const span of this.#spansIn(text.slice(from), from)) spans.push(span);
    return merged([...spans, ...this.#marked.flatMap((wanted) => spansOf(wanted, text))]);
  }

  #spansIn(text: string, offset: number): Span[] {
    const spans: Span[] = [];
    const add = (start: number, end: number): void => {
      if (end > start) spans.push({ start: offset + start, end: offset + end });
    };
    for (const wanted of this.#texts) for (const { start, end } of spansOf(wanted, text)) add(start, end);
    if (this.#lines.size > 0) {
      let at = 0;
      for (const line of text.split("\n")) {
        if (this.#lines.has(line)) add(at, at + line.length);
        at += line.length + 1;
      }
    }
    const encoded = this.#encoded.filter(({ unitsMin }) => text.length >= unitsMin);
    for (const pattern of [...this.#patterns, ...encoded.map((form) => form.pattern)]) {
      for (const { 0: match, index } of text.matchAll(pattern)) add(index, index + match.length);
    }
    if (this.#secrets) for (const { start, end } of findSecrets(text)) add(start, end);
    return spans;
  }
}

function spansOf(wanted: string, text: string): Span[] {
  const spans: Span[] = [];
  for (let start = text.indexOf(wanted); start !== -1; start = text.indexOf(wanted, start + 1))
    spans.push({ start, end: start + wanted.length });
  return spans;
}

/** The spans are put in order; those that overlap become one. */
function merged(spans: readonly Span[]): Span[] {
  if (spans.length < 2) return [...spans];
  const ordered = [...spans].sort((a, b) => a.start - b.start);
  const all: Span[] = [];
  for (const span of ordered) {
    const last = all.at(-1);
    if (last === undefined || span.start >= last.end) all.push(span);
    else all[all.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return all;
}

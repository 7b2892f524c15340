/** This parses what the user asks to have taken out. */
import { requireOption } from "../../options.ts";
import type { RedactionWish } from "./plan.ts";

/** This says what to remove from a journal. */
export interface RedactionChoice {
  /** Texts, as they are. */
  readonly text?: string | readonly string[] | undefined;
  /** Regular expressions; a text is the source of one. */
  readonly pattern?: RegExp | string | readonly (RegExp | string)[] | undefined;
  /** Every text of these versions goes. */
  readonly version?: number | readonly number[] | undefined;
  /** With true, secrets of common kinds are redacted. */
  readonly secrets?: boolean | undefined;
}

/** Throws a TypeError that names the option. */
export function parseWish({ text, pattern, version, secrets = false }: RedactionChoice): RedactionWish {
  const texts = listOf(text).map((each) =>
    requireOption<string>(
      typeof each === "string" && each !== "",
      each,
      "text",
      "a text that is not empty, or several",
    ),
  );
  const versions = listOf(version).map((each) =>
    requireOption<number>(Number.isSafeInteger(each) && Number(each) >= 0, each, "version", "a version, or several"),
  );
  requireOption(typeof secrets === "boolean", secrets, "secrets", "true or false");
  const patterns = listOf(pattern).map(parsePattern);
  if (texts.length + versions.length + patterns.length > 0 || secrets) return { texts, patterns, versions, secrets };
  throw new TypeError("say what is to go: a text, a pattern, a version, or secrets");
}

function parsePattern(pattern: unknown): RegExp {
  const isOne = pattern instanceof RegExp || (typeof pattern === "string" && pattern !== "");
  requireOption(isOne, pattern, "pattern", "a regular expression, or several");
  const { source, flags } = pattern instanceof RegExp ? pattern : { source: String(pattern), flags: "" };
  try {
    return new RegExp(source, [...new Set(`${flags.replace("y", "")}g`)].join(""));
  } catch (cause) {
    throw new TypeError(`option "pattern": ${(cause as Error).message}`, { cause });
  }
}

function listOf<Item>(value: Item | readonly Item[] | undefined): readonly Item[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value as Item];
}

const patternInSlashes = /^\/(.+)\/([dimsuv]*)$/s;

/**
 * The choice is given as one word: `secrets`, a regular expression between slashes, or a text. It throws a TypeError if the
 * pattern is not valid.
 */
export function choiceOfWord(word: string): RedactionChoice {
  if (word === "secrets") return { secrets: true };
  const [, source, flags] = patternInSlashes.exec(word) ?? [];
  return source === undefined ? { text: word } : { pattern: parsePattern(new RegExp(source, flags)) };
}

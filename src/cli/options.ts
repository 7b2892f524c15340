/** Reads the words after the name of the program, by `util.parseArgs`, and says what is wrong with them. */

import { parseArgs } from "node:util";
import { given } from "../options.ts";
import { didYouMean } from "./near.ts";
import { colourChoices } from "./output.ts";
import { UsageError } from "./usage.ts";

export interface OptionSpec {
  readonly short?: string;
  /** What the value is called in help; a flag has none. */
  readonly value?: string;
  /** The only values there are. */
  readonly choices?: readonly string[];
  /** May be given several times. */
  readonly isList?: true;
  readonly about: string;
}

export type OptionSpecs = Readonly<Record<string, OptionSpec>>;

export const globalOptions = {
  json: { about: "one JSON value per line instead of text for people" },
  fold: {
    value: "POLICY",
    choices: ["file", "branch"],
    about: "which lines count: file, branch (default: as written)",
  },
  namespace: { value: "PREFIX", about: "prefix of the lines' types (default: openclaw:scratchpad)" },
  actor: { value: "NAME", about: "who acts (default: agent)" },
  limits: { value: "JSON", about: "other budgets, such as '{\"notes\":8000}'" },
  "seal-file": {
    value: "FILE",
    about: "holds the key of a sealed journal (default: the file named by SESSION_JOURNAL_SEAL_FILE)",
  },
  color: {
    value: "WHEN",
    choices: colourChoices,
    about: "auto, always, never (default: auto, on a terminal, unless NO_COLOR or FORCE_COLOR say otherwise)",
  },
  "no-pager": { about: "long texts straight onto the terminal, not through PAGER (default: less)" },
  help: { short: "h", about: "this help" },
  version: { about: "the version of session-journal" },
} as const satisfies OptionSpecs;

const portMax = 65_535;

/** This holds the options that were given. */
export class Options {
  readonly #values: ReadonlyMap<string, string | true>;
  readonly #lists: ReadonlyMap<string, readonly string[]>;
  /** Each name as it was typed, such as `-n`: a message names nothing else. */
  readonly #typed: ReadonlyMap<string, string>;

  constructor(
    values: ReadonlyMap<string, string | true>,
    lists: ReadonlyMap<string, readonly string[]> = new Map(),
    typed: ReadonlyMap<string, string> = new Map(),
  ) {
    this.#values = values;
    this.#lists = lists;
    this.#typed = typed;
  }

  flag(name: string): boolean {
    return this.#values.has(name);
  }

  text(name: string): string | undefined {
    const value = this.#values.get(name);
    return value === true ? undefined : value;
  }

  /** The result has the values of an option that may be given several times, in their order. */
  list(name: string): readonly string[] {
    return this.#lists.get(name) ?? [];
  }

  /** The value is a whole number from 0, which may have `prefix` before it. */
  count(name: string, prefix = ""): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const digits = prefix !== "" && text.startsWith(prefix) ? text.slice(prefix.length) : text;
    if (/^\d{1,15}$/.test(digits)) return Number(digits);
    const typed = this.#typed.get(name) ?? `--${name}`;
    throw new UsageError(`${typed} takes a whole number from 0, not ${JSON.stringify(text)}`);
  }

  port(name: string): number | undefined {
    const port = this.count(name);
    if (port !== undefined && port > portMax) throw new UsageError(`--${name} takes a number up to ${portMax}`);
    return port;
  }
}

export interface CommandLine {
  readonly words: readonly string[];
  readonly options: Options;
}

/** The first word that is no option, as far as the global options tell. */
export function firstWord(argv: readonly string[]): string | undefined {
  return firstPositional(argv)?.value;
}

/** "help" as a verb is --help of what follows it, as most programs understand it. */
export function helpAsOption(argv: readonly string[]): readonly string[] {
  const first = firstPositional(argv);
  return first?.value === "help" ? helpAsOption(argv.with(first.index, "--help")) : argv;
}

/**
 * Throws a {@link UsageError} for an unknown option, one without its value, and one with two: one of them would go unnoticed.
 * `verb` says whose help lists the options.
 */
export function parseCommandLine(argv: readonly string[], specs: OptionSpecs, verb?: string): CommandLine {
  const values = new Map<string, string | true>();
  const lists = new Map<string, string[]>();
  const typed = new Map<string, string>();
  const words: string[] = [];
  for (const token of tokensOf(argv, specs)) {
    if (token.kind === "positional") words.push(token.value);
    if (token.kind !== "option") continue;
    if (!Object.hasOwn(specs, token.name)) throw new UsageError(unknownOption(token, argv[token.index], specs, verb));
    const value = readValue(token, specs);
    if (value !== true && specs[token.name]?.isList) {
      lists.set(token.name, [...(lists.get(token.name) ?? []), value]);
      continue;
    }
    if (value !== true && values.has(token.name))
      throw new UsageError(`${token.rawName} is given twice: leave one out`);
    values.set(token.name, value);
    typed.set(token.name, token.rawName);
  }
  return { words, options: new Options(values, lists, typed) };
}

function firstPositional(argv: readonly string[]) {
  return tokensOf(argv, globalOptions).find((token) => token.kind === "positional");
}

function tokensOf(argv: readonly string[], specs: OptionSpecs) {
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, { value, short }]) => {
      const type: "boolean" | "string" = value === undefined ? "boolean" : "string";
      return [name, { type, ...given({ short }) }];
    }),
  );
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

type OptionToken = Extract<ReturnType<typeof tokensOf>[number], { kind: "option" }>;

function readValue({ name, rawName, value, inlineValue }: OptionToken, specs: OptionSpecs): string | true {
  const spec = specs[name];
  if (spec?.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return true;
  }
  if (value === undefined || (!inlineValue && isOption(value, specs))) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${spec.value}`);
  }
  if (value === "")
    throw new UsageError(`the value of ${rawName} is empty: a variable of your shell that is not set, perhaps`);
  if (spec.choices !== undefined) mustBeChoice(rawName, value, spec.choices);
  return value;
}

/** `word` has the option in it, and is a name perhaps. A value that stands in it may have a password, and is not shown. */
function unknownOption(
  { rawName, inlineValue }: OptionToken,
  word: string | undefined,
  specs: OptionSpecs,
  verb: string | undefined,
): string {
  const meant = didYouMean(rawName.replace(/^-+/, ""), Object.keys(specs), "--");
  const mayBeName = inlineValue !== true && /[./\\]/.test(word ?? "");
  const asName = mayBeName ? `; write ./${word} if it is the name of a file` : "";
  const help = verb === undefined ? "--help lists all" : `session-journal ${verb} --help lists those of ${verb}`;
  return `unknown option ${rawName}${meant} (${help}${asName})`;
}

/** Throws a {@link UsageError} with the choice that was probably meant. */
export function mustBeChoice(rawName: string, value: string, choices: NonNullable<OptionSpec["choices"]>): void {
  if (choices.includes(value)) return;
  throw new UsageError(
    `${rawName} ${JSON.stringify(value)} is none of ${choices.join(", ")}${didYouMean(value, choices)}`,
  );
}

function isOption(word: string, specs: OptionSpecs): boolean {
  return Object.entries(specs).some(([name, { short }]) => word === `--${name}` || word === `-${short}`);
}

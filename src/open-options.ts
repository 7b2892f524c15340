/** The options of `openJournal`, checked in one place. */
import { type Limits, parseLimits } from "./action/limits.ts";
import { checkedMeasure, type Measure } from "./action/text.ts";
import { requireChoice, requireOption } from "./errors.ts";
import { parseName } from "./journal/options.ts";
import type { MirrorMode } from "./line/legacy.ts";
import type { ScratchpadConfig } from "./prompt/config.ts";
import type { SessionFileOptions } from "./store/session-file/session-file-options.ts";

/**
 * `limits`, `actor`, `measure`, `readonly` and `follow` are the journal's; the others are the session file's, and say nothing to
 * a store that is handed in.
 */
export interface OpenOptions extends Omit<SessionFileOptions, "cwd" | "clock" | "parentSession" | "sessionId"> {
  /** Budgets, where they are not the default ones. */
  readonly limits?: Partial<Limits>;
  /** Who writes, unless a call says otherwise: "agent". */
  readonly actor?: string;
  /** Counts notes in another unit than UTF-16 code units, such as tokens. Must grow with the text. */
  readonly measure?: Measure;
  /** Writes nothing, and refuses to: false. */
  readonly readonly?: boolean;
  /** Keep `state` in step with the stream until the journal is closed, which also keeps the process alive: false. */
  readonly follow?: boolean;
}

/** What is repeated for older runtimes: those with a single key know of that one alone. */
export function mirrorOf({ face }: Pick<ScratchpadConfig, "face">): MirrorMode {
  return face === "single-key" ? "single-key" : true;
}

type Parse<Value> = (value: unknown, name: string) => Value;

const parsers: { readonly [Name in keyof OpenOptions]-?: Parse<OpenOptions[Name]> } = {
  limits: (value, name) => parseLimits(record(value, name)),
  actor: (value, name) => parseName(name, value),
  measure: (value, name) => checkedMeasure(value, `option ${JSON.stringify(name)}`),
  readonly: flag,
  follow: flag,
  create: flag,
  strict: flag,
  namespace: (value, name) => requireOption<string>(typeof value === "string", value, name, "a text"),
  fold: oneOf("file", "branch"),
  mirror: oneOf(true, false, "single-key"),
  durability: oneOf("fsync", "os"),
  seal: (value, name) =>
    requireOption<string | Uint8Array>(isKey(value), value, name, "a key: a text or bytes, not empty"),
  lock: (value, name) => {
    const lock = record(value, name);
    for (const part of Object.keys(lock)) known(part, lockParsers, `${name}.`);
    return Object.fromEntries(
      Object.entries(lock)
        .filter(([, given]) => given !== undefined)
        .map(([part, given]) => [part, lockParsers[part as keyof typeof lockParsers](given, `${name}.${part}`)]),
    );
  },
};

const lockParsers = {
  mode: oneOf("always", "off"),
  waitMs: milliseconds,
  staleMs: milliseconds,
  required: flag,
};

/** Throws a TypeError that names the option. */
export function parseOpenOptions(options: unknown): OpenOptions {
  if (options === undefined) return {};
  const parsed: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(record(options, "options"))) {
    known(name, parsers, "");
    if (value !== undefined) parsed[name] = parsers[name as keyof OpenOptions](value, name);
  }
  return parsed;
}

function known(name: string, parsersByName: object, prefix: string): void {
  if (Object.hasOwn(parsersByName, name)) return;
  const names = Object.keys(parsersByName).map((each) => prefix + each);
  throw new TypeError(`unknown option ${JSON.stringify(prefix + name)}: use ${names.join(", ")}`);
}

function record(value: unknown, name: string): Record<string, unknown> {
  return requireOption(typeof value === "object" && value !== null && !Array.isArray(value), value, name, "an object");
}

function flag(value: unknown, name: string): boolean {
  return requireOption(typeof value === "boolean", value, name, "true or false");
}

function milliseconds(value: unknown, name: string): number {
  return requireOption(
    Number.isSafeInteger(value) && (value as number) >= 0,
    value,
    name,
    "a whole number of milliseconds",
  );
}

function oneOf<const Choices extends readonly unknown[]>(...choices: Choices): Parse<Choices[number]> {
  return (value, name) => requireChoice(choices, value, name);
}

function isKey(value: unknown): boolean {
  return (typeof value === "string" || value instanceof Uint8Array) && value.length > 0;
}

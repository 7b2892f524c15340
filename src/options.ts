/** How options are parsed: each by its own parser, and a name that is none is a mistake. */

/** Each option has a parser, which makes of the given value what the option holds. It throws a TypeError that names the option. */
export type OptionParsers<Options> = {
  readonly [Name in keyof Options]-?: (value: unknown, name: string) => Options[Name];
};

/**
 * The result has the options that were given, each as its parser gives it. `prefix` is the path of the option that holds them, if they are
 * a part of another one. A wrong option throws a TypeError that names what is wrong.
 */
export function parseOptions<Options extends object>(
  options: unknown,
  parsers: OptionParsers<Options>,
  prefix = "",
): Partial<Options> {
  return options === undefined ? {} : parseRequired(options, parsers, [], prefix);
}

/** This parses options in the same way, and the options in `required` must be there. */
export function parseRequired<Options extends object, Required extends keyof Options & string>(
  options: unknown,
  parsers: OptionParsers<Options>,
  required: readonly Required[],
  prefix = "",
): Partial<Options> & Pick<Options, Required> {
  const names = Object.keys(parsers) as (keyof Options & string)[];
  requireKnown(options, names, prefix);
  const parsed: Partial<Options> = {};
  for (const name of names) {
    const value = (options as Record<string, unknown>)[name];
    if (value !== undefined || (required as readonly string[]).includes(name))
      parsed[name] = parsers[name](value, prefix + name);
  }
  return parsed as Partial<Options> & Pick<Options, Required>;
}

/** The members that are there: one that is undefined would hide what it is spread over, and show in what is answered. */
export function given<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/** A cut may have left the first half of a character at the end, which UTF-8 cannot carry: the result lacks it. */
export function withoutHalf(cut: string): string {
  return cut.replace(/[\ud800-\udbff]$/, "");
}

/** A misspelt option would go unnoticed. Throws a TypeError that names it, and for what is no object. */
export function requireOptions(options: unknown, ...names: readonly string[]): void {
  requireKnown(options, names, "");
}

/** One that is undefined is none. */
function requireKnown(options: unknown, names: readonly string[], prefix: string): void {
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new TypeError(
      `${prefix === "" ? "the options of a call" : `option "${prefix.slice(0, -1)}"`} must be an object`,
    );
  }
  const unknown = Object.entries(options).find(([name, value]) => value !== undefined && !names.includes(name));
  if (unknown === undefined) return;
  const known = names.map((name) => prefix + name).join(", ");
  throw new TypeError(`unknown option ${JSON.stringify(prefix + unknown[0])}: use ${known}`);
}

/** The result is the value, if it is right. Otherwise this throws a TypeError that names the option. */
export function requireOption<Value>(isRight: boolean, value: unknown, name: string, what: string): Value {
  if (isRight) return value as Value;
  throw new TypeError(`option ${JSON.stringify(name)} must be ${what}`);
}

/** This requires a choice in the same way. */
export function requireChoice<Choice>(choices: readonly Choice[], value: unknown, name: string): Choice {
  const what = `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  return requireOption(choices.includes(value as Choice), value, name, what);
}

export function flag(value: unknown, name: string): boolean {
  return requireOption(typeof value === "boolean", value, name, "true or false");
}

export function text(value: unknown, name: string): string {
  return requireOption(typeof value === "string", value, name, "a text");
}

export function texts(value: unknown, name: string): readonly string[] {
  const isRight = Array.isArray(value) && value.every((item) => typeof item === "string");
  return requireOption(isRight, value, name, "an array of texts");
}

export function sessionId(value: unknown, name: string): string {
  return requireOption(typeof value === "string" && value !== "", value, name, "the id of a session");
}

export function milliseconds(value: unknown, name: string): number {
  return requireOption(isCount(value), value, name, "a whole number of milliseconds");
}

/** `Infinity` waits for ever. */
export function wait(value: unknown, name: string): number {
  return requireOption(typeof value === "number" && value >= 0, value, name, "a number of milliseconds from 0");
}

export function count(value: unknown, name: string): number {
  return requireOption(isCount(value), value, name, "a whole number from 0");
}

export function sealKey(value: unknown, name: string): string | Uint8Array {
  const isKey = (typeof value === "string" || value instanceof Uint8Array) && value.length > 0;
  return requireOption(isKey, value, name, "a key: a text or bytes, not empty");
}

export function clock(value: unknown, name: string): () => Date {
  return requireOption(typeof value === "function", value, name, "a function that gives a Date");
}

export function oneOf<const Choices extends readonly unknown[]>(
  ...choices: Choices
): (value: unknown, name: string) => Choices[number] {
  return (value, name) => requireChoice(choices, value, name);
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

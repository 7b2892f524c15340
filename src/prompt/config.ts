/**
 * This file reads a configuration from code, from a file's text or from the environment: `unknown` goes in, settings or a
 * TypeError come out.
 */
import type { Limits } from "../action/limits.ts";
import { nearest } from "../action/nearest.ts";
import { isFields } from "../event/fields.ts";
import type { Face } from "./block.ts";
import { configSchema, olderConfigSchema, type Schema, type ValueSchema } from "./config-schema.ts";
import type { SendMode } from "./guidance.ts";
import type { NudgePace, NudgeSettings } from "./nudges.ts";

/** This is a configuration with every default filled in. */
export interface ScratchpadConfig {
  /** With false, there is no tool, block, guidance or hint. */
  readonly enabled: boolean;
  readonly limits: Limits;
  readonly nudges: Required<NudgeSettings> & NudgePace;
  readonly send: SendMode;
  readonly face: Face;
  /** Records in the journal what the model is shown. */
  readonly record: boolean;
  /** This is the budget of the single key. */
  readonly maxTokens: number;
}

/**
 * Reads a configuration. That of an older runtime is understood, too: its settings `enabled` and `maxTokens` stand at
 * `agents.defaults.claudeSdk.scratchpad` and mean the single-key face; the rest of it is not looked at. Hints may also be named as
 * runtimes with three spaces name them: `scratchpad.nudgeAfterTurns` for `nudges.nudgeAfterTurns`, as one name or nested.
 *
 * @param source An object, or the JSON text of one.
 * @throws TypeError that names the wrong key or value, and the nearest right one.
 * @example
 * const config = parseConfig({ face: "notepad", nudges: { nudgeAfterTurns: 3 } });
 * config.face; // "notepad"
 */
export function parseConfig(source: unknown = {}): ScratchpadConfig {
  const given = typeof source === "string" ? parseJson(source) : source;
  if (!isFields(given) || !Object.hasOwn(given, "agents")) return configOf(withHints(given));
  const older = olderPath.reduce<unknown>((value, name) => (isFields(value) ? value[name] : undefined), given);
  const settings = checked(olderConfigSchema, older ?? {}, { path: olderPath, name: dotted });
  return configOf({ ...(settings as object), face: "single-key" });
}

/**
 * Reads a configuration from environment variables: `SESSION_SCRATCHPAD_` and the path in capitals, such as
 * `SESSION_SCRATCHPAD_MAX_TOKENS` or `SESSION_SCRATCHPAD_LIMITS_ENTRIES_TOTAL`. Variables without the prefix are not looked at.
 *
 * @param environment Pass `process.env`.
 * @throws TypeError that names the wrong variable or value, and the nearest right one.
 * @example
 * const config = configFromEnvironment({ SESSION_SCRATCHPAD_FACE: "notepad" });
 * config.face; // "notepad"
 */
export function configFromEnvironment(environment: Readonly<Record<string, string | undefined>>): ScratchpadConfig {
  const given: Record<string, unknown> = {};
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(variablePrefix) || text === undefined) continue;
    const setting = settings.find(({ path }) => variableOf(path) === variable);
    if (setting === undefined)
      throw unknownName(
        variable,
        settings.map(({ path }) => variableOf(path)),
      );
    const [first = "", second] = setting.path;
    const value = parsedText(setting.schema, text);
    given[first] = second === undefined ? value : { ...(given[first] as object | undefined), [second]: value };
  }
  return configOf(given, variableOf);
}

function withHints(given: unknown): unknown {
  if (!isFields(given)) return given;
  const own = Object.entries(given).filter(([, value]) => value !== undefined);
  const nested = own
    .filter(([name]) => name === "scratchpad")
    .flatMap(([, value]) => Object.entries(checkedHints(value)));
  const dotted = own
    .filter(([name]) => name.startsWith(hintPrefix))
    .map(([name, value]): [string, unknown] => [name.slice(hintPrefix.length), value]);
  if (nested.length + dotted.length === 0 && given["scratchpad"] === undefined) return given;
  const rest = own.filter(([name]) => name !== "scratchpad" && !name.startsWith(hintPrefix));
  const nudges = checkedHints(Object.fromEntries([...nested, ...dotted]));
  if (given["nudges"] === undefined) return Object.fromEntries([...rest, ["nudges", nudges]]);
  throw new TypeError("nudges and scratchpad are the same settings: leave one of them out");
}

/** The result is the hints as they were given: the defaults are filled in later. */
function checkedHints(value: unknown): object {
  checked(configSchema.properties["nudges"] as Schema, value, { path: ["scratchpad"], name: dotted });
  return value as object;
}

const hintPrefix = "scratchpad.";

const olderPath: readonly string[] = ["agents", "defaults", "claudeSdk", "scratchpad"];
const variablePrefix = "SESSION_SCRATCHPAD_";

/** The schema is checked to describe a {@link ScratchpadConfig}. */
function configOf(given: unknown, name: (path: readonly string[]) => string = dotted): ScratchpadConfig {
  return checked(configSchema, given, { path: [], name }) as ScratchpadConfig;
}

/** Where a value stands, and how that is said to whoever wrote it. */
interface SettingPlace {
  readonly path: readonly string[];
  readonly name: (path: readonly string[]) => string;
}

/** The result is the value with every default filled in. */
function checked(schema: Schema, value: unknown, { path, name }: SettingPlace): unknown {
  if (!("properties" in schema)) {
    const problem = value === undefined ? undefined : problemOf(schema, value);
    if (problem !== undefined) throw new TypeError(`${name(path)} must be ${problem}`);
    return value === undefined ? schema.default : value;
  }
  const given = value === undefined ? {} : value;
  if (!isFields(given)) throw new TypeError(`${name(path)} must be an object, not ${shown(given)}`);
  const known = Object.keys(schema.properties);
  const unknown = Object.keys(given).find((key) => !known.includes(key));
  if (unknown !== undefined)
    throw unknownName(
      name([...path, unknown]),
      known.map((key) => name([...path, key])),
    );
  return Object.fromEntries(
    Object.entries(schema.properties).map(([key, inner]) => [
      key,
      checked(inner, given[key], { path: [...path, key], name }),
    ]),
  );
}

/** What it must be instead; undefined when it is that. */
function problemOf(schema: ValueSchema, value: unknown): string | undefined {
  if ("enum" in schema) {
    if (schema.enum.some((one) => one === value)) return undefined;
    return `one of ${schema.enum.map(shown).join(", ")}, not ${shown(value)}: did you mean ${shown(nearest(String(value), schema.enum))}?`;
  }
  switch (schema.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : `true or false, not ${shown(value)}`;
    case "integer":
      if (Number.isSafeInteger(value) && (value as number) >= schema.minimum) return undefined;
      return `a whole number of at least ${schema.minimum}, not ${shown(value)}${nearestNumber(schema.minimum, value)}`;
  }
}

function nearestNumber(minimum: number, value: unknown): string {
  const number = Number(value);
  return Number.isFinite(number) ? `: did you mean ${Math.max(minimum, Math.round(number))}?` : "";
}

function unknownName(name: string, known: readonly string[]): TypeError {
  return new TypeError(`${name} is not a setting: did you mean ${nearest(name, known)}?`);
}

/** This has every setting with its path. */
const settings = settingsOf(configSchema, []);

function settingsOf(schema: Schema, path: readonly string[]): { path: readonly string[]; schema: ValueSchema }[] {
  if (!("properties" in schema)) return [{ path, schema }];
  return Object.entries(schema.properties).flatMap(([key, inner]) => settingsOf(inner, [...path, key]));
}

function dotted(path: readonly string[]): string {
  return path.length === 0 ? "configuration" : path.join(".");
}

function variableOf(path: readonly string[]): string {
  const words = path.map((name) => name.replace(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase());
  return variablePrefix + words.join("_");
}

/** What a variable's text stands for, or the text itself for the check to complain of. */
function parsedText(schema: ValueSchema, text: string): unknown {
  if ("enum" in schema) return text;
  switch (schema.type) {
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "integer":
      return /^-?\d+$/.test(text) ? Number(text) : text;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch (cause) {
    throw new TypeError(`configuration is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

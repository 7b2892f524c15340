import type { UnrecordedRefusalCode } from "./answer.ts";
import { contentUnitsMax, keyUnitsMax, refUnitsMax } from "./limits.ts";
import { quote, wellFormed } from "./text.ts";

/** Why a parameter cannot be taken. `whole` messages stand alone; the others follow `<action> rejected: `. */
export interface Problem {
  readonly code: UnrecordedRefusalCode;
  readonly message: string;
  readonly whole?: true;
}

export type Reading<Value> = { readonly value: Value } | { readonly problem: Problem };

/** One parameter from the outside. `name` is for the message. */
export type Read<Value> = (value: unknown, name: string) => Reading<Value>;

export const readContent: Read<string> = (value, name) => readText(value, name, contentUnitsMax);

/** An optional parameter: absent, or null as some models write it. */
export function optional<Value, Default>(read: Read<Value>, absent: Default): Read<Value | Default> {
  return (value, name) => (value === undefined || value === null ? { value: absent } : read(value, name));
}

export const readRef: Read<string> = (value, name) =>
  value === "" ? invalid(`${name} cannot be empty`) : readText(value, name, refUnitsMax);

/** Non-strings are dropped in silence. */
export const readRefs: Read<readonly string[]> = (value, name) => {
  if (!Array.isArray(value)) return invalid(`${name} must be an array of strings`);
  const items: string[] = [];
  for (const item of value) {
    if (typeof item !== "string") continue;
    const reading = readText(item, `an item of ${name}`, refUnitsMax);
    if ("problem" in reading) return reading;
    items.push(reading.value);
  }
  return { value: items };
};

export const readKey: Read<string> = (value, name) => {
  if (typeof value !== "string") return invalid(`${name} must be a string`);
  if (value === "") return invalidKey(`${name} cannot be empty`);
  if (!/^[A-Za-z0-9_-]+$/.test(value)) return invalidKey(`invalid ${name} ${quote(value)}: use [A-Za-z0-9_-]+`);
  return readName(value, name);
};

/** A section's name becomes a heading, so that it is free but for what would break a line. */
export const readName: Read<string> = (value, name) => {
  if (typeof value !== "string") return invalid(`${name} must be a string`);
  if (value.trim() === "") return invalidKey(`${name} cannot be empty`);
  if (/[\p{Control}\u2028\u2029]/u.test(value)) {
    return invalidKey(`invalid ${name} ${quote(value)}: use one line without control characters`);
  }
  if (value.length > keyUnitsMax) {
    return invalidKey(`invalid ${name} ${quote(value)}: use at most ${keyUnitsMax} characters`);
  }
  return value === "__proto__"
    ? invalidKey(`invalid ${name} "__proto__": it is reserved, use another`)
    : { value: wellFormed(value) };
};

export const readFlag: Read<boolean> = (value, name) =>
  typeof value === "boolean" ? { value } : invalid(`${name} must be true or false`);

export const readMinutes: Read<number> = (value, name) =>
  isDuration(value, Number.MAX_SAFE_INTEGER) ? { value } : invalid(`${name} must be a number above 0`);

/** In whole milliseconds, at least one, because that is what a time stamp can carry. */
export const readSeconds: Read<number> = (value, name) =>
  isDuration(value, leaseSecondsMax)
    ? { value: Math.max(1, Math.round(value * 1000)) / 1000 }
    : invalid(`${name} must be a number of seconds above 0 and at most ${leaseSecondsMax}`);

/** 100 years: the time at which a lease ends stays one that a date can hold. */
const leaseSecondsMax = 3_155_760_000;

function readText(value: unknown, name: string, unitsMax: number): Reading<string> {
  if (typeof value !== "string") return invalid(`${name} must be a string`);
  if (value.length <= unitsMax) return { value: wellFormed(value) };
  const message = `${name} is ${value.length} chars long, and at most ${unitsMax} are taken`;
  return { problem: { code: "too_large", message } };
}

function isDuration(value: unknown, max: number): value is number {
  return typeof value === "number" && value > 0 && value <= max;
}

function invalid(message: string): { readonly problem: Problem } {
  return { problem: { code: "invalid_argument", message } };
}

function invalidKey(message: string): { readonly problem: Problem } {
  return { problem: { code: "invalid_key", message, whole: true } };
}

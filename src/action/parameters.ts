/** This file reads the parameters of actions from the outside, each with its shape as JSON Schema. */
import { described, type JsonSchema } from "../event/json-schema.ts";
import { readOperation as readEditOperation, readVersion as readEventVersion } from "../event/read.ts";
import type { UnrecordedRefusalCode } from "./answer.ts";
import { contentUnitsMax, keyUnitsMax, refUnitsMax } from "./limits.ts";
import { quote, wellFormed } from "./text.ts";

/** A problem says why a parameter cannot be taken. `whole` messages stand alone; the others follow `<action> rejected: `. */
export interface Problem {
  readonly code: UnrecordedRefusalCode;
  readonly message: string;
  readonly whole?: true;
}

export type Reading<Value> = { readonly value: Value } | { readonly problem: Problem };

/** A reader parses one parameter that came from outside. `name` is for the message; `schema` says what shape is expected. */
export interface Read<Value> {
  (value: unknown, name: string): Reading<Value>;
  readonly schema: JsonSchema;
  /** It may be left out. */
  readonly isOptional?: true;
}

/** JSON Schema counts code points, of which a text has at most as many as code units. */
const contentSchema = { type: "string", maxLength: contentUnitsMax };
const refSchema = { type: "string", minLength: 1, maxLength: refUnitsMax };
const isReserved = { not: { const: "__proto__" } };

export const readContent: Read<string> = described(contentSchema, (value: unknown, name: string) =>
  readText(value, name, contentSchema.maxLength),
);

/** An optional parameter: absent, or null as some models write it. */
export function optional<Value, Default>(read: Read<Value>, absent: Default): Read<Value | Default> {
  const readOptional = (value: unknown, name: string) =>
    value === undefined || value === null ? { value: absent } : read(value, name);
  return Object.assign(readOptional, { schema: read.schema, isOptional: true } as const);
}

export const readOperation: Read<unknown> = described(readEditOperation.schema, (value: unknown) => ({ value }));

export const readRef: Read<string> = described(refSchema, (value: unknown, name: string) =>
  value === "" ? invalid(`${name} cannot be empty`) : readText(value, name, refSchema.maxLength),
);

/** Non-strings are dropped in silence; whoever keeps to the schema sends none. An empty text is one. */
const refsSchema = { type: "array", items: { type: "string", maxLength: refUnitsMax } };

export const readRefs: Read<readonly string[]> = described(refsSchema, (value: unknown, name: string) => {
  if (!Array.isArray(value)) return invalid(`${name} must be an array of strings`);
  const items: string[] = [];
  for (const item of value) {
    if (typeof item !== "string") continue;
    const reading = readText(item, `an item of ${name}`, refUnitsMax);
    if ("problem" in reading) return reading;
    items.push(reading.value);
  }
  return { value: items };
});

const keySchema = { type: "string", pattern: `^[A-Za-z0-9_-]{1,${keyUnitsMax}}$`, ...isReserved };

export const readKey: Read<string> = described(keySchema, (value: unknown, name: string) => {
  if (typeof value !== "string") return invalid(`${name} must be a string`);
  if (value === "") return invalidKey(`${name} cannot be empty`);
  if (!/^[A-Za-z0-9_-]+$/.test(value)) return invalidKey(`invalid ${name} ${quote(value)}: use [A-Za-z0-9_-]+`);
  return readName(value, name);
});

const nameSchema = {
  type: "string",
  pattern: `^(?=.*\\S)[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]{1,${keyUnitsMax}}$`,
  ...isReserved,
};

/** A section's name becomes a heading, so that it is free but for what would break a line. */
export const readName: Read<string> = described(nameSchema, (value: unknown, name: string) => {
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
});

export const readFlag: Read<boolean> = described({ type: "boolean" }, (value: unknown, name: string) =>
  typeof value === "boolean" ? { value } : invalid(`${name} must be true or false`),
);

/** False says no more than none. */
export const readTrue: Read<true | undefined> = optional(
  described({ type: "boolean" }, (value: unknown, name: string) => {
    const reading = readFlag(value, name);
    return "problem" in reading ? reading : { value: reading.value || undefined };
  }),
  undefined,
);

export const readVersion: Read<number> = described(readEventVersion.schema, (value: unknown, name: string) => {
  const version = readEventVersion(value);
  return version === undefined
    ? invalid(`${name} must be a version, a whole number of at least 0`)
    : { value: version };
});

const minutesSchema = { type: "number", exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER };

export const readMinutes: Read<number> = described(minutesSchema, (value: unknown, name: string) =>
  isDuration(value, minutesSchema.maximum)
    ? { value }
    : invalid(`${name} must be a number of minutes above 0 and at most ${minutesSchema.maximum}`),
);

/** 100 years: the time at which a lease ends stays one that a date can hold. */
const secondsSchema = { type: "number", exclusiveMinimum: 0, maximum: 3_155_760_000 };

/** In whole milliseconds, at least one, because that is what a time stamp can carry. */
export const readSeconds: Read<number> = described(secondsSchema, (value: unknown, name: string) =>
  isDuration(value, secondsSchema.maximum)
    ? { value: Math.max(1, Math.round(value * 1000)) / 1000 }
    : invalid(`${name} must be a number of seconds above 0 and at most ${secondsSchema.maximum}`),
);

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

/** This file reads the fields of events from the outside, each with its shape as JSON Schema. */
import type {
  EditOperation,
  ImportOrigin,
  Json,
  Origin,
  RecordedLimits,
  RecordedRefusalCode,
  Space,
  Version,
} from "./event.ts";
import { described, type JsonSchema, type ObjectSchema, objectSchema } from "./json-schema.ts";

/** One value of a payload from the outside: the value when its shape is that of `schema`, else undefined. */
export interface Read<Value> {
  (value: unknown): Value | undefined;
  readonly schema: JsonSchema;
}

export const readText: Read<string> = described({ type: "string" }, (value: unknown) =>
  typeof value === "string" ? value : undefined,
);

export const readFlag: Read<boolean> = described({ type: "boolean" }, (value: unknown) =>
  typeof value === "boolean" ? value : undefined,
);

export const readTrue: Read<true> = described({ const: true }, (value: unknown) =>
  value === true ? value : undefined,
);

/** Any JSON: whatever stands in a line was parsed from it. */
export const readJson: Read<Json> = described({}, (value: unknown) => value as Json | undefined);

export const readVersion: Read<Version> = described(
  { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
  (value: unknown) => (typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined),
);

/** A length of time in whatever unit its name says: finite and above zero. */
export const readDuration: Read<number> = described({ type: "number", exclusiveMinimum: 0 }, (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined,
);

const budgetNames = [
  "notes",
  "plan",
  "refs",
  "entry",
  "entriesTotal",
  "sections",
] as const satisfies readonly (keyof RecordedLimits)[];

/** The result has those budgets beside an event that can be understood. It is undefined if there are none. */
export function readLimits(value: unknown): RecordedLimits | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const given = value as { readonly [Name in keyof RecordedLimits]?: unknown };
  const read = budgetNames.flatMap((name) => {
    const limit = readVersion(given[name]);
    return limit === undefined ? [] : [[name, limit] as const];
  });
  return read.length === 0 ? undefined : Object.freeze(Object.fromEntries(read));
}

/** Where a text came from, as it stands beside an event: any word counts, a newer version may know more of them. */
export function readSource(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export const readTexts: Read<readonly string[]> = readArray(readText);
export const readVersions: Read<readonly Version[]> = readArray(readVersion);

export const readOperation: Read<EditOperation> = readOneOf("find_replace", "append", "prepend", "delete");
export const readSpace: Read<Space> = readOneOf("notes", "plan", "refs", "entries", "sections");
export const readRefusalCode: Read<RecordedRefusalCode> = readOneOf("over_budget", "not_found", "held", "rejected");

export const readOrigin: Read<Origin> = readObject<Origin>({
  session: required(readText),
  version: required(readVersion),
  hash: required(readText),
});

export const readImportOrigin: Read<ImportOrigin> = readObject<ImportOrigin>({
  client: required(readText),
  version: optional(readText),
  session: required(readText),
  bytes: required(readVersion),
  sha256: required(readText),
});

export interface Field<Value> {
  readonly read: Read<Value>;
  readonly optional: boolean;
}

/** Every field of an object, each marked as its type marks it. */
export type Fields<Value> = {
  readonly [Name in keyof Value]-?: Field<Exclude<Value[Name], undefined>> & {
    readonly optional: undefined extends Value[Name] ? true : false;
  };
};

export function required<Value>(read: Read<Value>): Field<Value> & { readonly optional: false } {
  return { read, optional: false };
}

export function optional<Value>(read: Read<Value>): Field<Value> & { readonly optional: true } {
  return { read, optional: true };
}

/** A frozen copy of the fields that are known; others are passed over. */
export function readObject<Value extends object>(fields: Fields<Value>): Read<Value> {
  const named = fields as Readonly<Record<string, Field<unknown>>>;
  return described(
    () => fieldsSchema(fields),
    (value: unknown) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      const copy: Record<string, unknown> = {};
      // A list that is made beforehand is made for every shape, and most processes meet few.
      for (const name of Object.keys(named)) {
        const { read, optional: isOptional } = named[name] as Field<unknown>;
        const field = (value as Record<string, unknown>)[name];
        if (isOptional && field === undefined) continue;
        const taken = read(field);
        if (taken === undefined) return undefined;
        copy[name] = taken;
      }
      return Object.freeze(copy) as Value;
    },
  );
}

/** The record has no prototype, so that a key such as `__proto__` is a key like any other. */
export function readRecord<Value>(read: Read<Value>): Read<Readonly<Record<string, Value>>> {
  return described(
    () => ({ type: "object", additionalProperties: read.schema }),
    (value: unknown) => {
      if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
      const record: Record<string, Value> = Object.create(null);
      for (const key of Object.keys(value)) {
        const item = read((value as Record<string, unknown>)[key]);
        if (item === undefined) return undefined;
        record[key] = item;
      }
      return Object.freeze(record);
    },
  );
}

/** `fields` are those of {@link Fields}. */
export function fieldsSchema(fields: object): ObjectSchema {
  const entries = Object.entries<Field<unknown>>(fields as Fields<Record<string, unknown>>);
  return objectSchema(
    Object.fromEntries(entries.map(([name, { read }]) => [name, read.schema])),
    entries.flatMap(([name, field]) => (field.optional ? [] : [name])),
  );
}

function readArray<Value>(read: Read<Value>): Read<readonly Value[]> {
  return described(
    () => ({ type: "array", items: read.schema }),
    (value: unknown) =>
      Array.isArray(value) && value.every((item) => read(item) !== undefined) ? Object.freeze([...value]) : undefined,
  );
}

function readOneOf<const Choice extends string>(...choices: readonly Choice[]): Read<Choice> {
  const known: ReadonlySet<unknown> = new Set(choices);
  return described({ type: "string", enum: choices }, (value: unknown) =>
    known.has(value) ? (value as Choice) : undefined,
  );
}

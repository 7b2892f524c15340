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

/** One field of a payload from the outside: its value when the shape is right, else undefined. */
export type Read<Value> = (value: unknown) => Value | undefined;

export const readText: Read<string> = (value) => (typeof value === "string" ? value : undefined);

export const readFlag: Read<boolean> = (value) => (typeof value === "boolean" ? value : undefined);

export const readTrue: Read<true> = (value) => (value === true ? value : undefined);

export const readJson: Read<Json> = (value) => value as Json | undefined;

export const readTexts: Read<readonly string[]> = (value) =>
  Array.isArray(value) && value.every((item) => typeof item === "string") ? Object.freeze([...value]) : undefined;

export const readVersion: Read<Version> = (value) =>
  typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;

export const readVersions: Read<readonly Version[]> = (value) =>
  Array.isArray(value) && value.every((item) => readVersion(item) !== undefined)
    ? Object.freeze([...value])
    : undefined;

/** A length of time in whatever unit its name says: finite and above zero. */
export const readDuration: Read<number> = (value) =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? value : undefined;

const budgetNames = [
  "notes",
  "plan",
  "refs",
  "entry",
  "entriesTotal",
  "sections",
] as const satisfies readonly (keyof RecordedLimits)[];

/** Of the budgets beside an event what can be understood; undefined where that is nothing. */
export const readLimits: Read<RecordedLimits> = (value) => {
  if (typeof value !== "object" || value === null) return undefined;
  const given = value as { readonly [Name in keyof RecordedLimits]?: unknown };
  const read = budgetNames.flatMap((name) => {
    const limit = readVersion(given[name]);
    return limit === undefined ? [] : [[name, limit] as const];
  });
  return read.length === 0 ? undefined : Object.freeze(Object.fromEntries(read));
};

/** Where a text came from, as it stands beside an event: any word counts, a newer version may know more of them. */
export const readSource: Read<string> = (value) => (typeof value === "string" && value !== "" ? value : undefined);

export const readOperation: Read<EditOperation> = (value) => {
  switch (value) {
    case "find_replace":
    case "prepend":
    case "append":
    case "delete":
      return value;
  }
  return undefined;
};

export const readSpace: Read<Space> = (value) => {
  switch (value) {
    case "notes":
    case "plan":
    case "refs":
    case "entries":
    case "sections":
      return value;
  }
  return undefined;
};

export const readRefusalCode: Read<RecordedRefusalCode> = (value) => {
  switch (value) {
    case "over_budget":
    case "not_found":
    case "held":
    case "rejected":
      return value;
  }
  return undefined;
};

export const readOrigin: Read<Origin> = (value) => {
  if (typeof value !== "object" || value === null) return undefined;
  const from = value as { readonly [Key in keyof Origin]?: unknown };
  const session = readText(from.session);
  const version = readVersion(from.version);
  const hash = readText(from.hash);
  if (session === undefined || version === undefined || hash === undefined) return undefined;
  return Object.freeze({ session, version, hash });
};

export const readImportOrigin: Read<ImportOrigin> = (value) => {
  if (typeof value !== "object" || value === null) return undefined;
  const from = value as { readonly [Key in keyof ImportOrigin]?: unknown };
  const client = readText(from.client);
  const session = readText(from.session);
  const bytes = readVersion(from.bytes);
  const sha256 = readText(from.sha256);
  if (client === undefined || session === undefined || bytes === undefined || sha256 === undefined) return undefined;
  if (from.version === undefined) return Object.freeze({ client, session, bytes, sha256 });
  const version = readText(from.version);
  return version === undefined ? undefined : Object.freeze({ client, version, session, bytes, sha256 });
};

/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers and strings as ECMAScript
 * prints them. Two parties that parse and print the same data hash the same text.
 */

/** Deeper data is refused on writing and unreadable in a commit: it protects every recursive reader. */
export const nestingMax = 64;

/**
 * Throws a RangeError beyond {@link nestingMax} levels, and a TypeError for what JSON cannot carry. `level` is the depth of the value in
 * the whole.
 */
export function canonicalJson(value: unknown, level = 0): string {
  return isPrintedInOrder(value, level) ? JSON.stringify(value) : inOrder(value, level);
}

/** JSON.stringify prints it as {@link canonicalJson} does: what this package makes is. */
function isPrintedInOrder(value: unknown, level: number): boolean {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null)
    return true;
  if (typeof value !== "object" || level >= nestingMax || "toJSON" in value) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (!isPrintedInOrder(item, level + 1)) return false;
    return true;
  }
  let before = "";
  for (const key of Object.keys(value)) {
    const field = (value as Record<string, unknown>)[key];
    if (key < before || (field !== undefined && !isPrintedInOrder(field, level + 1))) return false;
    before = key;
  }
  return true;
}

function inOrder(value: unknown, level: number): string {
  if (typeof value !== "object" || value === null) return scalarJson(value);
  if (level >= nestingMax) throw new RangeError(`nested deeper than ${nestingMax} levels`);
  let json = "";
  if (Array.isArray(value)) {
    for (const item of value) json += `${json === "" ? "" : ","}${inOrder(item ?? null, level + 1)}`;
    return `[${json}]`;
  }
  for (const key of sortedKeys(value)) {
    const field = (value as Record<string, unknown>)[key];
    if (field === undefined) continue;
    json += `${json === "" ? "" : ","}${JSON.stringify(key)}:${inOrder(field, level + 1)}`;
  }
  return `{${json}}`;
}

function scalarJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${typeof value} is not JSON`);
  return text;
}

/** Few keys take less time to be put in order one by one. */
const fewKeys = 16;

/** Most objects are made with their keys in order. */
function sortedKeys(value: object): string[] {
  const keys = Object.keys(value);
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index] as string;
    let place = index;
    for (; place > 0 && key < (keys[place - 1] as string); place--) {
      if (keys.length > fewKeys) return keys.sort();
      keys[place] = keys[place - 1] as string;
    }
    keys[place] = key;
  }
  return keys;
}

/**
 * The result is a copy whose keys stand in the order of {@link canonicalJson}, without those that are undefined. It throws as that does.
 */
export function sorted(value: unknown, level = 0): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (level >= nestingMax) throw new RangeError(`nested deeper than ${nestingMax} levels`);
  if (Array.isArray(value)) return value.map((item) => sorted(item, level + 1));
  const copy: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) {
    const field = (value as Record<string, unknown>)[key];
    if (field === undefined) continue;
    const of = sorted(field, level + 1);
    if (key !== "__proto__") copy[key] = of;
    else Object.defineProperty(copy, key, { value: of, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}

/** Ids, digests, times and names are made of these, and are printed as they are. */
const plainText = /^[\w:.-]*$/;

/** The result is the JSON of a text. */
export function textJson(text: string): string {
  return plainText.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** A value is too deep if it is nested deeper than {@link nestingMax} levels. */
export function isTooDeep(value: unknown, levels: number = nestingMax): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isTooDeep(item, levels - 1));
  for (const key in value) {
    if (isTooDeep((value as Record<string, unknown>)[key], levels - 1)) return true;
  }
  return false;
}

/** `JSON.parse` makes infinity of a number beyond the range of doubles, which has no canonical JSON. The value must not be too deep. */
export function isBeyondNumbers(value: unknown): boolean {
  if (typeof value === "number") return !Number.isFinite(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return value.some(isBeyondNumbers);
  for (const key in value) if (isBeyondNumbers((value as Record<string, unknown>)[key])) return true;
  return false;
}

/**
 * Makes printed JSON safe for readers that split lines on more than a line feed: C1 controls, U+2028 and U+2029 are
 * escaped. They can only stand inside strings, so the meaning stays the same.
 */
export function escapeSeparators(json: string): string {
  // Most texts are ASCII.
  if (Buffer.byteLength(json) === json.length) return json;
  return json.replace(
    /[\u0080-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

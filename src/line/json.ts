/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers and strings as ECMAScript
 * prints them. Two parties that parse and print the same data hash the same text.
 */

/** Deeper data is refused on writing and unreadable in a commit: it protects every recursive reader. */
export const nestingMax = 64;

/** Throws a RangeError beyond {@link nestingMax} levels, and a TypeError for what JSON cannot carry. */
export function canonicalJson(value: unknown, level = 0): string {
  const isNested = typeof value === "object" && value !== null;
  if (isNested && level >= nestingMax) throw new RangeError(`nested deeper than ${nestingMax} levels`);
  if (Array.isArray(value)) {
    return `[${value.map((item) => canonicalJson(item === undefined ? null : item, level + 1)).join(",")}]`;
  }
  if (isNested) {
    const fields: string[] = [];
    for (const key of Object.keys(value).sort()) {
      const field = (value as Record<string, unknown>)[key];
      if (field !== undefined) fields.push(`${JSON.stringify(key)}:${canonicalJson(field, level + 1)}`);
    }
    return `{${fields.join(",")}}`;
  }
  const text = JSON.stringify(value);
  if (text === undefined) throw new TypeError(`${typeof value} is not JSON`);
  return text;
}

/** Nested deeper than {@link nestingMax} levels. */
export function isTooDeep(value: unknown, levels: number = nestingMax): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  return Object.values(value).some((item) => isTooDeep(item, levels - 1));
}

/**
 * Makes printed JSON safe for readers that split lines on more than a line feed: C1 controls, U+2028 and U+2029 are
 * escaped. They can only stand inside strings, so the meaning stays the same.
 */
export function escapeSeparators(json: string): string {
  return json.replace(
    /[\u0080-\u009f\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

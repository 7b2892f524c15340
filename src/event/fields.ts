/** This file reads objects that others wrote: every field may be absent or of another type. */
export type Fields = Readonly<Record<string, unknown>>;

const none: Fields = Object.freeze({});

/** The result is the object, or an empty one if the value is none. */
export function fields(value: unknown): Fields {
  return isFields(value) ? value : none;
}

/** An array is none. */
export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

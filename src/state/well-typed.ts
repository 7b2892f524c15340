/** Folding is total: a caller without types may hand in as an event what is none. What comes from a journal was parsed. */
import { readDuration, readOperation } from "../event/read.ts";

export function isText(value: unknown): boolean {
  return typeof value === "string";
}

export function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

export function isTrueOrNone(value: unknown): boolean {
  return value === undefined || value === true;
}

/** `every` would pass over holes. */
export function areTexts(values: unknown): boolean {
  if (!Array.isArray(values)) return false;
  for (const value of values) if (typeof value !== "string") return false;
  return true;
}

export function isOperation(value: unknown): boolean {
  return readOperation(value) !== undefined;
}

export function isDurationOrNone(value: unknown): boolean {
  return value === undefined || readDuration(value) !== undefined;
}

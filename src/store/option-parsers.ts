/** What the options of a store must be, whichever backend has them. */
import { requireChoice, requireOption } from "../errors.ts";
import type { SealKey } from "../line/chain.ts";
import { isKeepable } from "./session-id.ts";

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

/** Of a session that is kept in a database or on a broker. */
export function keptId(value: unknown, name: string): string {
  const isRight = typeof value === "string" && isKeepable(value);
  return requireOption(isRight, value, name, "the id of a session, not empty, without NUL and half characters");
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

export function sealKey(value: unknown, name: string): SealKey {
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

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

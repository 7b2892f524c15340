import type { WrittenEvent } from "./commit.ts";

/** Turns an event of one schema into one of the next. The line that it came from stays as it is. */
export type Upcast = (event: WrittenEvent) => WrittenEvent;

/** The first release wrote this schema. */
const firstSchema = 1;

/** The first of them leads from the first schema to the second one, and so on. */
const upcasts: readonly Upcast[] = [];

/** The schema that is written: the `v` of a commit line. */
export const currentSchema = firstSchema + upcasts.length;

/** The result is the event in the newest schema. It is undefined if this version does not know schema `v`. */
export function upcast(v: number, event: WrittenEvent, steps = upcasts): WrittenEvent | undefined {
  if (!Number.isSafeInteger(v) || v < firstSchema || v > firstSchema + steps.length) return undefined;
  return steps.slice(v - firstSchema).reduce((older, step) => step(older), event);
}

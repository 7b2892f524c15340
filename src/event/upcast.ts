/** An event as it stands in a line: its type, its payload, and `actor`, `command`, `source` and `limits` beside them. */
export interface RawEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Turns an event of one schema into one of the next. The line that it came from stays as it is. */
export type Upcast = (event: RawEvent) => RawEvent;

/** The first release wrote this schema. */
const firstSchema = 1;

/** The first of them leads from the first schema to the second one, and so on. */
const upcasts: readonly Upcast[] = [];

/** The schema that is written: the `v` of a commit line. */
export const currentSchema = firstSchema + upcasts.length;

/** The result is the event in the newest schema. It is undefined if this version does not know schema `v`. */
export function upcast(v: number, event: RawEvent, steps = upcasts): RawEvent | undefined {
  if (!Number.isSafeInteger(v) || v < firstSchema || v > firstSchema + steps.length) return undefined;
  return steps.slice(v - firstSchema).reduce((older, step) => step(older), event);
}

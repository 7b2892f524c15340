/** An event as it stands in a line: its type, its payload, and `actor`, `command`, `source` and `limits` beside them. */
export interface RawEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** `upcasts[v]` turns an event of schema `v` into one of schema `v + 1`; the line it came from stays as it is. */
const upcasts: readonly ((event: RawEvent) => RawEvent)[] = [fromSchema0];

/** The schema that is written: the `v` of a commit line. */
export const currentSchema = upcasts.length;

/** The event in the current schema, or undefined when `v` is none that this version knows. */
export function upcast(v: number, event: RawEvent): RawEvent | undefined {
  if (v === currentSchema) return event;
  if (!Number.isSafeInteger(v) || v < 0 || v > currentSchema) return undefined;
  return upcasts.slice(v).reduce((older, step) => step(older), event);
}

/**
 * Schema 0 was never released. It stands for every schema to come, so that the way from an old line to a new event is
 * walked from the first release on: in it the text of `notes.set` was `content`, and the ref of `ref.added` was `value`.
 */
function fromSchema0(event: RawEvent): RawEvent {
  switch (event.type) {
    case "notes.set":
      return renamed(event, "content", "text");
    case "ref.added":
      return renamed(event, "value", "ref");
  }
  return event;
}

function renamed(event: RawEvent, from: string, to: string): RawEvent {
  const { [from]: value, ...rest } = event;
  return { ...rest, type: event.type, [to]: value };
}

import type { Json, ScratchpadEvent, UnknownEvent } from "./event.ts";
import { parseImage } from "./image.ts";
import { parseCommon } from "./parse-common.ts";
import * as read from "./read.ts";
import { type RawEvent, upcast } from "./upcast.ts";

type KnownEvent = Exclude<ScratchpadEvent, UnknownEvent>;
type KnownType = KnownEvent["type"];

interface Field<Value> {
  readonly read: read.Read<Value>;
  readonly optional: boolean;
}

/** Every field of an event but its type, each marked as the event's own type marks it. */
type Fields<Event> = {
  readonly [Name in Exclude<keyof Event, "type">]-?: Field<Exclude<Event[Name], undefined>> & {
    readonly optional: undefined extends Event[Name] ? true : false;
  };
};

const text = required(read.readText);
const version = required(read.readVersion);
const state = required(parseImage);
const dropped = optional(read.readText);
const ignored = optional(read.readTrue);

const fieldsOf: { readonly [Type in KnownType]: Fields<Extract<KnownEvent, { readonly type: Type }>> } = {
  "notes.set": { text, dropped, ignored },
  "notes.appended": { text },
  "notes.edited": {
    operation: required(read.readOperation),
    find: optional(read.readText),
    replace: optional(read.readText),
    all: optional(read.readFlag),
    text: optional(read.readText),
  },
  "plan.set": { text, dropped, ignored },
  "ref.added": { ref: text, evicted: optional(read.readText) },
  "ref.removed": { ref: text },
  "refs.set": { refs: required(read.readTexts), dropped: optional(read.readTexts), ignored },
  "entry.written": { key: text, text },
  "entry.deleted": { key: text },
  "lease.claimed": { key: text, holder: text, until: text },
  "lease.released": { key: text, holder: text },
  "section.written": { name: text, text, at: text, ttlMinutes: optional(read.readDuration) },
  "section.cleared": { name: text },
  "legacy.set": { text, dropped, ignored },
  "turn.began": { id: optional(read.readText) },
  "action.refused": { action: text, code: required(read.readRefusalCode), offered: required(read.readJson) },
  "state.restored": { to: version, state },
  "session.forked": { from: required(read.readOrigin), state },
  "session.imported": { from: required(read.readImportOrigin) },
};

type NamedField = Field<unknown> & { readonly name: string };

/** Not an object: `constructor` is no type of an event. */
const fieldsByType: ReadonlyMap<string, readonly NamedField[]> = new Map(
  Object.entries(fieldsOf).map(([type, fields]) => [
    type,
    Object.entries<Field<unknown>>(fields).map(([name, field]) => ({ name, ...field })),
  ]),
);

/** Every type of event that this version can read. */
export const eventTypes: readonly string[] = [...fieldsByType.keys()];

/**
 * The event of a line written under schema `v`. Total: a type, a schema or a payload that this version does not know
 * gives an {@link UnknownEvent} that keeps it whole. `actor` and `command` belong to the recording, not to the event.
 */
export function parseEvent(v: number, raw: RawEvent): ScratchpadEvent {
  const current = upcast(v, raw);
  return (current && (parseCommon(current) ?? parseKnown(current))) ?? unknownEvent(raw);
}

/** The inverse of {@link parseEvent} under the current schema: the event's type and payload as they stand in a line. */
export function encodeEvent(event: ScratchpadEvent): RawEvent {
  if (event.type !== "unknown") return event;
  return { ...(event.payload as { readonly [field: string]: Json }), type: event.name };
}

/** By the table of fields, whatever the type. Undefined: a type that it does not list, or a field of the wrong shape. */
export function parseKnown(raw: RawEvent): KnownEvent | undefined {
  const fields = fieldsByType.get(raw.type);
  if (fields === undefined) return undefined;
  const event: Record<string, unknown> = { type: raw.type };
  for (const { name, optional: isOptional, read: readField } of fields) {
    if (isOptional && raw[name] === undefined) continue;
    const value = readField(raw[name]);
    if (value === undefined) return undefined;
    event[name] = value;
  }
  return Object.freeze(event) as unknown as KnownEvent;
}

function unknownEvent({ type: name, actor: _actor, command: _command, ...payload }: RawEvent): UnknownEvent {
  return Object.freeze({ type: "unknown", name, payload: payload as Json });
}

function required<Value>(readValue: read.Read<Value>): Field<Value> & { readonly optional: false } {
  return { read: readValue, optional: false };
}

function optional<Value>(readValue: read.Read<Value>): Field<Value> & { readonly optional: true } {
  return { read: readValue, optional: true };
}

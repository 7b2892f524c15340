import type { WrittenEvent } from "./commit.ts";
import type { Json, ScratchpadEvent, UnknownEvent } from "./event.ts";
import { parseCommon } from "./parse-common.ts";
import type { Field } from "./read.ts";
import { eventTypes } from "./types.ts";
import { upcast } from "./upcast.ts";

type KnownEvent = Exclude<ScratchpadEvent, UnknownEvent>;

type NamedField = Field<unknown> & { readonly name: string };

/** Most types are not met in most processes: the fields of each are listed when they are asked for first. */
const fieldsByType = new Map<string, readonly NamedField[]>();

function fieldsOf(type: string): readonly NamedField[] | undefined {
  const known = fieldsByType.get(type);
  if (known !== undefined || !isReadable(type)) return known;
  const fields = Object.entries<Field<unknown>>(eventTypes[type].fields ?? {});
  const named = fields.map(([name, field]) => ({ name, ...field }));
  fieldsByType.set(type, named);
  return named;
}

/** `constructor` is not the type of an event. */
function isReadable(type: string): type is keyof typeof eventTypes {
  return Object.hasOwn(eventTypes, type) && eventTypes[type as keyof typeof eventTypes].fields !== null;
}

/** The result has every type of event that this version can read. */
export function readableTypes(): readonly string[] {
  return Object.keys(eventTypes).filter(isReadable);
}

/**
 * The result is the event of a line written under schema `v`. The function is total: a type, a schema or a payload that this
 * version does not know gives an {@link UnknownEvent} that keeps it whole. `actor`, `command`, `source`, `limits` and `markers`
 * belong to the recording, not to the event.
 */
export function parseEvent(v: number, raw: WrittenEvent): ScratchpadEvent {
  const current = upcast(v, raw);
  return (current && (parseCommon(current) ?? parseKnown(current))) ?? unknownEvent(raw);
}

/** The inverse of {@link parseEvent} under the current schema: the event's type and payload as they stand in a line. */
export function encodeEvent(event: ScratchpadEvent): WrittenEvent {
  if (event.type !== "unknown") return event;
  return { ...(event.payload as { readonly [field: string]: Json }), type: event.name };
}

/** The result is the type as it stands in the line, also if this version cannot read it. */
export function typeNameOf(event: ScratchpadEvent): string {
  return event.type === "unknown" ? event.name : event.type;
}

/**
 * The event is parsed by the table of fields, whatever its type is. The result is undefined for a type that the table does not list, and
 * for a field of the wrong shape.
 */
export function parseKnown(raw: WrittenEvent): KnownEvent | undefined {
  const fields = fieldsOf(raw.type);
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

function unknownEvent({ type: name, ...fields }: WrittenEvent): UnknownEvent {
  const { actor: _actor, command: _command, source: _source, limits: _limits, markers: _markers, ...payload } = fields;
  return Object.freeze({ type: "unknown", name, payload: payload as Json });
}

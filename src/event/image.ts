import type { Lease, Section, StateImage } from "./event.ts";
import { type Read, readDuration, readText, readTexts } from "./read.ts";

/**
 * A whole state from the outside: a frozen copy of its known fields, or undefined when the shape is wrong. The records
 * have no prototype, so that a key such as `__proto__` is a key like any other.
 */
export function parseImage(value: unknown): StateImage | undefined {
  if (!isObject(value)) return undefined;
  const notes = readText(value.notes);
  const plan = readText(value.plan);
  const refs = readTexts(value.refs);
  const entries = readRecord(value.entries, readText);
  const leases = readRecord(value.leases, readLease);
  const sections = readRecord(value.sections, readSection);
  if (notes === undefined || plan === undefined || refs === undefined) return undefined;
  if (entries === undefined || leases === undefined || sections === undefined) return undefined;
  return Object.freeze({ notes, plan, refs, entries, leases, sections });
}

function readRecord<Value>(value: unknown, read: Read<Value>): Readonly<Record<string, Value>> | undefined {
  if (!isObject(value)) return undefined;
  const record: Record<string, Value> = Object.create(null);
  for (const key of Object.keys(value)) {
    const item = read(value[key]);
    if (item === undefined) return undefined;
    record[key] = item;
  }
  return Object.freeze(record);
}

function readLease(value: unknown): Lease | undefined {
  if (!isObject(value)) return undefined;
  const holder = readText(value.holder);
  const until = readText(value.until);
  return holder === undefined || until === undefined ? undefined : Object.freeze({ holder, until });
}

function readSection(value: unknown): Section | undefined {
  if (!isObject(value)) return undefined;
  const text = readText(value.text);
  const at = readText(value.at);
  if (text === undefined || at === undefined) return undefined;
  if (value.ttlMinutes === undefined) return Object.freeze({ text, at });
  const ttlMinutes = readDuration(value.ttlMinutes);
  return ttlMinutes === undefined ? undefined : Object.freeze({ text, at, ttlMinutes });
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

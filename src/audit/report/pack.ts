/**
 * This file packs a history into few bytes: long texts become the numbers of their lines in one table of distinct lines. A
 * scratchpad is written as a whole again and again while most of its lines stay the same, so each line is stored once instead
 * of a thousand times.
 */
import type { Json, RecordedEvent } from "../../event/event.ts";

export interface PackedHistory {
  readonly lines: readonly string[];
  readonly events: readonly Json[];
}

/** Shorter texts without a line break stay as they are. The unit is UTF-16 code units. */
const packedUnitsMin = 16;

/** The field that marks a packed text; an object that has such a field itself is wrapped in one. */
const mark = "$";

export function packHistory(events: Iterable<RecordedEvent>): PackedHistory {
  const numbers = new Map<string, number>();
  const numberOf = (line: string): number => {
    const known = numbers.get(line);
    if (known !== undefined) return known;
    numbers.set(line, numbers.size);
    return numbers.size - 1;
  };
  const packText = (text: string): Json => {
    if (text.length < packedUnitsMin && !text.includes("\n")) return text;
    return { [mark]: text.split("\n").map(numberOf) };
  };
  const pack = (value: unknown): Json => {
    if (typeof value === "string") return packText(value);
    if (Array.isArray(value)) return value.map(pack);
    if (typeof value !== "object" || value === null) return value as Json;
    const packed = mapFields(value, pack);
    return Object.hasOwn(value, mark) ? { [mark]: packed } : packed;
  };
  const packedEvents = Array.from(events, pack);
  return { lines: [...numbers.keys()], events: packedEvents };
}

/** The history that was packed. */
export function unpackHistory({ lines, events }: PackedHistory): RecordedEvent[] {
  const unpack = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(unpack);
    if (typeof value !== "object" || value === null) return value;
    const marked: unknown = Object.hasOwn(value, mark) ? (value as Record<string, unknown>)[mark] : undefined;
    if (Array.isArray(marked)) return marked.map((number) => lines[number as number] ?? "").join("\n");
    return mapFields(typeof marked === "object" && marked !== null ? marked : value, unpack);
  };
  return events.map((event) => unpack(event) as RecordedEvent);
}

function mapFields<Result>(from: object, change: (value: unknown) => Result): Record<string, Result> {
  const mapped: Record<string, Result> = {};
  for (const field of Object.keys(from)) {
    const value: unknown = (from as Record<string, unknown>)[field];
    if (value === undefined) continue;
    const now = change(value);
    // Assigning would not keep such a field.
    if (field === "__proto__")
      Object.defineProperty(mapped, field, { value: now, enumerable: true, configurable: true, writable: true });
    else mapped[field] = now;
  }
  return mapped;
}

/**
 * What runtimes before us wrote: a space's whole value under its own custom type, or everything under the single key.
 * Each such line is one event, whatever its data; data of the wrong type changes nothing and is kept as ignored.
 */
import type { EventOf, ScratchpadEvent } from "../event/event.ts";
import type { JournalLine, MirroredSpace, MirroredValues, ValueKey } from "./format.ts";
import { isTooDeep } from "./json.ts";

type LegacyEvent = EventOf<"legacy.set">;

export type ValueLine = Extract<JournalLine, { kind: "value" }>;

export function valueEvent(line: ValueLine): ScratchpadEvent {
  const { data } = line;
  switch (line.key) {
    case "notes":
      return typeof data === "string"
        ? { type: "notes.set", text: data }
        : { type: "notes.set", text: printed(data), ignored: true };
    case "plan":
      return typeof data === "string"
        ? { type: "plan.set", text: data }
        : { type: "plan.set", text: printed(data), ignored: true };
    case "refs":
      return Array.isArray(data)
        ? { type: "refs.set", refs: stringsIn(data) }
        : { type: "refs.set", refs: [printed(data)], ignored: true };
    case "legacy":
      return typeof data === "string"
        ? { type: "legacy.set", text: data }
        : { type: "legacy.set", text: printed(data), ignored: true };
  }
}

/** A value of the single key changes nothing once notes were written in the newer format. */
export function settleLegacy(event: LegacyEvent, notesWritten: boolean): LegacyEvent {
  const { ignored: _, ...rest } = event;
  return notesWritten || event.ignored ? { ...rest, ignored: true } : rest;
}

/** An event has this of a value. Data that is too deep to be printed or compared everywhere is left to its line. */
export function eventDataOf(data: unknown): unknown {
  if (!isTooDeep(data)) return data;
  return Array.isArray(data) ? stringsIn(data) : undefined;
}

function stringsIn(items: readonly unknown[]): string[] {
  return items.filter((item) => typeof item === "string");
}

/** What is too deep to be printed everywhere is left to its line. */
function printed(data: unknown): string {
  return data === undefined || isTooDeep(data) ? "" : JSON.stringify(data);
}

/** The mode says which spaces are repeated for older runtimes, and under which custom types they stand. */
export type MirrorMode = boolean | "single-key";

/** The keys that a mirror mode keeps up to date, each with the space it repeats. */
export function mirroredKeys(mode: MirrorMode): readonly (readonly [ValueKey, MirroredSpace])[] {
  if (mode === false) return [];
  if (mode === "single-key") return [["legacy", "notes"]];
  return [
    ["notes", "notes"],
    ["plan", "plan"],
    ["refs", "refs"],
  ];
}

/** An older runtime finds this under a key: the last value line's data, or undefined if there is none. */
export type LastValues = Partial<Record<ValueKey, unknown>>;

/** None means empty. */
export function showsValue(last: LastValues, key: ValueKey, value: MirroredValues[MirroredSpace]): boolean {
  const data = key in last ? last[key] : typeof value === "string" ? "" : [];
  if (typeof value === "string") return data === value;
  return Array.isArray(data) && data.length === value.length && data.every((item, index) => item === value[index]);
}

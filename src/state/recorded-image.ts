/** This file writes recorded events into a checkpoint, and reads them back. */
import type { EventOrigin, RecordedEvent } from "../event/event.ts";
import { encodeEvent, parseEvent } from "../event/parse.ts";
import { readLimits, readSource, readText, readVersion } from "../event/read.ts";
import { currentSchema } from "../event/upcast.ts";
import { parseState } from "./image.ts";
import type { NewestTurn, TurnStart } from "./newest-turn.ts";

type Fields = { readonly [name: string]: unknown };

const origins: readonly unknown[] = ["journal", "host", "legacy"] satisfies EventOrigin[];

export function printableEvent(recorded: RecordedEvent): object {
  return { ...recorded, event: encodeEvent(recorded.event) };
}

/** The result is undefined if the value is no recorded event. */
export function readRecorded(value: unknown): RecordedEvent | undefined {
  const fields = fieldsOf(value);
  const raw = fieldsOf(fields?.["event"]);
  const type = readText(raw?.["type"]);
  const event = type === undefined ? undefined : parseEvent(currentSchema, { ...raw, type });
  const version = readVersion(fields?.["version"]);
  const turn = readVersion(fields?.["turn"]);
  const [at, actor] = [readText(fields?.["at"]), readText(fields?.["actor"])];
  const origin = fields?.["origin"];
  if (event === undefined || event.type === "unknown" || version === undefined || turn === undefined) return undefined;
  if (at === undefined || actor === undefined || !origins.includes(origin)) return undefined;
  const beside = {
    command: readText(fields?.["command"]),
    source: readSource(fields?.["source"]),
    limits: readLimits(fields?.["limits"]),
    commit: readText(fields?.["commit"]),
    entryId: readText(fields?.["entryId"]),
    offset: readVersion(fields?.["offset"]),
  };
  const given = Object.entries(beside).filter(([, part]) => part !== undefined);
  const recorded = { version, event, at, turn, actor, origin: origin as EventOrigin, ...Object.fromEntries(given) };
  return Object.freeze(recorded);
}

export function printableTurn({ turn, start, events }: NewestTurn): object {
  return { turn, start, events: events.map(printableEvent) };
}

/** The result is undefined if the value is no turn. What the turn holds is read from the log then. */
export function readTurn(value: unknown): NewestTurn | undefined {
  const fields = fieldsOf(value);
  const turn = readVersion(fields?.["turn"]);
  const start = readStart(fieldsOf(fields?.["start"]));
  const listed = fields?.["events"];
  const events = Array.isArray(listed) ? listed.map(readRecorded) : [];
  const areRead = events.length > 0 && events.every((recorded) => recorded !== undefined);
  return turn === undefined || start === undefined || !areRead ? undefined : { turn, start, events };
}

function readStart(fields: Fields | undefined): TurnStart | undefined {
  const version = readVersion(fields?.["version"]);
  const state = parseState(fields?.["state"]);
  if (version === undefined || state === undefined) return undefined;
  return { version, at: readText(fields?.["at"]), limits: readLimits(fields?.["limits"]), state };
}

function fieldsOf(value: unknown): Fields | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

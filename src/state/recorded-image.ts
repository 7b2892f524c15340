/** This file writes recorded events into a checkpoint, and reads them back. */
import type { EventOrigin, RecordedEvent } from "../event/event.ts";
import { type Fields, fields } from "../event/fields.ts";
import { encodeEvent, parseEvent } from "../event/parse.ts";
import { readLimits, readSource, readText, readVersion } from "../event/read.ts";
import { currentSchema } from "../event/upcast.ts";
import { parseState } from "./image.ts";
import type { NewestTurn, TurnStart } from "./newest-turn.ts";

const origins: readonly unknown[] = ["journal", "host", "legacy"] satisfies EventOrigin[];

export function printableEvent(recorded: RecordedEvent): object {
  return { ...recorded, event: encodeEvent(recorded.event) };
}

/** The result is undefined if the value is no recorded event. */
export function readRecorded(value: unknown): RecordedEvent | undefined {
  const recorded = fields(value);
  const raw = fields(recorded["event"]);
  const type = readText(raw["type"]);
  const event = type === undefined ? undefined : parseEvent(currentSchema, { ...raw, type });
  const version = readVersion(recorded["version"]);
  const turn = readVersion(recorded["turn"]);
  const [at, actor] = [readText(recorded["at"]), readText(recorded["actor"])];
  const origin = recorded["origin"];
  if (event === undefined || event.type === "unknown" || version === undefined || turn === undefined) return undefined;
  if (at === undefined || actor === undefined || !origins.includes(origin)) return undefined;
  const beside = {
    command: readText(recorded["command"]),
    source: readSource(recorded["source"]),
    limits: readLimits(recorded["limits"]),
    commit: readText(recorded["commit"]),
    entryId: readText(recorded["entryId"]),
    offset: readVersion(recorded["offset"]),
  };
  const given = Object.entries(beside).filter(([, part]) => part !== undefined);
  return Object.freeze({
    version,
    event,
    at,
    turn,
    actor,
    origin: origin as EventOrigin,
    ...Object.fromEntries(given),
  });
}

export function printableTurn({ turn, start, events }: NewestTurn): object {
  return { turn, start, events: events.map(printableEvent) };
}

/** The result is undefined if the value is no turn. What the turn holds is read from the log then. */
export function readTurn(value: unknown): NewestTurn | undefined {
  const image = fields(value);
  const turn = readVersion(image["turn"]);
  const start = readStart(fields(image["start"]));
  const listed = image["events"];
  const events = Array.isArray(listed) ? listed.map(readRecorded) : [];
  const areRead = events.length > 0 && events.every((recorded) => recorded !== undefined);
  return turn === undefined || start === undefined || !areRead ? undefined : { turn, start, events };
}

function readStart(start: Fields): TurnStart | undefined {
  const version = readVersion(start["version"]);
  const state = parseState(start["state"]);
  if (version === undefined || state === undefined) return undefined;
  return { version, at: readText(start["at"]), limits: readLimits(start["limits"]), state };
}

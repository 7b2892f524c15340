/** Folding is total: a caller without types may hand in as an event what is none. What comes from a journal was parsed. */
import type { ScratchpadEvent } from "../event/event.ts";
import { readDuration, readOperation } from "../event/read.ts";

/** What folding takes of the event has the type that the event says. */
export function isSound(event: ScratchpadEvent): boolean {
  if (typeof event !== "object" || event === null) return false;
  switch (event.type) {
    case "notes.set":
    case "plan.set":
    case "legacy.set":
      return isText(event.text) && isTrueOrNone(event.ignored);
    case "notes.appended":
      return isText(event.text);
    case "notes.edited":
      return (
        readOperation(event.operation) !== undefined && [event.find, event.replace, event.text].every(isTextOrNone)
      );
    case "ref.added":
      return isText(event.ref) && isTextOrNone(event.evicted);
    case "ref.removed":
      return isText(event.ref);
    case "refs.set":
      return areTexts(event.refs) && isTrueOrNone(event.ignored);
    case "entry.written":
      return isText(event.key) && isText(event.text);
    case "entry.deleted":
    case "lease.released":
      return isText(event.key);
    case "lease.claimed":
      return isText(event.key) && isText(event.holder) && isText(event.until);
    case "section.written":
      return isText(event.name) && isText(event.text) && isText(event.at) && isDurationOrNone(event.ttlMinutes);
    case "section.cleared":
      return isText(event.name);
    case "state.restored":
    case "session.forked":
    case "session.imported":
    case "turn.began":
    case "action.refused":
    case "unknown":
      return true;
  }
  event satisfies never;
  return false;
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

/** `every` would pass over holes. */
function areTexts(values: unknown): boolean {
  if (!Array.isArray(values)) return false;
  for (const value of values) if (typeof value !== "string") return false;
  return true;
}

function isTrueOrNone(value: unknown): boolean {
  return value === undefined || value === true;
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === "string";
}

function isDurationOrNone(value: unknown): boolean {
  return value === undefined || readDuration(value) !== undefined;
}

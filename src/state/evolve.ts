import type { ScratchpadEvent } from "../event/event.ts";
import { editedNotes } from "./edit.ts";
import { parseState } from "./image.ts";
import { isSound } from "./sound.ts";
import type { ScratchpadState } from "./state.ts";

type Records = Pick<ScratchpadState, "entries" | "leases" | "sections">;

/**
 * The state after one more event. Pure, total, never throws, and knows no limits: the event carries the outcome of the
 * budget. The result is deeply frozen and shares with `state` whatever the event left alone: all of it, where that is no
 * event.
 */
export function evolve(state: ScratchpadState, event: ScratchpadEvent): ScratchpadState {
  if (!isSound(event)) return state;
  switch (event.type) {
    case "notes.set":
    case "legacy.set":
      return event.ignored ? state : changed(state, { notes: event.text });
    case "notes.appended":
      return changed(state, { notes: editedNotes(state.notes, { operation: "append", text: event.text }) });
    case "notes.edited":
      return changed(state, { notes: editedNotes(state.notes, event) });
    case "plan.set":
      return event.ignored ? state : changed(state, { plan: event.text });
    case "ref.added":
      return withRefs(state, [...(event.evicted === undefined ? state.refs : state.refs.slice(1)), event.ref]);
    case "ref.removed":
      return withoutRef(state, event.ref);
    case "refs.set":
      return event.ignored ? state : withRefs(state, [...event.refs]);
    case "entry.written":
      return withItem(state, "entries", event.key, event.text);
    case "entry.deleted":
      // A lease guards an entry: it goes with it.
      return withoutItem(withoutItem(state, "entries", event.key), "leases", event.key);
    case "lease.claimed":
      return withItem(state, "leases", event.key, Object.freeze({ holder: event.holder, until: event.until }));
    case "lease.released":
      return withoutItem(state, "leases", event.key);
    case "section.written": {
      const { text, at, ttlMinutes } = event;
      const section = ttlMinutes === undefined ? { text, at } : { text, at, ttlMinutes };
      return withItem(state, "sections", event.name, Object.freeze(section));
    }
    case "section.cleared":
      return withoutItem(state, "sections", event.name);
    case "state.restored":
    case "session.forked":
      return parseState(event.state) ?? state;
    case "turn.began":
    case "session.imported":
    case "action.refused":
    case "unknown":
      return state;
  }
  // Only a caller without types gets here.
  event satisfies never;
  return state;
}

function changed(state: ScratchpadState, change: Partial<ScratchpadState>): ScratchpadState {
  const { notes, plan, refs, entries, leases, sections } = state;
  return Object.freeze({
    notes: change.notes ?? notes,
    plan: change.plan ?? plan,
    refs: change.refs ?? refs,
    entries: change.entries ?? entries,
    leases: change.leases ?? leases,
    sections: change.sections ?? sections,
  });
}

function withRefs(state: ScratchpadState, refs: string[]): ScratchpadState {
  return changed(state, { refs: Object.freeze(refs) });
}

function withoutRef(state: ScratchpadState, ref: string): ScratchpadState {
  const index = state.refs.indexOf(ref);
  return index === -1 ? state : withRefs(state, state.refs.toSpliced(index, 1));
}

function withItem<Space extends keyof Records>(
  state: ScratchpadState,
  space: Space,
  key: string,
  item: Records[Space][string],
): ScratchpadState {
  const items = copyOf(state[space]);
  items[key] = item;
  return changed(state, { [space]: Object.freeze(items) });
}

function withoutItem(state: ScratchpadState, space: keyof Records, key: string): ScratchpadState {
  if (!Object.hasOwn(state[space], key)) return state;
  const items = copyOf(state[space]);
  delete items[key];
  return changed(state, { [space]: Object.freeze(items) });
}

/** Without a prototype, so that setting the key `__proto__` sets a key. */
function copyOf(record: Records[keyof Records]): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(record)) copy[key] = record[key];
  return copy;
}

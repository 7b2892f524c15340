import type { ScratchpadEvent } from "../event/event.ts";
import type { ParsedAction } from "./actions.ts";
import { editAction } from "./edit.ts";
import { couldGiveLegacy } from "./legacy.ts";
import { parseAction } from "./parse.ts";

/**
 * The action that an event came from, read back from the event alone; `at` is the time of its commit. Undefined for what
 * no action makes. A repeated command is known by it.
 */
export function actionOf(event: ScratchpadEvent, at: string): ParsedAction | undefined {
  switch (event.type) {
    case "notes.set":
      return { action: "set_notes", content: event.text + (event.dropped ?? "") };
    case "notes.appended":
      return { action: "append_notes", content: event.text };
    case "notes.edited":
      return editAction(event);
    case "plan.set":
      return { action: "set_plan", content: event.text + (event.dropped ?? "") };
    case "ref.added":
      return { action: "refs.add", ref: event.ref };
    case "ref.removed":
      return { action: "refs.remove", ref: event.ref };
    case "refs.set":
      return { action: "refs.set", items: [...event.refs, ...(event.dropped ?? [])] };
    case "entry.written":
      return { action: "entries.write", key: event.key, content: event.text };
    case "entry.deleted":
      return { action: "entries.delete", key: event.key };
    case "lease.claimed":
      return { action: "entries.claim", key: event.key, ttlSeconds: (Date.parse(event.until) - Date.parse(at)) / 1000 };
    case "lease.released":
      return { action: "entries.release", key: event.key };
    case "section.written": {
      const { name, text: content, ttlMinutes } = event;
      return { action: "sections.write", name, content, ...(ttlMinutes !== undefined && { ttlMinutes }) };
    }
    case "section.cleared":
      return { action: "sections.clear", name: event.name };
    case "action.refused":
      return refusedAction(event);
    case "state.restored":
      return { action: "restore", to: event.to };
    case "legacy.set":
    case "turn.began":
    case "session.forked":
    case "session.imported":
    case "unknown":
      return undefined;
  }
}

/** Whether deciding `action` could have given this event: what tells a repeated command from a reused one. */
export function sameAction(action: unknown, event: ScratchpadEvent, at: string): boolean {
  const asked = parseAction(action, "allowed");
  if (event.type === "legacy.set") return "action" in asked && couldGiveLegacy(asked.action, event);
  const recorded = actionOf(event, at);
  return "action" in asked && recorded !== undefined && canonical(asked.action) === canonical(recorded);
}

function refusedAction(event: Extract<ScratchpadEvent, { readonly type: "action.refused" }>): ParsedAction | undefined {
  const offered = typeof event.offered === "object" ? event.offered : {};
  const parsed = parseAction({ ...offered, action: event.action }, "allowed");
  return "action" in parsed ? parsed.action : undefined;
}

/** Parsed actions are flat, so that their fields in order say everything. */
function canonical(action: ParsedAction): string {
  return JSON.stringify(Object.entries(action).sort(([a], [b]) => (a < b ? -1 : 1)));
}

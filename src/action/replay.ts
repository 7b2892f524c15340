import type { EventOf, ScratchpadEvent, Version } from "../event/event.ts";
import { type Asked, typeOf } from "../event/types.ts";
import type { ParsedAction } from "./actions.ts";
import { couldGiveLegacy } from "./legacy.ts";
import { parseAction } from "./parse.ts";
import { type Dedupe, distinctRefs, refForm } from "./ref-form.ts";

/**
 * The action that an event came from is read back from the event alone; `at` is the time of its commit. The result is undefined for an
 * event that no action makes. A repeated command is known by it.
 */
export function actionOf(event: ScratchpadEvent, at: string): ParsedAction | undefined {
  if (event.type === "action.refused") return refusedAction(event);
  const { action, asked } = typeOf(event);
  return action === null ? undefined : ({ action, ...asked?.(event, at) } as Asked);
}

/** The version that a restore came back to, or would have, had it not been refused. */
export function restoredBy(event: ScratchpadEvent): Version | undefined {
  if (event.type === "state.restored") return event.to;
  if (event.type !== "action.refused" || event.action !== "restore") return undefined;
  const { to } = event.offered as { readonly to?: unknown };
  return typeof to === "number" ? to : undefined;
}

/** The result says whether deciding `action` could have given this event. A repeated command is told from a reused one by it. */
export function sameAction(action: unknown, event: ScratchpadEvent, at: string, dedupe?: Dedupe): boolean {
  const asked = parseAction(action, "allowed");
  if (event.type === "legacy.set") return "action" in asked && couldGiveLegacy(asked.action, event);
  const recorded = actionOf(event, at);
  return "action" in asked && recorded !== undefined && canonical(asked.action, dedupe) === canonical(recorded, dedupe);
}

function refusedAction(event: EventOf<"action.refused">): ParsedAction | undefined {
  const offered = typeof event.offered === "object" ? event.offered : {};
  const parsed = parseAction({ ...offered, action: event.action }, "allowed");
  return "action" in parsed ? parsed.action : undefined;
}

/** Parsed actions are flat, so that their fields in order say everything. */
function canonical(action: ParsedAction, dedupe: Dedupe | undefined): string {
  return JSON.stringify(Object.entries(withRefForms(action, dedupe)).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The result is the action with its refs in the form that they are compared in. */
function withRefForms(action: ParsedAction, dedupe: Dedupe | undefined): ParsedAction {
  if (dedupe === undefined) return action;
  switch (action.action) {
    case "refs.add":
    case "refs.remove":
      return { ...action, ref: refForm(action.ref, dedupe) };
    case "refs.set":
      return { ...action, items: distinctRefs(action.items, dedupe).map((ref) => refForm(ref, dedupe)) };
  }
  return action;
}

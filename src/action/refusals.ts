import type { EventOf } from "../event/event.ts";
import { editedLength } from "../state/edit.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { ParsedAction } from "./actions.ts";
import type { AnswerContext } from "./answer.ts";
import { notesEdit } from "./edit.ts";
import { leaseAt } from "./lease.ts";
import { measureOf } from "./measures.ts";
import { actionOf } from "./replay.ts";
import { byteCount, quote } from "./text.ts";

export type RefusedEvent = EventOf<"action.refused">;

/** The result says why an action was refused and what to do about it, without use against budget. */
export function refusalReason(event: RefusedEvent, before: ScratchpadState, context: AnswerContext): string {
  const action = actionOf(event, context.at);
  return action === undefined ? event.code : reasonOf(event, action, before, context);
}

function reasonOf(event: RefusedEvent, action: ParsedAction, before: ScratchpadState, context: AnswerContext): string {
  switch (event.code) {
    case "over_budget":
      return overBudget(action, before, context);
    case "not_found":
      return notFound(action);
    case "held":
      return held(action, before, context.at);
    case "rejected":
      return "it failed, or a person refused it";
  }
}

/** Only some actions have more to say than that. */
function overBudget(action: ParsedAction, before: ScratchpadState, { limits, measure }: AnswerContext): string {
  switch (action.action) {
    case "append_notes":
    case "edit_notes": {
      const edit = action.action === "edit_notes" ? notesEdit(action) : appendOf(action.content);
      const size = measureOf("notes", measure) === undefined ? ` with ${editedLength(before.notes, edit)} chars` : "";
      return `notes would be over budget${size}, use set_notes to replace them with a summary`;
    }
    case "entries.write": {
      const own = measureOf("entries", measure);
      const used = (own ?? byteCount)(action.content);
      const unit = own === undefined ? "bytes" : "units";
      return used > limits.entry
        ? `entry ${quote(action.key)} would be over its budget (${used}/${limits.entry} ${unit}), shorten it`
        : `all entries together would be over budget (${used} ${unit} offered), delete or shorten some`;
    }
    case "sections.write":
      return measureOf("sections", measure) === undefined
        ? "there would be too many sections, clear one first"
        : "all sections together would be over budget, clear or shorten some";
    case "refs.add":
      return "the budget has no room for a ref";
    case "restore":
      return `v${action.to} is over the budget of today, raise the limits to have it back`;
  }
  return "it would be over budget";
}

function notFound(action: ParsedAction): string {
  switch (action.action) {
    case "edit_notes": {
      const sought = "find" in action ? action.find : action.content;
      return `${quote(sought)} not found in notes, give the exact text to find`;
    }
    case "refs.remove":
      return `ref ${quote(action.ref)} not found`;
    case "entries.delete":
      return `entry ${quote(action.key)} not found`;
    case "entries.release":
      return `lease on entry ${quote(action.key)} not found`;
    case "sections.clear":
      return `section ${quote(action.name)} not found`;
    case "restore":
      return `v${action.to} not found`;
  }
  return "not found";
}

function held(action: ParsedAction, before: ScratchpadState, at: string): string {
  const key = "key" in action ? action.key : "";
  const lease = leaseAt(before, key, at) ?? own(before.leases, key);
  if (lease === undefined) return `entry ${quote(key)} is held by another`;
  const secondsLeft = Math.ceil((Date.parse(lease.until) - Date.parse(at)) / 1000);
  return `entry ${quote(key)} is held by ${quote(lease.holder)} until ${lease.until}, ${secondsLeft} s left`;
}

function appendOf(text: string) {
  return { operation: "append", text } as const;
}

/** WHAT WAS ASKED. Actions are imperative, and come from a model, a host or a person: see `parse.ts` for the border. */
import type { Version } from "../event/event.ts";

export type Action =
  | { readonly action: "set_notes"; readonly content: string }
  | { readonly action: "append_notes"; readonly content: string }
  | EditNotes
  | { readonly action: "set_plan"; readonly content: string }
  | { readonly action: "refs.add"; readonly ref: string }
  | { readonly action: "refs.remove"; readonly ref: string }
  | { readonly action: "refs.set"; readonly items: readonly string[] }
  | { readonly action: "entries.write"; readonly key: string; readonly content: string }
  | { readonly action: "entries.delete"; readonly key: string }
  /** `ttlSeconds` is {@link leaseSeconds} when absent, and counts in whole milliseconds. */
  | { readonly action: "entries.claim"; readonly key: string; readonly ttlSeconds?: number }
  | { readonly action: "entries.release"; readonly key: string }
  | {
      readonly action: "sections.write";
      readonly name: string;
      readonly content: string;
      readonly ttlMinutes?: number;
    }
  | { readonly action: "sections.clear"; readonly name: string };

export type EditNotes = { readonly action: "edit_notes" } & (
  | {
      readonly operation: "find_replace";
      readonly find: string;
      readonly replace: string;
      /** Every match, not only the first. */
      readonly replace_all?: boolean;
    }
  | { readonly operation: "prepend" | "append"; readonly content: string }
  /** Takes out the first match. */
  | { readonly operation: "delete"; readonly content: string }
  | { readonly operation: "delete"; readonly find: string }
);

export type ActionName = Action["action"];

/** The journal's own: a state comes back whole. It is understood only where `stateAt` is given, so no model can ask for it. */
export interface RestoreAction {
  readonly action: "restore";
  readonly to: Version;
}

/** How long a lease lasts when the claim does not say. */
export const leaseSeconds = 300;

/** An action after the border: well-formed texts, nothing that its operation does not use, every default filled in. */
export type ParsedAction = Exclude<Action, { action: "entries.claim" }> | ClaimAction | RestoreAction;

type ClaimAction = Required<Extract<Action, { action: "entries.claim" }>>;

/** The space whose budget an answer speaks of; null where an action has none or is unknown. */
export type Space = "notes" | "plan" | "refs" | "entries" | "sections";

const spaces: { readonly [Name in ActionName]: Space } = {
  set_notes: "notes",
  append_notes: "notes",
  edit_notes: "notes",
  set_plan: "plan",
  "refs.add": "refs",
  "refs.remove": "refs",
  "refs.set": "refs",
  "entries.write": "entries",
  "entries.delete": "entries",
  "entries.claim": "entries",
  "entries.release": "entries",
  "sections.write": "sections",
  "sections.clear": "sections",
};

export const actionNames: readonly ActionName[] = Object.keys(spaces) as ActionName[];

export function isActionName(name: string): name is ActionName {
  return Object.hasOwn(spaces, name);
}

export function spaceOf(name: string): Space | null {
  return isActionName(name) ? spaces[name] : null;
}

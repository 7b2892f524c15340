/** An action is what was asked for. Actions are imperative, and come from a model, a host or a person: see `parse.ts` for the border. */
import type { EditOperation, Space, Version } from "../event/event.ts";
import { spacesOfActions } from "../event/types.ts";
import * as read from "./parameters.ts";

export type { Space } from "../event/event.ts";

/** An action is what a caller asks of a journal. `action` names it, and the other fields are its parameters. */
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
  /** `ttlSeconds` is 300 when it is absent, and counts in whole milliseconds. */
  | { readonly action: "entries.claim"; readonly key: string; readonly ttlSeconds?: number }
  | { readonly action: "entries.release"; readonly key: string }
  | {
      readonly action: "sections.write";
      readonly name: string;
      readonly content: string;
      readonly ttlMinutes?: number;
    }
  | { readonly action: "sections.clear"; readonly name: string };

/** This is the action that edits notes in place. */
export type EditNotes = { readonly action: "edit_notes" } & (
  | {
      readonly operation: "find_replace";
      readonly find: string;
      readonly replace: string;
      /** With true, every match is replaced; the default is the first one only. */
      readonly replace_all?: boolean;
    }
  | { readonly operation: "prepend" | "append"; readonly content: string }
  /** Takes out the first match. */
  | { readonly operation: "delete"; readonly content: string }
  | { readonly operation: "delete"; readonly find: string }
);

/** This is the name of an action. */
export type ActionName = Action["action"];

/** The journal's own: a state comes back whole. It is understood only where `stateAt` is given, so no model can ask for it. */
export interface RestoreAction {
  readonly action: "restore";
  readonly to: Version;
}

/** How long a lease lasts when the claim does not say. */
const leaseSeconds = 300;

/** An action after the border: well-formed texts, nothing that its operation does not use, every default filled in. */
export type ParsedAction = Exclude<Action, { action: "entries.claim" }> | ClaimAction | RestoreAction;

type ClaimAction = Required<Extract<Action, { action: "entries.claim" }>>;

/** How one parameter of each name is read from the outside. */
export type Parameters = { readonly [name: string]: read.Read<unknown> };

const content = read.readContent;
const key = read.readKey;
const name = read.readName;

/** This table has the parameters of each action. Which of them `edit_notes` takes depends on its operation: see `parse.ts`. */
export const parametersOf = {
  set_notes: { content },
  append_notes: { content },
  edit_notes: {
    operation: read.readOperation,
    content,
    find: content,
    replace: content,
    replace_all: read.readFlag,
  },
  set_plan: { content },
  "refs.add": { ref: read.readRef },
  "refs.remove": { ref: read.readRef },
  "refs.set": { items: read.readRefs },
  "entries.write": { key, content },
  "entries.delete": { key },
  "entries.claim": { key, ttlSeconds: read.optional(read.readSeconds, leaseSeconds) },
  "entries.release": { key },
  "sections.write": { name, content, ttlMinutes: read.optional(read.readMinutes, undefined) },
  "sections.clear": { name },
} satisfies { readonly [Name in ActionName]: Parameters };

/** Each operation of `edit_notes` takes one of these sets of parameters. What is left out is read all the same: see `parse.ts`. */
export const editParametersOf: { readonly [Operation in EditOperation]: readonly Parameters[] } = {
  find_replace: [{ find: content, replace: content, replace_all: read.optional(read.readFlag, false) }],
  prepend: [{ content }],
  append: [{ content }],
  delete: [{ content }, { find: content }],
};

export const actionNames: readonly ActionName[] = Object.keys(parametersOf) as ActionName[];

export function isActionName(asked: string): asked is ActionName {
  return Object.hasOwn(parametersOf, asked);
}

/** The space whose budget an answer speaks of; null where an action is unknown or has none. */
export function spaceOf(asked: string): Space | null {
  const spaces: { readonly [Name in ActionName]: Space } = spacesOfActions();
  return isActionName(asked) ? spaces[asked] : null;
}

/**
 * This file has the actions as methods, in a group for each space. Each takes the options of `apply` last, and answers as it
 * does.
 */
import type { Action, EditNotes } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import { given, requireOptions } from "../options.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import { type ApplyOptions, applyOptionNames } from "./options.ts";

type Apply = (action: Action, options?: ApplyOptions) => Promise<Answer>;

/** These are the parameters of `edit_notes`. */
export type NotesEdit = EditNotes extends infer Member
  ? Member extends unknown
    ? Omit<Member, "action">
    : never
  : never;

/** These are the actions on notes as methods. */
export interface NotesMethods {
  /** Replaces the notes. What exceeds the budget is cut off at the end, and the answer has a warning. */
  set(content: string, options?: ApplyOptions): Promise<Answer>;
  /** Adds a line below the notes. Notes that would exceed their budget stay as they are, and the answer is a refusal. */
  append(content: string, options?: ApplyOptions): Promise<Answer>;
  /** Changes a part of the notes: it replaces, adds or deletes a text. A text that is not there is refused. */
  edit(edit: NotesEdit, options?: ApplyOptions): Promise<Answer>;
}

/** These are the actions on the plan as methods. */
export interface PlanMethods {
  /** Replaces the plan. What exceeds the budget is cut off at the end, and the answer has a warning. */
  set(content: string, options?: ApplyOptions): Promise<Answer>;
}

/** These are the actions on references as methods. */
export interface RefsMethods {
  /** Adds a reference behind the others. If the list is full, the oldest one is removed. */
  add(ref: string, options?: ApplyOptions): Promise<Answer>;
  /** Removes the first exact match. */
  remove(ref: string, options?: ApplyOptions): Promise<Answer>;
  /** Replaces the whole list. What exceeds the budget is left out, and the answer has a warning. */
  set(items: readonly string[], options?: ApplyOptions): Promise<Answer>;
}

/** These are the actions on entries as methods. */
export interface EntriesMethods {
  /**
   * Writes an entry, whether there is one under this key or not. A key has 1 to 128 of `A-Z`, `a-z`, `0-9`, `_` and `-`.
   */
  write(key: string, content: string, options?: ApplyOptions): Promise<Answer>;
  /** Answers the text of an entry as last read, or undefined where there is none. */
  read(key: string): string | undefined;
  /** Answers the keys as last read, sorted. */
  list(): string[];
  /** Removes an entry. It is refused if there is none, or if somebody else holds its lease. */
  delete(key: string, options?: ApplyOptions): Promise<Answer>;
  /** The lease is the actor's until it is released or `ttlSeconds` have passed. */
  claim(key: string, options?: ApplyOptions & { readonly ttlSeconds?: number }): Promise<Answer>;
  /** Gives the actor's lease back before it ends. */
  release(key: string, options?: ApplyOptions): Promise<Answer>;
}

/** These are the actions on sections as methods. */
export interface SectionsMethods {
  /** Writes a section. It is valid for `ttlMinutes`, or without end if there are none. */
  write(name: string, content: string, options?: ApplyOptions & { readonly ttlMinutes?: number }): Promise<Answer>;
  /** Removes a section. It is refused if there is none. */
  clear(name: string, options?: ApplyOptions): Promise<Answer>;
}

export interface SpaceMethods {
  readonly notes: NotesMethods;
  readonly plan: PlanMethods;
  readonly refs: RefsMethods;
  readonly entries: EntriesMethods;
  readonly sections: SectionsMethods;
}

export function spaceMethods(apply: Apply, state: () => ScratchpadState): SpaceMethods {
  return {
    notes: notesMethods(apply),
    plan: planMethods(apply),
    refs: refsMethods(apply),
    entries: entriesMethods(apply, state),
    sections: sectionsMethods(apply),
  };
}

function notesMethods(apply: Apply): NotesMethods {
  return {
    set: (content, options) => apply({ action: "set_notes", content }, options),
    append: (content, options) => apply({ action: "append_notes", content }, options),
    edit: (edit, options) => apply({ ...edit, action: "edit_notes" } as EditNotes, options),
  };
}

function planMethods(apply: Apply): PlanMethods {
  return { set: (content, options) => apply({ action: "set_plan", content }, options) };
}

function refsMethods(apply: Apply): RefsMethods {
  return {
    add: (ref, options) => apply({ action: "refs.add", ref }, options),
    remove: (ref, options) => apply({ action: "refs.remove", ref }, options),
    set: (items, options) => apply({ action: "refs.set", items }, options),
  };
}

export function entriesMethods(apply: Apply, state: () => ScratchpadState): EntriesMethods {
  return {
    write: (key, content, options) => apply({ action: "entries.write", key, content }, options),
    read: (key) => own(state().entries, key),
    list: () => Object.keys(state().entries).sort(),
    delete: (key, options) => apply({ action: "entries.delete", key }, options),
    claim: async (key, options) => {
      const { own: ttlSeconds, rest } = parted(options, "ttlSeconds");
      return apply({ action: "entries.claim", key, ...given({ ttlSeconds }) }, rest);
    },
    release: (key, options) => apply({ action: "entries.release", key }, options),
  };
}

/** A field of the action's own stands among the options of its call. Throws a TypeError that names what is wrong. */
function parted<Name extends string>(
  options: (ApplyOptions & { readonly [Own in Name]?: number }) | undefined,
  name: Name,
): { readonly own: number | undefined; readonly rest: ApplyOptions } {
  if (options === undefined) return { own: undefined, rest: {} };
  requireOptions(options, name, ...applyOptionNames);
  const { expectedVersion, command, actor, source } = options;
  return { own: options[name], rest: { expectedVersion, command, actor, source } };
}

function sectionsMethods(apply: Apply): SectionsMethods {
  return {
    write: async (name, content, options) => {
      const { own: ttlMinutes, rest } = parted(options, "ttlMinutes");
      return apply({ action: "sections.write", name, content, ...given({ ttlMinutes }) }, rest);
    },
    clear: (name, options) => apply({ action: "sections.clear", name }, options),
  };
}

/** What a caller hands in as the memory of another tool, and is told of its import. */
import type { Action } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import type { ImportOrigin, Version } from "../event/event.ts";

/** This is an action that writes a text whole. */
export type MemoryAction = Extract<
  Action,
  { readonly action: "set_notes" | "set_plan" | "entries.write" | "sections.write" }
>;

/** This is what another tool kept, as actions, and what it was read from. */
export interface Memory {
  readonly from: ImportOrigin;
  readonly actions: readonly MemoryAction[];
}

/** These are the options of `journal.import`. */
export interface ImportOptions {
  /** True puts what is read in the place of another text. The default is false: such an import is refused. */
  readonly replace?: boolean;
  /** True plans and appends nothing. The default is false. */
  readonly dryRun?: boolean;
  /** This is who is named for it. The default is the kind of memory. */
  readonly actor?: string;
}

/** This is the result of `journal.import`. */
export interface ImportedMemory {
  /** With false, nothing was appended, and `message` says why. For a dry run, it says whether anything would be. */
  readonly ok: boolean;
  /** The message is one line. */
  readonly message: string;
  readonly from: ImportOrigin;
  /** This is what changes the scratchpad: what stands there already is left out. */
  readonly actions: readonly MemoryAction[];
  /** This is what each of them was answered. */
  readonly answers: readonly Answer[];
  /** This is the version before the import: `restore` it to undo the import. */
  readonly before: Version;
}

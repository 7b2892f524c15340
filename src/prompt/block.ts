/** The state as a model reads it. */
import { wellFormed } from "../action/text.ts";
import { requireChoice } from "../options.ts";
import type { ScratchpadState } from "../state/state.ts";
import { withoutForgery } from "./forgery.ts";

/**
 * This is how a scratchpad presents itself: three spaces before each message; one text before each message; a notepad in the
 * system prompt; a pad of entries that stays out of the context until it is read.
 */
export type Face = "scratchpad" | "single-key" | "notepad" | "pad";

/** This lists every face, the default first. */
export const faces: readonly Face[] = ["scratchpad", "single-key", "notepad", "pad"];

/** Throws a TypeError that lists the faces. */
export function requireFace(face: unknown): Face {
  return requireChoice(faces, face, "face");
}

/** The section of the notepad says this as long as nothing is written. */
export const emptyNotepadHint =
  "(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)";

/**
 * Renders the block that a model is shown; it is "" where there is nothing to show. Only the face `notepad` shows that it is
 * empty. Entries and sections are never in a block. No content can end the block, or imitate a line of it.
 *
 * @param state The state to show, such as `journal.state`.
 * @param face The face that decides how the block looks.
 * @throws TypeError for a face that does not exist.
 * @example
 * const block = renderBlock(journal.state);
 */
export function renderBlock(state: ScratchpadState, face: Face = "scratchpad"): string {
  switch (requireFace(face)) {
    case "scratchpad":
      return framed("[Session Scratchpad]", threeSpaces(state));
    case "single-key":
      return framed("[Session Scratchpad - your persistent working memory]", state.notes);
    case "notepad":
      return `## Session Notepad\n${shown(state.notes) || emptyNotepadHint}`;
    case "pad":
      return "";
  }
}

/** A state is empty if notes, plan and refs are. */
export function isEmpty(state: ScratchpadState): boolean {
  return state.notes === "" && state.plan === "" && state.refs.length === 0;
}

function framed(opening: string, content: string): string {
  return content === "" ? "" : `${opening}\n${shown(content)}\n[End Scratchpad]`;
}

/** An older runtime may have cut a character in half. Services of models refuse the whole request because of one half. */
function shown(content: string): string {
  return withoutForgery(wellFormed(content));
}

function threeSpaces({ notes, plan, refs }: ScratchpadState): string {
  const spaces = [
    notes,
    plan === "" ? "" : `Plan:\n${plan}`,
    refs.length === 0 ? "" : ["References:", ...refs.map((ref) => `• ${oneLine(ref)}`)].join("\n"),
  ];
  return spaces.filter((space) => space !== "").join("\n\n");
}

/** A ref takes one line, so that it cannot pass for two refs or for another space. */
function oneLine(ref: string): string {
  return ref.replace(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, "↵");
}

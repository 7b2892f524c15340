import type { EventOf } from "../event/event.ts";

export type NotesEdit = Omit<EventOf<"notes.edited">, "type">;

/**
 * An append or an edit may make a text of at most so many UTF-16 code units; one that would make more changes nothing. Replacing every "a"
 * of a short text can ask for more than the 2^29 units a string may have, which would throw while folding; 2^26 stays far below that, is
 * the same on every engine, and is far above any budget.
 */
export const textUnitsMax = 2 ** 26;

/** The result is the length of the notes after the edit, computed without building them. */
export function editedLength(notes: string, edit: NotesEdit): number {
  switch (edit.operation) {
    case "find_replace":
    case "delete": {
      const target = editTarget(edit);
      return notes.length + matchCount(notes, target, isForAll(edit)) * (replacementOf(edit).length - target.length);
    }
    case "prepend":
    case "append": {
      const textLength = (edit.text ?? "").length;
      return notes === "" ? textLength : notes.length + 1 + textLength;
    }
  }
}

/** The notes after the edit; unchanged when nothing matches or when they would exceed {@link textUnitsMax}. */
export function editedNotes(notes: string, edit: NotesEdit): string {
  if (editedLength(notes, edit) > textUnitsMax) return notes;
  const text = edit.text ?? "";
  switch (edit.operation) {
    case "find_replace":
    case "delete":
      return replaced(notes, editTarget(edit), replacementOf(edit), isForAll(edit));
    case "prepend":
      return notes === "" ? text : `${text}\n${notes}`;
    case "append":
      return notes === "" ? text : `${notes}\n${text}`;
  }
}

/** What a replacement or deletion looks for; "" matches nothing. */
export function editTarget(edit: NotesEdit): string {
  return (edit.operation === "delete" ? (edit.find ?? edit.text) : edit.find) ?? "";
}

function replacementOf(edit: NotesEdit): string {
  return edit.operation === "delete" ? "" : (edit.replace ?? "");
}

function isForAll(edit: NotesEdit): boolean {
  return edit.operation === "find_replace" && edit.all === true;
}

function matchCount(text: string, target: string, all: boolean): number {
  if (target === "") return 0;
  let count = 0;
  for (let at = text.indexOf(target); at !== -1; at = text.indexOf(target, at + target.length)) {
    count += 1;
    if (!all) break;
  }
  return count;
}

/** Replacements are functions, because `$&` in a replacement text would otherwise mean the match. */
function replaced(text: string, target: string, replacement: string, all: boolean): string {
  if (target === "") return text;
  return all ? text.replaceAll(target, () => replacement) : text.replace(target, () => replacement);
}

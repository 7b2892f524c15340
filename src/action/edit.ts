import type { NotesEdit } from "../state/edit.ts";
import type { EditNotes } from "./actions.ts";

/** The edit as an event carries it. */
export function notesEdit(action: EditNotes): NotesEdit {
  switch (action.operation) {
    case "find_replace": {
      const { operation, find, replace, replace_all: all } = action;
      return all ? { operation, find, replace, all } : { operation, find, replace };
    }
    case "prepend":
    case "append":
      return { operation: action.operation, text: action.content };
    case "delete":
      return "find" in action
        ? { operation: "delete", find: action.find }
        : { operation: "delete", text: action.content };
  }
}

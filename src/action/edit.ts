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

/** The action that an edit came from. */
export function editAction(event: NotesEdit): EditNotes {
  const { operation, find = "", replace = "", all = false, text = "" } = event;
  switch (operation) {
    case "find_replace":
      return { action: "edit_notes", operation, find, replace, ...(all && { replace_all: true }) };
    case "prepend":
    case "append":
      return { action: "edit_notes", operation, content: text };
    case "delete":
      return event.find === undefined
        ? { action: "edit_notes", operation, content: text }
        : { action: "edit_notes", operation, find };
  }
}

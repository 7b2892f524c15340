/** This reads a list that an agent wrote as a text: `1. [in_progress] What`, a line for each item. The earliest versions have a list of objects. */
import { type ChecklistItem, checklistText, isStatus, todoItems } from "./checklist.ts";

const itemLine = /^(?:(?:\d{1,9}[.)]|[-*])\s*)?(\[([\w >!-]{0,16})\]\s?(.*))$/s;

/** Agents also write the boxes of Markdown. */
const boxes: Readonly<Record<string, string>> = {
  "": "pending",
  x: "completed",
  ">": "in_progress",
  "-": "cancelled",
  "!": "blocked",
};

/** Most lists are texts. */
export function isListed(todos: unknown): boolean {
  return typeof todos === "string" || Array.isArray(todos);
}

export function todoText(todos: unknown): string {
  if (typeof todos !== "string") return checklistText(todoItems(todos));
  const items: ChecklistItem[] = [];
  for (const line of todos.split(/\r?\n/)) {
    const item = itemIn(line.trimStart());
    const last = items.at(-1);
    if (item !== undefined) items.push(item);
    else if (last !== undefined) items[items.length - 1] = { ...last, text: `${last.text} ${line}` };
    else if (line.trim() !== "") items.push({ text: line, status: "pending" });
  }
  return checklistText(items);
}

/** The result is undefined if no item begins with the line. A word in brackets that is no status belongs to what is to be done. */
function itemIn(line: string): ChecklistItem | undefined {
  const [, whole = "", word, said = ""] = itemLine.exec(line) ?? [];
  if (word === undefined) return undefined;
  const plain = word.trim().toLowerCase();
  const status = Object.hasOwn(boxes, plain) ? (boxes[plain] ?? "") : plain.replace(/[ -]/g, "_");
  return isStatus(status) ? { text: said, status } : { text: whole, status: "pending" };
}

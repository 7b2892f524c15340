/** A client's checklist as text: a Markdown task list, one line for each item. */
import type { Json } from "../event/event.ts";
import { type Fields, fields, isFields } from "../event/fields.ts";
import { list, text } from "./fields.ts";

export interface ChecklistItem {
  readonly text: string;
  /** This is the client's own word for the status. */
  readonly status: string;
  readonly id?: string;
  /** These are the ids of the items that block it. */
  readonly after?: readonly string[];
}

const boxes: Readonly<Record<string, string>> = {
  pending: "[ ]",
  open: "[ ]",
  in_progress: "[>]",
  completed: "[x]",
  complete: "[x]",
  done: "[x]",
  closed: "[x]",
  cancelled: "[-]",
  blocked: "[!]",
};

/** The result says whether this version knows the word. */
export function isStatus(status: string): boolean {
  return Object.hasOwn(boxes, status);
}

/** A word that this version does not know stands for an open item. */
export function box(status: string): string {
  return (isStatus(status) ? boxes[status] : undefined) ?? "[ ]";
}

/** It reads a list of `{ content, status }`, and passes over what is no object. */
export function todoItems(todos: unknown): ChecklistItem[] {
  return list(todos).filter(isFields).map(todoItem);
}

export function todoItem(todo: Fields): ChecklistItem {
  return { text: text(todo["content"]) ?? "", status: text(todo["status"]) ?? "" };
}

/** The result is what a call offered that was refused: its list as a text, or all of `input` if a text would lack something of the list. */
export function offeredList(
  todos: unknown,
  itemOf: (todo: Fields) => ChecklistItem,
  input: Json,
): { readonly content: string } | { readonly input: Json } {
  const items = list(todos).map((todo) => itemOf(fields(todo)));
  const isTold = items.length > 0 && items.every(({ text }) => text !== "");
  return isTold ? { content: checklistText(items) } : { input };
}

/** "" for an empty list. */
export function checklistText(items: Iterable<ChecklistItem>): string {
  return [...items].map(itemLine).join("\n");
}

export function isAllDone(items: readonly ChecklistItem[]): boolean {
  return items.length > 0 && items.every(({ status }) => box(status) === "[x]");
}

export function itemLine({ text, status, id, after = [] }: ChecklistItem): string {
  const own = id === undefined ? "" : `#${oneLine(id)} `;
  const blockers = after.length === 0 ? "" : ` (after ${after.map((blocker) => `#${oneLine(blocker)}`).join(", ")})`;
  return `- ${box(status)} ${own}${oneLine(text)}${blockers}`;
}

/** White space in it is one space. */
export function oneLine(text: string): string {
  return isUneven.test(text) ? text.trim().replace(/\s+/g, " ") : text;
}

const isUneven = /[^\S ]|\s\s|^\s|\s$/;

/** The beginning of the text as one line. It reads no further than that, and the result is a string of its own: a part keeps the whole of it. */
export function startOfLine(text: string, unitsMax: number): string {
  if (text.length <= unitsMax && !isUneven.test(text)) return text;
  if (started.length < unitsMax) started = new Uint16Array(unitsMax);
  let count = 0;
  let wasSpace = true;
  let at = 0;
  for (; at < text.length && count < unitsMax; at++) {
    const unit = text.charCodeAt(at);
    const isSpace = isWhite(unit);
    if (!isSpace || !wasSpace) started[count++] = isSpace ? space : unit;
    wasSpace = isSpace;
  }
  while (wasSpace && at < text.length && isWhite(text.charCodeAt(at))) at++;
  // A space at the end stands before a word, or is none.
  if (wasSpace && at === text.length && count > 0) count -= 1;
  return Reflect.apply(String.fromCharCode, undefined, started.subarray(0, count));
}

/** The beginnings are put together here. */
let started = new Uint16Array(256);

const space = 0x20;
/** White space that is no ASCII, as regular expressions know it. */
const rareSpaces: ReadonlySet<number> = new Set([
  ...[0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff],
  ...Array.from({ length: 11 }, (_, index) => 0x2000 + index),
]);

function isWhite(unit: number): boolean {
  return unit <= space ? unit === space || (unit <= 0x0d && unit >= 0x09) : unit >= 0x80 && rareSpaces.has(unit);
}

/** The text says why there is no checklist, although `tool` was there for one. `refused` is the tool of a call that was refused. */
export function unusedText(tool: string, refused: string | undefined): string {
  return `no checklist in this session: ${refused === undefined ? `the agent did not use ${tool}` : `every call of ${refused} was refused`}`;
}

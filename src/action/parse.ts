import type { EditOperation } from "../event/event.ts";
import {
  type ActionName,
  actionNames,
  isActionName,
  leaseSeconds,
  type ParsedAction,
  type RestoreAction,
  type Space,
  spaceOf,
} from "./actions.ts";
import type { UnrecordedRefusalCode } from "./answer.ts";
import { actionBytesMax } from "./limits.ts";
import { nearest } from "./nearest.ts";
import * as read from "./read.ts";
import { byteCount, escapedLine, quote } from "./text.ts";

/** What is no action that could be decided. It is never recorded. */
export interface Refusal {
  readonly code: UnrecordedRefusalCode;
  /** One line, without use against budget. */
  readonly message: string;
  readonly space: Space | null;
}

export type Parsed = { readonly action: ParsedAction } | { readonly refusal: Refusal };

type Input = { readonly [name: string]: unknown };
type Parameters = { readonly [name: string]: read.Read<unknown> };

const content = read.readContent;
const key = read.readKey;
const name = read.readName;

const parametersOf: { readonly [Name in Exclude<ActionName, "edit_notes">]: Parameters } = {
  set_notes: { content },
  append_notes: { content },
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
};

const restoreParameters: Parameters = {
  to: (value) =>
    Number.isSafeInteger(value) && (value as number) >= 0
      ? { value }
      : { problem: { code: "invalid_argument", message: "to must be a version, a whole number of at least 0" } },
};

const editNames = ["operation", "content", "find", "replace", "replace_all"];

/** Tools offer the parameters of all actions beside each other: those of another action are passed over. */
const parameterNames: ReadonlySet<string> = new Set([
  ...editNames,
  ...Object.values(parametersOf).flatMap((parameters) => Object.keys(parameters)),
]);

/** The border: whatever was asked, as an action or as a refusal. `restore` is an action only where it is `allowed`. */
export function parseAction(value: unknown, restore: "allowed" | "unknown" = "unknown"): Parsed {
  const input: Input = typeof value === "object" && value !== null ? (value as Input) : {};
  const asked = input.action;
  if (asked === ("restore" satisfies RestoreAction["action"]) && restore === "allowed") {
    return parseParameters(input, "restore", restoreParameters);
  }
  if (typeof asked !== "string" || !isActionName(asked)) return { refusal: unknownAction(value, asked) };
  const stranger = Object.keys(input).find((name) => isStranger(name, input[name]));
  if (stranger !== undefined) return refused(asked, unknownParameter(asked, stranger));
  return asked === "edit_notes" ? parseEdit(input) : parseParameters(input, asked, parametersOf[asked]);
}

/** Absent, or null as some models write it, is no parameter. */
function isStranger(parameter: string, value: unknown): boolean {
  return parameter !== "action" && !parameterNames.has(parameter) && value !== undefined && value !== null;
}

/** A misspelt parameter must not pass for one that was left out. */
function unknownParameter(action: ActionName, parameter: string): read.Problem {
  const known = action === "edit_notes" ? editNames : Object.keys(parametersOf[action]);
  const message = `unknown parameter ${quote(parameter.slice(0, 100))}: did you mean ${nearest(parameter, known)}?`;
  return { code: "invalid_argument", message };
}

function parseEdit(input: Input): Parsed {
  const operation = input.operation;
  if (typeof operation !== "string" || !Object.hasOwn(editParameters, operation)) {
    const message = `operation must be one of ${Object.keys(editParameters).join(", ")}`;
    return refused("edit_notes", { code: "invalid_argument", message });
  }
  const parameters = editParameters[operation as EditOperation](input);
  return parseParameters(input, "edit_notes", { operation: () => ({ value: operation }), ...parameters });
}

const editParameters: { readonly [Operation in EditOperation]: (input: Input) => Parameters } = {
  // Nothing to find is refused as not found, whatever was to stand in its place.
  find_replace: (input) => ({
    find: read.optional(content, ""),
    replace: input.find ? content : read.optional(content, ""),
    replace_all: (flag, flagName) => {
      const reading = read.optional(read.readFlag, false)(flag, flagName);
      return "value" in reading && !reading.value ? { value: undefined } : reading;
    },
  }),
  prepend: () => ({ content }),
  append: () => ({ content }),
  delete: ({ find }): Parameters =>
    find === undefined || find === null || find === "" ? { content: read.optional(content, "") } : { find: content },
};

function parseParameters(input: Input, action: ParsedAction["action"], parameters: Parameters): Parsed {
  const parsed: Record<string, unknown> = { action };
  for (const [parameter, readParameter] of Object.entries(parameters)) {
    const reading = readParameter(input[parameter], parameter);
    if ("problem" in reading) return refused(action, reading.problem);
    if (reading.value !== undefined) parsed[parameter] = reading.value;
  }
  if (isTooLarge(parsed)) {
    return refused(action, {
      code: "too_large",
      message: `all of it together is over ${actionBytesMax} bytes in a line`,
    });
  }
  return { action: parsed as unknown as ParsedAction };
}

/** A unit of text takes six units of JSON at the most, and that six bytes: only a large action is printed to be counted. */
function isTooLarge(action: Record<string, unknown>): boolean {
  let units = 0;
  for (const name in action) units += name.length + unitsMaxOf(action[name]);
  return units * 36 > actionBytesMax && byteCount(escapedLine(JSON.stringify(action))) > actionBytesMax;
}

/** With quotes, comma and colon; a number or a flag is as short as that. */
function unitsMaxOf(value: unknown): number {
  if (typeof value === "string") return value.length + 8;
  if (Array.isArray(value)) return value.reduce<number>((units, item) => units + unitsMaxOf(item), 8);
  return 32;
}

function refused(action: string, { code, message, whole }: read.Problem): Parsed {
  return { refusal: { code, message: whole ? message : `${action} rejected: ${message}`, space: spaceOf(action) } };
}

function unknownAction(value: unknown, asked: unknown): Refusal {
  const valid = `use one of ${actionNames.join(", ")}`;
  const what =
    typeof asked === "string" ? `unknown action ${quote(asked)}` : `unknown action, none is named${hint(value)}`;
  return { code: "unknown_action", message: `${what}: ${valid}`, space: null };
}

function hint(value: unknown): string {
  return typeof value === "object" && value !== null ? "" : " (an action is an object)";
}

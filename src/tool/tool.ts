/** Agents see tools: each has one definition. Adapters translate its shape for a host, and nothing else. */

import type { Fields } from "../event/fields.ts";
import type { JsonSchema, ObjectSchema } from "../event/json-schema.ts";
import { type ApplyOptions, parseApplyOptions } from "../journal/options.ts";
import type { Journal } from "../journal/public.ts";
import { requireOptions } from "../options.ts";

/** A tool is what an agent calls. Adapters translate it for a host. */
export interface Tool<Output extends object = object> {
  readonly name: string;
  /** A call of it may also come under these names. */
  readonly aliases: readonly string[];
  readonly description: string;
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /** It never changes anything. */
  readonly readsOnly: boolean;
  /**
   * `input` may be anything: what is wrong with it is answered, not thrown. Throws as `journal.apply` does where the
   * journal fails. `command` makes a repeated call harmless: pass the id of the tool call.
   */
  run(input: unknown, options?: RunOptions): Promise<Output>;
  /** The output as a model reads it. */
  text(output: Output): string;
}

/** These are the options of running a tool. */
export type RunOptions = Pick<ApplyOptions, "command" | "actor" | "source">;

/** This is what every tool may be told: who writes, and where the texts come from, unless a call says otherwise. */
export type ToolOptions = Pick<RunOptions, "actor" | "source">;

/** This is what tools need of a journal. */
export type ToolJournal = Pick<
  Journal,
  "state" | "version" | "limits" | "refresh" | "history" | "apply" | "applyUnknown" | "applyUnder"
>;

/**
 * Throws a TypeError for what is no journal, such as the promise of one, for an option of another name, and for an actor or a source that
 * is none, before a model is offered tools that fail.
 */
export function requireToolParts(journal: unknown, options: unknown, ...names: readonly string[]): void {
  if (typeof (journal as Partial<ToolJournal> | null | undefined)?.apply !== "function") {
    throw new TypeError("tools take a journal first: await openJournal(path) gives one");
  }
  requireToolOptions(options, ...names);
}

export function requireToolOptions(options: unknown, ...names: readonly string[]): void {
  requireOptions(options, ...names, "source", "actor");
  const { actor, source } = options as ToolOptions;
  parseApplyOptions({ actor, source });
}

/** The result has the arguments of a call as they came, an array's by their numbers, or none if `input` is no object. */
export function fieldsOf(input: unknown): Fields {
  return typeof input === "object" && input !== null ? (input as Fields) : {};
}

/** A call's own options over those of the tool. */
export function runOptions({ actor, source }: ToolOptions, call: RunOptions = {}): RunOptions {
  return { ...call, actor: call.actor ?? actor, source: call.source ?? source };
}

/**
 * A parameter of an action as a model is offered it. How long it may be is left out: a call beyond that is answered with
 * what to do, and some providers take no such schema.
 */
export function parameter({ schema }: { readonly schema: JsonSchema }, description?: string): JsonSchema {
  const offered = offeredSchema(schema);
  return description === undefined ? offered : { ...offered, description };
}

const offeredKeywords = ["type", "enum", "items", "pattern", "exclusiveMinimum"];

function offeredSchema(schema: JsonSchema): JsonSchema {
  const offered = Object.entries(schema).filter(([keyword]) => offeredKeywords.includes(keyword));
  return Object.fromEntries(
    offered.map(([keyword, value]) => [keyword, keyword === "items" ? offeredSchema(value as JsonSchema) : value]),
  );
}

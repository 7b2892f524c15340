/** This file is the option `--source` of all verbs that explain a history. It selects texts by where they came from. */
import type { OptionSpecs } from "./options.ts";

export const sourceOption = {
  source: { value: "SOURCE", about: "only what came from there: model, user, tool, imported, or as tool:read_file" },
} as const satisfies OptionSpecs;

/**
 * A source also selects the same source with more behind a colon: "tool" selects "tool:read_file". With undefined, everything is selected.
 */
export function isFrom(source: string | undefined, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  return source !== undefined && (source === wanted || source.startsWith(`${wanted}:`));
}

/** The source stands behind the name of who wrote it. */
export function actorAndSource(actor: string, source: string | undefined): string {
  return source === undefined ? actor : `${actor} (${source})`;
}

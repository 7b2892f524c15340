/** The option `--source` of everything that explains a history: which texts, by where they came from. */
import type { OptionSpecs } from "./options.ts";

export const sourceOption = {
  source: { value: "SOURCE", about: "only what came from there: model, user, tool, imported, or as tool:read_file" },
} as const satisfies OptionSpecs;

/**
 * A source also selects the same source with more behind a colon: "tool" selects "tool:read_file". Undefined selects
 * everything.
 */
export function isFrom(source: string | undefined, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  return source !== undefined && (source === wanted || source.startsWith(`${wanted}:`));
}

/** Behind the name of who wrote it. */
export function actorAndSource(actor: string, source: string | undefined): string {
  return source === undefined ? actor : `${actor} (${source})`;
}

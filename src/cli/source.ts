/** This file is the option `--source` of all verbs that explain a history. It selects texts by where they came from. */
import { isSource } from "../journal/options.ts";
import { didYouMean } from "./near.ts";
import type { OptionSpecs, Options } from "./options.ts";
import { UsageError } from "./usage.ts";

export const sourceOption = {
  source: { value: "SOURCE", about: "only what came from there: model, user, tool, imported, or as tool:read_file" },
} as const satisfies OptionSpecs;

/** Throws a {@link UsageError} for what can be no source: nothing would be from there. */
export function sourceOf(options: Options): string | undefined {
  const source = options.text("source");
  if (source === undefined || isSource(source)) return source;
  const meant = didYouMean(source, ["model", "user", "tool", "imported"]);
  throw new UsageError(
    `--source takes model, user, tool or imported, and may say more behind a colon, such as tool:read_file, not ${JSON.stringify(source)}${meant}`,
  );
}

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

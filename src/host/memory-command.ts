/** A model writes the commands of the memory tool: it may leave out what they need, or send something else. */
import { fields } from "../event/fields.ts";
import { memoryFolder } from "../tool/memory-paths.ts";

/** A longer path names no file, because its key would be too long; and it need not be told again whole. */
const pathUnitsMax = 1_000;
const pathNames = ["path", "old_path", "new_path"];

/** Throws an error that names what is no text, or a path that is too long. */
export function requireTexts(name: string, command: unknown, ...texts: readonly string[]): void {
  const given = fields(command);
  for (const text of texts) {
    const value = given[text];
    if (typeof value !== "string") throw new Error(`${name} rejected: ${text} must be a string`);
    if (pathNames.includes(text) && value.length > pathUnitsMax)
      throw new Error(`${name} rejected: ${text} is ${value.length} chars long: use shorter names in ${memoryFolder}`);
  }
}

/** The result is all lines if none are named. Some models leave a parameter out as `null`. */
export function lineRange(range: unknown): readonly [from: number, to: number] {
  if (range === undefined || range === null) return [1, -1];
  const [from, to] = Array.isArray(range) && range.length === 2 && range.every(Number.isSafeInteger) ? range : [];
  if (from !== undefined && to !== undefined) return [from, to];
  throw new Error(
    "Invalid `view_range` parameter: it is the first and the last line, such as [1, 20], or [1, -1] for all",
  );
}

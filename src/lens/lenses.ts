/** The sessions of these clients can be read. A new client is a file and a line here. */
import { isFields } from "../event/fields.ts";
import { trimLine } from "../line/decode.ts";
import { atif } from "./atif.ts";
import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { droid } from "./droid.ts";
import { parsed } from "./fields.ts";
import { gemini } from "./gemini.ts";
import type { Lens } from "./lens.ts";
import { openCode } from "./opencode.ts";

const lenses: readonly Lens[] = [claudeCode, codex, droid, gemini, openCode, atif];

/** Whose file it is, by its first lines, whichever of them says so; undefined where none does. */
export function lensOf(lines: Iterable<Buffer | string>): Lens | undefined {
  for (const line of lines) {
    const bare = typeof line === "string" ? line : trimLine(line);
    // To find out that nothing is no JSON takes long, where a file begins with thousands of blank lines.
    const value = bare.length === 0 ? undefined : parsed(bare);
    if (!isFields(value)) continue;
    const found = lenses.find((lens) => lens.detects(value));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** This file updates a text by a diff of it, as the edit tools of agents record one. */
import { EditedLines } from "./edited-lines.ts";

export interface Hunk {
  /** This is a line of the text before, counted from 1. */
  readonly oldStart: number;
  /** Each begins with a space, `-` or `+`, or with a backslash: the line before it has no line feed. */
  readonly lines: readonly string[];
}

const header = /^@@ -(\d{1,9})(?:,\d{1,9})? \+\d{1,9}(?:,\d{1,9})? @@/;

/** The hunks of a unified diff; its file headers are passed over. */
export function hunksOf(diff: string): Hunk[] {
  const hunks: { oldStart: number; lines: string[] }[] = [];
  for (const line of diff.split("\n")) {
    const start = header.exec(line)?.[1];
    if (start !== undefined) hunks.push({ oldStart: Number(start), lines: [] });
    else if (/^[ +\\-]/.test(line)) hunks.at(-1)?.lines.push(line);
    else if (line === "" && hunks.length > 0) hunks.at(-1)?.lines.push(" ");
  }
  // The line feed at the end of the diff is no line of its last hunk.
  const last = hunks.at(-1);
  if (last?.lines.at(-1) === " " && diff.endsWith("\n")) last.lines.pop();
  return hunks;
}

/**
 * The result is the text after the hunks. A hunk is put where it says, or else at the one place where its old lines stand. The result is
 * undefined if the hunks do not fit, so the text is not the one that was changed.
 */
export function patched(text: string, hunks: readonly Hunk[]): string | undefined {
  const edited = new EditedLines(text.split("\n"));
  let moved = 0;
  for (const { oldStart, lines } of hunks) {
    const changes = withLastLines(lines);
    const before = changes.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
    const after = changes.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
    const said = Math.trunc(oldStart) - (before.length === 0 ? 0 : 1) + moved;
    const at = placeOf(before, edited, Math.max(0, said));
    if (at === undefined || edited.isGivenUp) return undefined;
    edited.replace(at, before.length, after);
    moved += after.length - before.length;
  }
  return edited.all().join("\n");
}

/** What ends with a line feed has an empty line behind it that what ends without one has not. */
function withLastLines(lines: readonly string[]): readonly string[] {
  const ends = lines.flatMap((line, index) => (line.startsWith("\\") ? [lines[index - 1]?.[0]] : []));
  if (ends.length === 0) return lines;
  const changes = lines.filter((line) => !line.startsWith("\\"));
  const [isBareBefore, isBareAfter] = ["-", "+"].map((side) => ends.includes(side) || ends.includes(" "));
  if (isBareBefore === isBareAfter) return changes;
  return [...changes, isBareBefore ? "+" : "-"];
}

function placeOf(wanted: readonly string[], edited: EditedLines, said: number): number | undefined {
  if (said <= edited.length && edited.stand(wanted, said)) return said;
  if (wanted.length === 0) return undefined;
  const places: number[] = [];
  const last = edited.length - wanted.length;
  for (let at = 0; at <= last && places.length < 2 && !edited.isGivenUp; at++) {
    if (edited.stand(wanted, at)) places.push(at);
  }
  return places.length === 1 ? places[0] : undefined;
}

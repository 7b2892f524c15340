/**
 * This file updates a text by the hunks of a patch that an agent wrote. They have no line numbers: its client looks for each behind the
 * one before it, and so does this.
 */

interface AskedHunk {
  /** The hunk stands behind this line. */
  readonly context: string | undefined;
  /** Each begins with a space, `-` or `+`. One that is empty stands for an empty line. */
  readonly lines: string[];
  isAtEnd: boolean;
}

interface Change {
  readonly at: number;
  readonly count: number;
  readonly put: readonly string[];
}

export const endOfFile = "*** End of File";

/** A text that repeats itself over and over is given up after so many comparisons. */
const comparisonsMax = 10_000_000;

/** Lines are looked for as they are, then without the white space at their ends, then also without that before them. */
const readings: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
];

/** The result is the text after the hunks, or undefined if they do not fit: the text is not the one that was changed. */
export function patchedAsAsked(text: string, patch: readonly string[]): string | undefined {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const changes: Change[] = [];
  let from = 0;
  for (const hunk of hunksIn(patch)) {
    const behind = hunk.context === undefined ? from : seek(lines, [hunk.context], from, false) + 1;
    if (behind === 0 && hunk.context !== undefined) return undefined;
    const change = changeOf(lines, hunk, behind);
    if (change === undefined) return undefined;
    changes.push(change);
    from = change.count === 0 ? behind : change.at + change.count;
  }
  for (const { at, count, put } of changes.sort((one, other) => other.at - one.at)) lines.splice(at, count, ...put);
  if (lines.at(-1) !== "") lines.push("");
  return lines.join("\n");
}

function hunksIn(patch: readonly string[]): AskedHunk[] {
  const hunks: AskedHunk[] = [];
  for (const line of patch) {
    const isHead = line === "@@" || line.startsWith("@@ ");
    if (isHead) hunks.push({ context: line.slice(3) || undefined, lines: [], isAtEnd: false });
    else if (hunks.length === 0) hunks.push({ context: undefined, lines: [], isAtEnd: false });
    const hunk = hunks.at(-1) as AskedHunk;
    if (line === endOfFile) hunk.isAtEnd = true;
    else if (line === "" || /^[ +-]/.test(line)) hunk.lines.push(line);
  }
  return hunks;
}

/** What is only added stands at the end of the file. */
function changeOf(lines: readonly string[], { lines: hunk, isAtEnd }: AskedHunk, from: number): Change | undefined {
  const old = hunk.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
  const put = hunk.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
  if (old.length === 0) return { at: lines.length - (lines.at(-1) === "" ? 1 : 0), count: 0, put };
  const at = seek(lines, old, from, isAtEnd);
  if (at !== -1) return { at, count: old.length, put };
  if (old.at(-1) !== "") return undefined;
  // The line feed at the end of the file is no line.
  const shorter = seek(lines, old.slice(0, -1), from, isAtEnd);
  if (shorter === -1) return undefined;
  return { at: shorter, count: old.length - 1, put: put.at(-1) === "" ? put.slice(0, -1) : put };
}

/** The result is -1 if they stand nowhere from there on. */
function seek(lines: readonly string[], wanted: readonly string[], from: number, isAtEnd: boolean): number {
  const last = lines.length - wanted.length;
  let left = comparisonsMax;
  for (const read of readings) {
    const [texts, sought] = [lines.map(read), wanted.map(read)];
    for (let at = isAtEnd ? Math.max(0, last) : from; at <= last && left > 0; at++) {
      const same = sameAt(texts, sought, at);
      if (same === sought.length) return at;
      left -= same + 1;
    }
  }
  return -1;
}

/** The result is how many of the wanted lines stand there, one behind the other. */
function sameAt(lines: readonly string[], wanted: readonly string[], at: number): number {
  let same = 0;
  while (same < wanted.length && lines[at + same] === wanted[same]) same++;
  return same;
}

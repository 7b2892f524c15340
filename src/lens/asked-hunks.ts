/**
 * This file updates a text by the hunks of a patch that an agent wrote. They have no line numbers: its client looks for each behind the
 * one before it, and so does this.
 */
import { comparisonsMax, EditedLines } from "./edited-lines.ts";

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

/**
 * Lines are looked for as they are, then without the white space at their ends, then also without that before them, and then with plain
 * dashes, quotes and spaces for those that typographers set.
 */
const readings: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  plainly,
];

function plainly(line: string): string {
  return line
    .trim()
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u2018-\u201b]/g, "'")
    .replace(/[\u201c-\u201f]/g, '"')
    .replace(/[\u00a0\u2002-\u200a\u202f\u205f\u3000]/g, " ");
}

/** The result is the text after the hunks, or undefined if they do not fit: the text is not the one that was changed. */
export function patchedAsAsked(text: string, patch: readonly string[]): string | undefined {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const sought = new SoughtText(lines);
  const changes: Change[] = [];
  let from = 0;
  for (const hunk of hunksIn(patch)) {
    const behind = hunk.context === undefined ? from : sought.seek([hunk.context], from, false) + 1;
    if (behind === 0 && hunk.context !== undefined) return undefined;
    const change = changeOf(sought, hunk, behind);
    if (change === undefined) return undefined;
    changes.push(change);
    from = change.count === 0 ? behind : change.at + change.count;
  }
  const edited = new EditedLines(lines);
  for (const { at, count, put } of changes.sort((one, other) => one.at - other.at).reverse())
    edited.replace(at, count, put);
  const after = edited.all();
  if (after.at(-1) !== "") after.push("");
  return after.join("\n");
}

function hunksIn(patch: readonly string[]): AskedHunk[] {
  const hunks: AskedHunk[] = [];
  for (const line of patch) {
    if (line === "" && hunks.length === 0) continue;
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
function changeOf(text: SoughtText, { lines: hunk, isAtEnd }: AskedHunk, from: number): Change | undefined {
  const { lines } = text;
  const old = hunk.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
  const put = hunk.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
  if (old.length === 0) return { at: lines.length - (lines.at(-1) === "" ? 1 : 0), count: 0, put };
  const at = text.seek(old, from, isAtEnd);
  if (at !== -1) return { at, count: old.length, put };
  if (old.at(-1) !== "") return undefined;
  // The line feed at the end of the file is no line.
  const shorter = text.seek(old.slice(0, -1), from, isAtEnd);
  if (shorter === -1) return undefined;
  return { at: shorter, count: old.length - 1, put: put.at(-1) === "" ? put.slice(0, -1) : put };
}

/** These are the lines that hunks are looked for in. */
class SoughtText {
  readonly lines: readonly string[];
  readonly #read = new Map<(line: string) => string, readonly string[]>();
  #comparisons = comparisonsMax;

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  /** The result is -1 if the wanted lines stand nowhere from there on. */
  seek(wanted: readonly string[], from: number, isAtEnd: boolean): number {
    const last = this.lines.length - wanted.length;
    for (const read of readings) {
      const [texts, sought] = [this.#lines(read), wanted.map(read)];
      for (let at = isAtEnd ? Math.max(0, last) : from; at <= last && this.#comparisons > 0; at++) {
        const same = sameAt(texts, sought, at);
        if (same === sought.length) return at;
        this.#comparisons -= same + 1;
      }
    }
    return -1;
  }

  #lines(read: (line: string) => string): readonly string[] {
    const known = this.#read.get(read) ?? this.lines.map(read);
    this.#read.set(read, known);
    return known;
  }
}

/** The result is how many of the wanted lines stand there, one behind the other. */
function sameAt(lines: readonly string[], wanted: readonly string[], at: number): number {
  let same = 0;
  while (same < wanted.length && lines[at + same] === wanted[same]) same++;
  return same;
}

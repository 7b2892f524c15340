/** Three texts line by line: what one base became on two sides, brought together. */
import { matchLines } from "./lines.ts";

/**
 * This says whose lines stand where both sides changed the same ones. With "both", ours come first, then those that only theirs
 * has.
 */
export type MergeSide = "ours" | "theirs" | "both";

/** This is one line of the merged text. */
export interface MergedLine {
  readonly text: string;
  /** This is the index of the line in theirs, if it comes from there alone. */
  readonly theirs?: number;
}

/** The same lines of the base, which both sides changed, and not in the same way. */
export interface LineConflict {
  readonly base: readonly string[];
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

export interface MergedLines {
  readonly lines: readonly MergedLine[];
  readonly conflicts: readonly LineConflict[];
}

/** Lines of a side that stand in place of the base's from `start` to `end`; `at` is the place of the first in that side. */
interface Hunk {
  readonly start: number;
  readonly end: number;
  readonly at: number;
  readonly lines: readonly string[];
}

/**
 * Takes both sides' changes. A line that one side removed is gone; what both put at one place stands there from both, ours
 * first, and what is in both once. Where both changed the same lines of the base, that is a conflict, and `side` says what
 * stands there.
 */
export function mergeLines(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
  side: MergeSide,
): MergedLines {
  const [mine, other] = [hunksOf(base, ours).reverse(), hunksOf(base, theirs).reverse()];
  const lines: MergedLine[] = [];
  const conflicts: LineConflict[] = [];
  const put = (merged: readonly MergedLine[]): void => {
    for (const line of merged) lines.push(line);
  };
  const keep = (texts: readonly string[]): void => put(texts.map((text) => ({ text })));
  let done = 0;
  while (mine.length > 0 || other.length > 0) {
    const region = nextRegion(mine, other);
    keep(base.slice(done, region.start));
    done = region.end;
    const own = sideOf(base, region.ours, region);
    const foreign = sideOf(base, region.theirs, region);
    if (isConflict(region, own, foreign)) {
      conflicts.push({ base: base.slice(region.start, region.end), ours: own.lines, theirs: foreign.lines });
      put(chosen(own, foreign, side));
    } else put(agreed(region, own, foreign));
  }
  keep(base.slice(done));
  return { lines, conflicts };
}

/** This has a side's lines of one region. For each line that the base does not have, `taken` tells where it stands in theirs. */
interface Taken {
  readonly lines: readonly string[];
  readonly taken: readonly MergedLine[];
}

interface Region {
  readonly start: number;
  readonly end: number;
  readonly ours: readonly Hunk[];
  readonly theirs: readonly Hunk[];
}

function isConflict({ start, end, ours, theirs }: Region, own: Taken, foreign: Taken): boolean {
  const isOfBoth = ours.length > 0 && theirs.length > 0;
  return isOfBoth && start < end && !same(own.lines, foreign.lines);
}

/** What one side alone did, or both put at one place. */
function agreed({ ours, theirs }: Region, own: Taken, foreign: Taken): readonly MergedLine[] {
  if (ours.length === 0) return foreign.taken;
  return theirs.length === 0 ? asOurs(own) : together(own, foreign);
}

function chosen(own: Taken, foreign: Taken, side: MergeSide): readonly MergedLine[] {
  switch (side) {
    case "ours":
      return asOurs(own);
    case "theirs":
      return foreign.taken;
    case "both":
      return together(own, foreign);
  }
}

function asOurs({ lines }: Taken): readonly MergedLine[] {
  return lines.map((text) => ({ text }));
}

function hunksOf(base: readonly string[], side: readonly string[]): Hunk[] {
  const matches = [...matchLines(base, side), base.length];
  const hunks: Hunk[] = [];
  let [start, at] = [0, 0];
  for (const [place, match] of matches.entries()) {
    if (match === -1) continue;
    if (match > start || place > at) hunks.push({ start, end: match, at, lines: side.slice(at, place) });
    [start, at] = [match + 1, place + 1];
  }
  return hunks;
}

/** This takes the first hunk of both lists, and with it all that touch the same lines of the base. The first hunk of a list stands last in it. */
function nextRegion(mine: Hunk[], other: Hunk[]): Region {
  const taken: { ours: Hunk[]; theirs: Hunk[] } = { ours: [], theirs: [] };
  const [ours, theirs] = [mine.at(-1), other.at(-1)];
  const isOursFirst = theirs === undefined || (ours !== undefined && comesFirst(ours, theirs));
  const first = (isOursFirst ? mine.pop() : other.pop()) as Hunk;
  (isOursFirst ? taken.ours : taken.theirs).push(first);
  const { start } = first;
  let { end } = first;
  const touches = (hunk: Hunk | undefined): hunk is Hunk =>
    hunk !== undefined && (hunk.start < end || (hunk.start === start && hunk.end === end));
  for (;;) {
    const list = touches(mine.at(-1)) ? mine : touches(other.at(-1)) ? other : undefined;
    const hunk = list?.pop();
    if (hunk === undefined) return { start, end, ...taken };
    (list === mine ? taken.ours : taken.theirs).push(hunk);
    end = Math.max(end, hunk.end);
  }
}

function comesFirst(a: Hunk, b: Hunk): boolean {
  return a.start !== b.start ? a.start < b.start : a.end <= b.end;
}

/** The result is the region as that side has it. */
function sideOf(base: readonly string[], hunks: readonly Hunk[], { start, end }: Region): Taken {
  const taken: MergedLine[] = [];
  let done = start;
  for (const hunk of hunks) {
    for (const text of base.slice(done, hunk.start)) taken.push({ text });
    for (const [index, text] of hunk.lines.entries()) taken.push({ text, theirs: hunk.at + index });
    done = hunk.end;
  }
  for (const text of base.slice(done, end)) taken.push({ text });
  return { lines: taken.map(({ text }) => text), taken };
}

/** The result has ours, then the lines of theirs that are not among them. */
function together(ours: Taken, theirs: Taken): MergedLine[] {
  const matches = matchLines(ours.lines, theirs.lines);
  return [...asOurs(ours), ...theirs.taken.filter((_, place) => matches[place] === -1)];
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, place) => line === b[place]);
}

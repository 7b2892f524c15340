/** Makes the sections of a working-memory file short enough together, so that none takes the place of the others. */
import { cut, type Measure } from "../action/text.ts";

export interface WorkingSection {
  /** This is its heading. */
  readonly name: string;
  readonly text: string;
  /** Where there is too much, what room is left goes to the highest first, and the lowest is the first to go. */
  readonly priority: number;
  /** Its last lines are the newest: they are kept where not all of them fit. */
  readonly shrinks?: boolean;
}

/** `shownLines` of `lines` stand in the text; absent where all of it does. */
export interface FittedSection extends WorkingSection {
  readonly shortened?: { readonly shownLines: number; readonly lines: number };
}

/** `of` says how long a page with these sections is. A page must stay below `under`. */
export interface PageLength {
  readonly of: (sections: readonly FittedSection[]) => number;
  readonly under: number;
  readonly measure: Measure;
}

/**
 * Each section gets an equal share; what the short ones leave of theirs goes to the long ones by priority. The result is undefined if the
 * shares are too small for a section to be worth its heading.
 */
export function fitSections(
  sections: readonly WorkingSection[],
  page: PageLength,
): readonly FittedSection[] | undefined {
  if (page.of(sections) < page.under) return sections;
  const bare = sections.map((section) => ({ ...section, text: "", shortened: nothingOf(section) }));
  let room = page.under - 1 - page.of(bare);
  while (room > 0) {
    const fitted = shareOut(sections, room, page.measure);
    if (fitted === undefined) return undefined;
    const over = page.of(fitted) - (page.under - 1);
    if (over <= 0) return fillUp(sections, fitted, page);
    room -= Math.max(1, over);
  }
  return undefined;
}

/** The result is the last one of those with the lowest priority. */
export function leastOf(sections: readonly WorkingSection[]): WorkingSection | undefined {
  return sections.reduce<WorkingSection | undefined>(
    (least, section) => (least === undefined || section.priority <= least.priority ? section : least),
    undefined,
  );
}

function shareOut(
  sections: readonly WorkingSection[],
  room: number,
  measure: Measure,
): readonly FittedSection[] | undefined {
  const share = room / sections.length;
  const costs = new Map(sections.map((section) => [section, measure(section.text)]));
  const fitted = new Map<WorkingSection, FittedSection>();
  let spare = 0;
  for (const [section, cost] of costs) {
    if (cost > share) continue;
    fitted.set(section, section);
    spare += share - cost;
  }
  for (const section of byPriority(sections)) {
    if (fitted.has(section)) continue;
    const shortened = shorten(section, share + spare, measure);
    if (shortened === undefined) return undefined;
    fitted.set(section, shortened);
    spare += share - measure(shortened.text);
  }
  return sections.flatMap((section) => fitted.get(section) ?? []);
}

/** Shares are counted one by one, and lines are whole: what is left over goes to more lines, by priority. */
function fillUp(
  sections: readonly WorkingSection[],
  fitted: readonly FittedSection[],
  page: PageLength,
): readonly FittedSection[] {
  let filled = fitted;
  for (const section of byPriority(sections)) {
    const at = sections.indexOf(section);
    const shown = filled[at]?.shortened?.shownLines;
    if (shown === undefined || shown === 0) continue;
    const { length } = linesOf(section);
    const more = greatest(shown, length, (count) => page.of(filled.with(at, withLines(section, count))) < page.under);
    if (more > shown) filled = filled.with(at, withLines(section, more));
  }
  return filled;
}

/** Whole lines as far as they fit; of a first line that does not, what fits of it. */
function shorten(section: WorkingSection, allowed: number, measure: Measure): FittedSection | undefined {
  const fits = (text: string): boolean => measure(text) <= allowed;
  if (fits(section.text)) return section;
  const lines = linesOf(section);
  const count = greatest(0, lines.length, (many) => fits(withLines(section, many).text));
  if (count > 0) return withLines(section, count);
  const line = (section.shrinks === true ? lines.at(-1) : lines[0]) ?? "";
  const text = section.shrinks === true ? endOf(line, allowed, measure) : beginningOf(line, allowed, measure);
  return text.length > lineUnitsMin ? { ...section, text, shortened: nothingOf(section) } : undefined;
}

/** A shorter part of a line says nothing. The unit is UTF-16 code units. */
const lineUnitsMin = 40;

function beginningOf(line: string, allowed: number, measure: Measure): string {
  return `${cut(line, allowed, (text) => measure(`${text}…`)).kept}…`;
}

function endOf(line: string, allowed: number, measure: Measure): string {
  const dropped = line.length - greatest(0, line.length, (units) => measure(`…${line.slice(-units)}`) <= allowed);
  const end = line.slice(dropped);
  return `…${/^[\udc00-\udfff]/.test(end) ? end.slice(1) : end}`;
}

function withLines(section: WorkingSection, count: number): FittedSection {
  const lines = linesOf(section);
  if (count >= lines.length) return section;
  const kept = section.shrinks === true ? lines.slice(lines.length - count) : lines.slice(0, count);
  const shortened = { shownLines: count, lines: lines.length };
  return { ...section, text: kept.join("\n").trim(), shortened };
}

function nothingOf(section: WorkingSection): { readonly shownLines: number; readonly lines: number } {
  return { shownLines: 0, lines: linesOf(section).length };
}

function linesOf({ text }: WorkingSection): readonly string[] {
  return text.split("\n");
}

function byPriority(sections: readonly WorkingSection[]): readonly WorkingSection[] {
  return sections.toSorted((one, other) => other.priority - one.priority);
}

/**
 * The result is the greatest whole number from `from` to `to` for which `holds` is true. `holds` is true up to there and not
 * beyond. If it is true for none, the result is `from`.
 */
function greatest(from: number, to: number, holds: (count: number) => boolean): number {
  let held = from;
  let failed = to + 1;
  while (failed - held > 1) {
    const middle = Math.floor((held + failed) / 2);
    if (holds(middle)) held = middle;
    else failed = middle;
  }
  return held;
}

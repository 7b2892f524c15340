/** The working-memory file: a Markdown page that a host puts into each context, and that says how long it holds. */
import { type Measure, wellFormed } from "../action/text.ts";
import { type FittedSection, fitSections, leastOf, type WorkingSection } from "./working-memory-fit.ts";
import { localTime } from "./working-memory-time.ts";

const title = "# SCRATCHPAD.md — Working Memory (auto-generated)";

/** A section that should be there and is not. */
export interface MissingSection {
  readonly name: string;
  readonly why: string;
}

export interface WorkingMemoryParts {
  readonly now: Date;
  readonly utcOffsetHours: number;
  readonly ttlMinutes: number;
  readonly sections: readonly WorkingSection[];
  readonly missing: readonly MissingSection[];
  /** The text stays under so many tokens, as `measure` counts them. */
  readonly tokensUnder: number;
  readonly measure: Measure;
}

export interface RenderedMemory {
  readonly text: string;
  /** These sections stand in the text, in its order. */
  readonly sections: readonly FittedSection[];
  /** Names of those that were dropped for length. */
  readonly leftOut: readonly string[];
}

/**
 * The sections stand in their order. If they are too long together, each is shortened to its share; if the shares are too small, the lowest
 * priority is dropped. Without sections, the head remains.
 */
export function renderWorkingMemory(parts: WorkingMemoryParts): RenderedMemory {
  let sections: readonly WorkingSection[] = parts.sections.map((section) => ({
    ...section,
    text: asBody(section.text),
  }));
  const leftOut: string[] = [];
  const page = {
    of: (fitted: readonly FittedSection[]) => parts.measure(pageOf(parts, fitted, leftOut)),
    under: parts.tokensUnder,
    measure: parts.measure,
  };
  for (;;) {
    const fitted = fitSections(sections, page);
    if (fitted !== undefined) return { text: pageOf(parts, fitted, leftOut), sections: fitted, leftOut };
    const least = leastOf(sections);
    if (least === undefined) return { text: briefPage(parts, leftOut.length), sections, leftOut };
    leftOut.push(least.name);
    sections = sections.filter((section) => section !== least);
  }
}

export interface ParsedMemory {
  /** This is an ISO time with its offset. It is absent if the file does not say it. */
  readonly updated?: string;
  readonly ttlMinutes?: number;
  /** The keys are the names of the sections. */
  readonly sections: Readonly<Record<string, string>>;
}

/** Only what stands before the first section can be the time and its validity. */
export function parseWorkingMemory(text: string): ParsedMemory {
  const [head = "", ...bodies] = text.replaceAll("\r\n", "\n").split(/^## /m);
  const updated = /^<!-- Updated: (\S+) -->$/m.exec(head)?.[1];
  const ttlMinutes = /^<!-- TTL: (\d+(?:\.\d+)?) minutes\b/m.exec(head)?.[1];
  const sections: Record<string, string> = Object.create(null);
  for (const body of bodies) {
    const end = body.indexOf("\n");
    if (end !== -1) sections[body.slice(0, end)] = body.slice(end + 1).trim();
  }
  return {
    ...(updated === undefined || Number.isNaN(Date.parse(updated)) ? {} : { updated }),
    ...(ttlMinutes === undefined ? {} : { ttlMinutes: Number(ttlMinutes) }),
    sections,
  };
}

/** The result says whether a text is a file of this kind, so that it may be written over. */
export function isWorkingMemory(text: string): boolean {
  return text.startsWith(title);
}

function pageOf(parts: WorkingMemoryParts, sections: readonly FittedSection[], leftOut: readonly string[]): string {
  const missing = parts.missing.map(({ name, why }) => `${name} (${why})`);
  const shortened = sections.flatMap(({ name, shortened: by }) => (by === undefined ? [] : [shortenedBy(name, by)]));
  const head = [
    ...headOf(parts),
    ...(missing.length === 0 ? [] : [comment(`Missing: ${missing.join("; ")}`)]),
    ...(shortened.length === 0 ? [] : [comment(`Shortened: ${shortened.join(", ")}`)]),
    ...(leftOut.length === 0 ? [] : [comment(`Left out for length: ${leftOut.join(", ")}`)]),
  ];
  return `${[head.join("\n"), ...sections.map(({ name, text }) => `## ${name}\n${text}`)].join("\n\n")}\n`;
}

function briefPage(parts: WorkingMemoryParts, leftOut: number): string {
  const { length: missing } = parts.missing;
  const said = [
    ...(missing === 0 ? [] : [comment(`Missing: ${missing}`)]),
    ...(leftOut === 0 ? [] : [comment(`Left out for length: ${leftOut}`)]),
  ];
  return `${[...headOf(parts), ...said].join("\n")}\n`;
}

function headOf({ now, utcOffsetHours, ttlMinutes }: WorkingMemoryParts): string[] {
  return [
    title,
    comment(`Updated: ${localTime(now, utcOffsetHours).iso}`),
    comment(`TTL: ${ttlMinutes} minutes — ignore if older`),
  ];
}

/** One line, which no text in it can end. */
function comment(text: string): string {
  return `<!-- ${text.replace(/\s+/g, " ").replaceAll("--", "—")} -->`;
}

function shortenedBy(name: string, { shownLines, lines }: NonNullable<FittedSection["shortened"]>): string {
  return lines === 1 ? name : `${name} (${Math.max(1, shownLines)} of ${lines} lines)`;
}

/** A section can neither open another one nor say how old the file is: its headings and comments are none any more. */
function asBody(text: string): string {
  return wellFormed(text)
    .replaceAll("\r\n", "\n")
    .replace(/^#{1,2}(?=\s)/gm, "###")
    .replaceAll("<!--", "<! --")
    .trim();
}

/** The working-memory file: a Markdown page that a host puts into each context, and that says how long it holds. */
import type { Measure } from "../action/text.ts";
import { localTime } from "./working-memory-time.ts";

const title = "# SCRATCHPAD.md — Working Memory (auto-generated)";

export interface WorkingSection {
  /** Its heading. */
  readonly name: string;
  readonly text: string;
  /** Where there is too much, the lowest goes first. */
  readonly priority: number;
  /** Its first lines may go before all of it does: the last ones are the newest. */
  readonly shrinks?: boolean;
}

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
  /** What stands in the text, in its order. */
  readonly sections: readonly WorkingSection[];
  /** Names of those that were dropped for length. */
  readonly leftOut: readonly string[];
}

/** Sections in their order, dropped by their priority until the text is short enough. Without any, the head remains. */
export function renderWorkingMemory(parts: WorkingMemoryParts): RenderedMemory {
  const fits = (text: string): boolean => parts.measure(text) < parts.tokensUnder;
  let sections: readonly WorkingSection[] = parts.sections.map((section) => ({
    ...section,
    text: asBody(section.text),
  }));
  const leftOut: string[] = [];
  for (;;) {
    const text = pageOf(parts, sections, leftOut);
    const least = leastOf(sections);
    if (fits(text) || least === undefined) {
      return { text: fits(text) ? text : briefPage(parts, leftOut.length), sections, leftOut };
    }
    const shrunk = least.shrinks
      ? shrunkToFit(least, sections, (rest) => fits(pageOf(parts, rest, leftOut)))
      : undefined;
    if (shrunk === undefined) leftOut.push(least.name);
    sections = shrunk ?? sections.filter((section) => section !== least);
  }
}

export interface ParsedMemory {
  /** ISO time with its offset; absent where the file does not say. */
  readonly updated?: string;
  readonly ttlMinutes?: number;
  /** By name. */
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

/** Whether a text is a file of this kind, so that it may be written over. */
export function isWorkingMemory(text: string): boolean {
  return text.startsWith(title);
}

function pageOf(parts: WorkingMemoryParts, sections: readonly WorkingSection[], leftOut: readonly string[]): string {
  const missing = parts.missing.map(({ name, why }) => `${name} (${why})`);
  const head = [
    ...headOf(parts),
    ...(missing.length === 0 ? [] : [comment(`Missing: ${missing.join("; ")}`)]),
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

function leastOf(sections: readonly WorkingSection[]): WorkingSection | undefined {
  return sections.reduce<WorkingSection | undefined>(
    (least, section) => (least === undefined || section.priority <= least.priority ? section : least),
    undefined,
  );
}

function shrunkToFit(
  least: WorkingSection,
  sections: readonly WorkingSection[],
  fits: (sections: readonly WorkingSection[]) => boolean,
): readonly WorkingSection[] | undefined {
  const lines = least.text.split("\n");
  for (let first = 1; first < lines.length; first += 1) {
    const text = lines.slice(first).join("\n").trim();
    if (text === "") return undefined;
    const rest = sections.map((section) => (section === least ? { ...section, text } : section));
    if (fits(rest)) return rest;
  }
  return undefined;
}

/** A section can neither open another one nor say how old the file is: its headings and comments are none any more. */
function asBody(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .replace(/^#{1,2}(?=\s)/gm, "###")
    .replaceAll("<!--", "<! --")
    .trim();
}

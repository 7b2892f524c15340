/** Sections of a journal that other parts of a host wrote: they belong into the file, and are theirs to change. */
import type { JournalView } from "../prompt/journal-view.ts";
import type { WorkingSection } from "../prompt/working-memory-fit.ts";

/** Like that of alerts: who writes a section means it to be seen. */
const othersPriority = 70;

/** `providers`: names, with their priority. `actors`: under which names the assembler itself signs. */
export interface Assembler {
  readonly now: Date;
  readonly providers: ReadonlyMap<string, number>;
  readonly actors: readonly string[];
}

export interface OthersSections {
  /** These sections are still valid. */
  readonly shown: readonly WorkingSection[];
  /** These are the names of all sections of others, also of those that are valid no longer. */
  readonly names: ReadonlySet<string>;
}

/**
 * A section is the assembler's own where it signed it and has a provider for it now. Where nobody is known to have
 * written it, as in a fork, it is its own if a provider of that name has something to say: `said`.
 */
export async function othersSections(
  journal: JournalView,
  { now, providers, actors }: Assembler,
  said: ReadonlySet<string>,
): Promise<OthersSections> {
  const authors = await authorsOf(journal);
  const others = Object.entries(journal.state.sections).filter(([name, { text }]) => {
    const author = authors.get(signature(name, text));
    if (!providers.has(name)) return true;
    return author === undefined ? !said.has(name) : !actors.includes(author);
  });
  const holds = ({ at, ttlMinutes }: { at: string; ttlMinutes?: number }): boolean =>
    ttlMinutes === undefined || now.getTime() <= Date.parse(at) + ttlMinutes * 60_000;
  return {
    shown: others
      .filter(([, section]) => holds(section))
      .map(([name, { text }]) => ({ name, text, priority: providers.get(name) ?? othersPriority })),
    names: new Set(others.map(([name]) => name)),
  };
}

/** Who wrote each text last; a restored one is still its author's. */
async function authorsOf(journal: JournalView): Promise<ReadonlyMap<string, string>> {
  const authors = new Map<string, string>();
  for await (const { event, actor } of journal.history()) {
    if (event.type === "section.written") authors.set(signature(event.name, event.text), actor);
  }
  return authors;
}

function signature(name: string, text: string): string {
  return JSON.stringify([name, text]);
}

/** Under a name that both have, the text of the others comes first. */
export function withOthers(own: readonly WorkingSection[], others: readonly WorkingSection[]): WorkingSection[] {
  const theirs = new Map(others.map((section) => [section.name, section]));
  const merged = own.map((section) => {
    const other = theirs.get(section.name);
    theirs.delete(section.name);
    return other === undefined ? section : { ...section, text: joined(other.text, section.text) };
  });
  return [...merged, ...theirs.values()].filter(({ text }) => text.trim() !== "");
}

function joined(text: string, more: string): string {
  const lines = text.trimEnd().split("\n");
  return [...lines, ...more.split("\n").filter((line) => !lines.includes(line))].join("\n");
}

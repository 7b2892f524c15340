/** Records the sections of a working-memory file in its journal. */
import type { Journal } from "../journal/public.ts";
import type { MissingSection, RenderedMemory } from "../prompt/working-memory.ts";
import type { WorkingSection } from "../prompt/working-memory-fit.ts";
import { own } from "../state/own.ts";

export interface Recording {
  readonly journal: Pick<Journal, "state" | "applyAll">;
  /** Names of the sections that are the assembler's to write and to clear. */
  readonly own: readonly string[];
  readonly now: Date;
  readonly ttlMinutes: number;
  readonly actor: string;
  readonly sections: readonly WorkingSection[];
  readonly missing: readonly MissingSection[];
  readonly render: (sections: readonly WorkingSection[], missing: readonly MissingSection[]) => RenderedMemory;
}

/**
 * One commit, of what changed: own sections of the text are written, those no longer in it are cleared. A section that
 * the journal refuses is not in the file either.
 */
export async function recordSections(
  recording: Recording,
): Promise<{ rendered: RenderedMemory; missing: readonly MissingSection[] }> {
  const { journal, own, ttlMinutes, actor, sections, missing, render } = recording;
  const rendered = render(sections, missing);
  const shown = new Set(rendered.sections.map(({ name }) => name));
  const old = own.filter((name) => !shown.has(name) && Object.hasOwn(journal.state.sections, name));
  const changed = rendered.sections.filter(
    ({ name, text }) => own.includes(name) && !isRecorded(recording, name, text),
  );
  const actions = [
    ...old.map((name) => ({ action: "sections.clear", name }) as const),
    ...changed.map(({ name, text: content }) => ({ action: "sections.write", name, content, ttlMinutes }) as const),
  ];
  const answers = actions.length === 0 ? [] : await journal.applyAll(actions, { actor });
  const at = answers.findIndex(({ ok, code }) => !ok && code !== "not_applied");
  const refused = actions[at];
  if (refused === undefined) return { rendered, missing };
  const why = `refused: ${answers[at]?.message}`;
  const isWrite = refused.action === "sections.write";
  return recordSections({
    ...recording,
    // A refused clearing means that somebody else has cleared it: the next look at the state knows.
    sections: isWrite ? sections.filter(({ name }) => name !== refused.name) : sections,
    missing: isWrite ? [...missing, { name: refused.name, why }] : missing,
  });
}

/** The result says whether the section is recorded as it would be written, and is still valid. */
function isRecorded({ journal, ttlMinutes, now }: Recording, name: string, text: string): boolean {
  const section = own(journal.state.sections, name);
  if (section === undefined || section.text !== text || section.ttlMinutes !== ttlMinutes) return false;
  return now.getTime() <= Date.parse(section.at) + ttlMinutes * 60_000;
}

/** Which lines an event took from the spaces, and who had written them. */
import type { Space } from "../action/actions.ts";
import type { RecordedEvent, ScratchpadEvent } from "../event/event.ts";
import { type AuthoredLines, type Authorship, noLines } from "./blame.ts";
import { matchLines } from "./lines.ts";

/** These are lines of one author in one text, or one ref. */
export interface TakenLines {
  /** Whether the event put other text there, or only took. */
  readonly reason: "replaced" | "removed";
  readonly space: Space;
  /** This is the key of the entry, or the name of the section. */
  readonly key?: string;
  readonly author: RecordedEvent;
  /** The lines are what went, once they are joined by "\n". */
  readonly lines: readonly string[];
}

/** The lines come in the order of the spaces. A line that only moved is not taken. */
export function takenLines(before: Authorship, after: Authorship, { event }: RecordedEvent): TakenLines[] {
  if (before === after) return [];
  return [
    ...takenFrom("notes", before.notes, after.notes),
    ...takenFrom("plan", before.plan, after.plan),
    // The ref that made room is an eviction.
    ...(event.type === "ref.added" ? [] : takenFrom("refs", before.refs, after.refs).flatMap(eachLine)),
    ...takenFromEach("entries", before.entries, after.entries, event),
    ...takenFromEach("sections", before.sections, after.sections, event),
  ];
}

function takenFromEach(
  space: "entries" | "sections",
  before: Authorship[typeof space],
  after: Authorship[typeof space],
  event: ScratchpadEvent,
): TakenLines[] {
  if (before === after) return [];
  const keys = namedIn(event) ?? [...before.keys()];
  return keys.flatMap((key) =>
    takenFrom(space, before.get(key) ?? noLines, after.get(key) ?? noLines).map((part) => ({ ...part, key })),
  );
}

/** The result has the key of the only entry or section that the event may have changed, if it names one. */
function namedIn(event: ScratchpadEvent): readonly string[] | undefined {
  if ("key" in event) return [event.key];
  return "name" in event ? [event.name] : undefined;
}

function takenFrom(space: Space, before: AuthoredLines, after: AuthoredLines): TakenLines[] {
  if (before === after) return [];
  const matches = matchLines(before.lines, after.lines);
  const kept = new Set(matches);
  const added = new Map<string, number>();
  after.lines.forEach((line, index) => {
    if (matches[index] === -1) added.set(line, (added.get(line) ?? 0) + 1);
  });
  const isReplaced = [...added.keys()].some((line) => line.trim() !== "");
  const byActor = new Map<string, { author: RecordedEvent; lines: string[] }>();
  before.lines.forEach((line, index) => {
    const author = before.authors[index];
    if (kept.has(index) || author === undefined) return;
    const moved = added.get(line) ?? 0;
    if (moved > 0) {
      added.set(line, moved - 1);
      return;
    }
    const part = byActor.get(author.actor) ?? { author, lines: [] };
    part.lines.push(line);
    byActor.set(author.actor, part);
  });
  return [...byActor.values()].map((part) => ({ reason: isReplaced ? "replaced" : "removed", space, ...part }));
}

function eachLine(taken: TakenLines): TakenLines[] {
  return taken.lines.map((line) => ({ ...taken, lines: [line] }));
}

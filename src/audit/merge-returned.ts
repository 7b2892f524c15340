/**
 * Two sessions that merge each other at the same time each hold what came from the other one, and know no state in which both had all
 * of that. What came from us is left out of theirs, because we have it, or have taken it away since.
 */
import type { RecordedEvent } from "../event/event.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { AuthoredLines, Authorship } from "./blame.ts";

/** The event merged something of ours into theirs. */
export type IsReturned = (recorded: RecordedEvent) => boolean;

/** An entry that came from us is as it was in `base`. `newestOf` answers the newest event about an entry. */
export function withoutReturned(
  theirs: Authorship,
  base: ScratchpadState,
  isReturned: IsReturned,
  newestOf: (key: string) => RecordedEvent | undefined,
): Authorship {
  const [notes, plan, refs] = [theirs.notes, theirs.plan, theirs.refs].map((lines) => kept(lines, isReturned)) as [
    AuthoredLines,
    AuthoredLines,
    AuthoredLines,
  ];
  const entries: Record<string, string> = Object.assign(Object.create(null), theirs.state.entries);
  for (const key of new Set([...Object.keys(base.entries), ...Object.keys(entries)])) {
    const newest = newestOf(key);
    if (newest === undefined || !isReturned(newest) || !tells(newest, own(entries, key))) continue;
    const before = own(base.entries, key);
    if (before === undefined) delete entries[key];
    else entries[key] = before;
  }
  const state = {
    ...theirs.state,
    notes: notes.lines.join("\n"),
    plan: plan.lines.join("\n"),
    refs: refs.lines,
    entries,
  };
  return { ...theirs, state, notes, plan, refs };
}

function kept({ lines, authors }: AuthoredLines, isReturned: IsReturned): AuthoredLines {
  const isKept = (_: unknown, index: number): boolean => !isReturned(authors[index] as RecordedEvent);
  return { lines: lines.filter(isKept), authors: authors.filter(isKept) };
}

/** A restore may stand behind it. */
function tells({ event }: RecordedEvent, text: string | undefined): boolean {
  return event.type === "entry.written" ? event.text === text : event.type === "entry.deleted" && text === undefined;
}

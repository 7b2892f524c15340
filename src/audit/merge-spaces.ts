/** One space of two sessions, merged: by lines, as a list, or key by key. */
import type { Action } from "../action/actions.ts";
import type { Measure } from "../action/text.ts";
import type { RecordedEvent } from "../event/event.ts";
import { given, withoutHalf } from "../options.ts";
import { own } from "../state/own.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Authorship } from "./blame.ts";
import { splitLines } from "./lines.ts";
import type { MergedSpace, News } from "./merge-base.ts";
import { type MergedLine, type MergeSide, mergeLines } from "./merge-lines.ts";
import { without, withoutRemoved } from "./merge-returned.ts";

/** Both changed this text, and not in the same way. A side is undefined if the text is not there. */
export interface MergeConflict {
  /** The text stands in this space. */
  readonly space: MergedSpace;
  /** This is the key of the entry. */
  readonly key?: string;
  /** This is the text that both knew last. */
  readonly base?: string;
  /** This is the text of this session. */
  readonly ours?: string;
  /** This is the text of the other session. */
  readonly theirs?: string;
}

/** This is an action of a merge, with the actor who is named for it. */
export interface MergeStep {
  /** This is what is to be applied. */
  readonly action: Action;
  /** This is its author in the other session, with the beginning of that session's id, or who is named for all of the merge. */
  readonly actor: string;
  /** This is where the text came from, as it is recorded there. */
  readonly source?: string;
}

/** This is what one space is merged from. */
export interface Merge {
  readonly base: ScratchpadState;
  readonly ours: ScratchpadState;
  readonly theirs: Authorship;
  readonly news: News;
  /** This is the id of the other session. */
  readonly session: string;
  readonly side: MergeSide;
  /** This is how much room a text of an entry takes. */
  readonly bytes: Measure;
}

/** This is what becomes of one space. */
export interface MergedPart {
  readonly steps: readonly MergeStep[];
  readonly conflicts: readonly MergeConflict[];
  readonly state: Partial<ScratchpadState>;
}

export function mergedSpace(space: MergedSpace, merge: Merge): MergedPart {
  switch (space) {
    case "notes":
    case "plan":
      return mergedText(space, merge);
    case "refs":
      return mergedRefs(merge);
    case "entries":
      return mergedEntries(merge);
  }
}

/** Each author's lines are an action of its own, so that blame tells who wrote them. */
function mergedText(space: "notes" | "plan", merge: Merge): MergedPart {
  const linesOf = (state: ScratchpadState) => splitLines(state[space]);
  const texts = [linesOf(merge.base), linesOf(merge.ours), linesOf(merge.theirs.state)] as const;
  const { lines: found, conflicts } = mergeLines(...texts, merge.side);
  const lines = merge.news.isCrossed && conflicts.length === 0 ? withoutRemoved(found, texts) : found;
  const { authors } = merge.theirs[space];
  const writerOf = ({ theirs }: MergedLine): string | undefined =>
    theirs === undefined ? undefined : keyOf(authors[theirs]);
  const written = lines.flatMap(({ theirs }) => (theirs === undefined ? [] : [authors[theirs] as RecordedEvent]));
  const writers = new Map<string, RecordedEvent | undefined>(
    written.toSorted((a, b) => a.version - b.version).map((each) => [keyOf(each), each]),
  );
  if (writers.size === 0) writers.set("", merge.news.newest(space));
  const steps: MergeStep[] = [];
  const taken = new Set<string | undefined>([undefined]);
  let now = merge.ours[space];
  for (const [writer, recorded] of writers) {
    taken.add(writer);
    const next = textOf(lines.filter((line) => taken.has(writerOf(line))));
    if (next !== now) steps.push(stepBy(recorded, merge, changeTo(space, now, next)));
    now = next;
  }
  return {
    steps,
    conflicts: conflicts.map(({ base, ours, theirs }) => ({
      space,
      ...present({ base: textIn(base), ours: textIn(ours), theirs: textIn(theirs) }),
    })),
    state: { [space]: textOf(lines) },
  };
}

/** No lines are no text; one empty line is one. */
function textIn(lines: readonly string[]): string | undefined {
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** Whoever wrote, and from where: lines of one such are one action. */
function keyOf(recorded: RecordedEvent | undefined): string {
  return JSON.stringify([recorded?.actor, recorded?.source]);
}

function textOf(lines: readonly MergedLine[]): string {
  return lines.map(({ text }) => text).join("\n");
}

function changeTo(space: "notes" | "plan", before: string, after: string): Action {
  if (space === "plan") return { action: "set_plan", content: after };
  if (before === "") return { action: "append_notes", content: after };
  if (after.startsWith(`${before}\n`)) return { action: "append_notes", content: after.slice(before.length + 1) };
  return { action: "set_notes", content: after };
}

/** A list without places: what they added comes, what they removed goes, once where ours did the same. */
function mergedRefs(merge: Merge): MergedPart {
  const [base, ours, theirs] = [merge.base.refs, merge.ours.refs, merge.theirs.state.refs] as const;
  const removed = without(without(base, theirs), without(base, ours));
  const added = without(without(theirs, base), without(ours, base));
  const refs = [...without(ours, removed), ...added];
  return { steps: refSteps(removed, added, refs, merge), conflicts: [], state: { refs } };
}

/** An empty ref can only be set, with all the others. */
function refSteps(
  removed: readonly string[],
  added: readonly string[],
  refs: readonly string[],
  merge: Merge,
): readonly MergeStep[] {
  if (removed.includes("") || added.includes(""))
    return [stepBy(merge.news.newest("refs removed"), merge, { action: "refs.set", items: refs })];
  return [
    ...removed.map((ref) => stepBy(merge.news.newest("refs removed"), merge, { action: "refs.remove", ref })),
    ...added.map((ref) => stepBy(refAuthor(ref, merge), merge, { action: "refs.add", ref })),
  ];
}

function refAuthor(ref: string, { theirs }: Merge): RecordedEvent | undefined {
  const { lines, authors } = theirs.refs;
  return authors[lines.lastIndexOf(ref)];
}

/** An entry is one value: of two that differ, nobody can make a third. */
function mergedEntries(merge: Merge): MergedPart {
  const conflicts: MergeConflict[] = [];
  const changes: { readonly step: MergeStep; readonly grows: number }[] = [];
  const entries: Record<string, string> = Object.assign(Object.create(null), merge.ours.entries);
  const keys = new Set([...Object.keys(merge.base.entries), ...Object.keys(merge.theirs.state.entries)]);
  for (const key of keys) {
    const [base, ours, theirs] = [merge.base, merge.ours, merge.theirs.state].map((state) => own(state.entries, key));
    if (theirs === base || theirs === ours) continue;
    if (ours !== base) conflicts.push({ space: "entries", key, ...present({ base, ours, theirs }) });
    const text = ours === base ? theirs : decided(ours, theirs, merge.side);
    if (text === ours) continue;
    if (text === undefined) delete entries[key];
    else entries[key] = text;
    const step = stepBy(merge.news.newest(`entry ${key}`), merge, entryAction(key, text));
    changes.push({ step, grows: merge.bytes(text ?? "") - merge.bytes(ours ?? "") });
  }
  // What makes room comes first: else the budget has none in between.
  const steps = changes.toSorted((a, b) => a.grows - b.grows).map(({ step }) => step);
  return { steps, conflicts, state: { entries } };
}

function entryAction(key: string, text: string | undefined): Action {
  return text === undefined ? { action: "entries.delete", key } : { action: "entries.write", key, content: text };
}

function decided(ours: string | undefined, theirs: string | undefined, side: MergeSide): string | undefined {
  switch (side) {
    case "ours":
      return ours;
    case "theirs":
      return theirs;
    case "both":
      return ours === undefined || theirs === undefined ? (ours ?? theirs) : `${ours}\n${theirs}`;
  }
}

function present(texts: Readonly<Record<string, string | undefined>>) {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined));
}

/** Most sessions have one actor, "agent": which session that was must be told, too. */
function stepBy(recorded: RecordedEvent | undefined, { session }: Merge, action: Action): MergeStep {
  const actor = `${recorded?.actor ?? "agent"}@${withoutHalf(session.slice(0, 8))}`;
  return { action, actor, ...given({ source: recorded?.source }) };
}

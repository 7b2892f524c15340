/**
 * This file names who wrote each line that stands. A line keeps its author through edits elsewhere, appends, finding and replacing in other
 * lines, and rewrites that leave it as it was. A line that stands again after a restore belongs to whoever wrote it first, as far as the
 * restored version tells; what a fork brought along belongs to the fork.
 */

import type { Space } from "../action/actions.ts";
import { spaces } from "../action/measures.ts";
import type { RecordedEvent, ScratchpadEvent, Version } from "../event/event.ts";
import { given, requireChoice } from "../options.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { matchLines, splitLines } from "./lines.ts";

/** This is one line with the event that wrote it. */
export interface BlamedLine {
  /** The line stands in this space. */
  readonly space: Space;
  /** This is the key of the entry, or the name of the section. */
  readonly key?: string;
  /** The line is counted from 1, separately in each entry and section. For a ref it is its position. */
  readonly line: number;
  /** This is the line, without its line break. */
  readonly text: string;
  /** This is the version of the event that wrote it. */
  readonly version: Version;
  /** The event happened in this turn. What comes before the first turn is 0. */
  readonly turn: number;
  /** This actor wrote it. */
  readonly actor: string;
  /** This is an ISO time. */
  readonly at: string;
  /** This is the id of the call, if the caller gave one. */
  readonly command?: string;
  /** This is the source of the text, if the host named one. */
  readonly source?: string;
}

/** These are lines, each with the event that wrote it. */
export interface AuthoredLines {
  readonly lines: readonly string[];
  readonly authors: readonly RecordedEvent[];
}

/** An authorship is a state together with the author of every line in it. */
export interface Authorship {
  readonly state: ScratchpadState;
  readonly notes: AuthoredLines;
  readonly plan: AuthoredLines;
  readonly refs: AuthoredLines;
  readonly entries: ReadonlyMap<string, AuthoredLines>;
  readonly sections: ReadonlyMap<string, AuthoredLines>;
}

export const noLines: AuthoredLines = { lines: [], authors: [] };

/** The authorship of the initial state: nobody wrote nothing. */
export const initialAuthorship: Authorship = {
  state: initialState,
  notes: noLines,
  plan: noLines,
  refs: noLines,
  entries: new Map(),
  sections: new Map(),
};

/**
 * Answers who wrote each line of the state that `events` add up to, in the order of the spaces. Empty notes and an empty plan
 * have no line; an empty entry or section has one.
 *
 * @param events A history from its start, as `journal.history()` gives it.
 * @param space Leaves out the other spaces.
 * @throws What `events` throws, if it is a generator, and a TypeError for a space that does not exist.
 * @example
 * const events = [];
 * for await (const event of journal.history()) events.push(event);
 * blame(events, "plan")[0]; // { space: "plan", line: 1, text: "1. Fix", version: 1, actor: "agent", … }
 */
export function blame(events: Iterable<RecordedEvent>, space?: Space): BlamedLine[] {
  if (space !== undefined) requireChoice(spaces, space, "space");
  let end = initialAuthorship;
  for (const { after } of attributedAll([...events])) end = after;
  return blamedLines(end, space);
}

/** It returns the authorship at an earlier version, which a restore of that version needs. */
type Recall = (version: Version) => Authorship | undefined;

/** This is an event together with the authorship before and after it. */
export interface AttributedEvent {
  readonly recorded: RecordedEvent;
  readonly before: Authorship;
  readonly after: Authorship;
}

/** The history is held in memory. */
export function* attributedAll(history: readonly RecordedEvent[]): Generator<AttributedEvent, undefined> {
  const attribution = new Attribution(history.flatMap(restoredIn));
  let before = initialAuthorship;
  for (const recorded of history) {
    const after = attribution.take(recorded);
    yield { recorded, before, after };
    before = after;
  }
}

/** The history is not held in memory. `read` begins at the initial state; it is read again if something was restored. */
export async function* attributed(
  read: () => AsyncIterable<RecordedEvent>,
): AsyncGenerator<AttributedEvent, undefined> {
  let attribution: Attribution | undefined;
  let before = initialAuthorship;
  const plain = new Attribution([]);
  for await (const recorded of read()) {
    if (attribution === undefined && recorded.event.type === "state.restored") {
      attribution = await attributionBefore(recorded.version, read);
    }
    const after = (attribution ?? plain).take(recorded);
    yield { recorded, before, after };
    before = after;
  }
}

/** Knows what restores come back to. */
async function attributionBefore(version: Version, read: () => AsyncIterable<RecordedEvent>): Promise<Attribution> {
  const restored: Version[] = [];
  for await (const recorded of read()) restored.push(...restoredIn(recorded));
  const attribution = new Attribution(restored);
  for await (const recorded of read()) {
    if (recorded.version >= version) break;
    attribution.take(recorded);
  }
  return attribution;
}

function restoredIn({ event }: RecordedEvent): Version[] {
  return event.type === "state.restored" ? [event.to] : [];
}

/** It computes the authorship of a history, event by event. */
class Attribution {
  readonly #points: readonly Version[];
  readonly #remembered = new Map<Version, Authorship>();
  #authorship = initialAuthorship;
  #next = 0;

  /** `restored`: the versions that restores come back to. */
  constructor(restored: readonly Version[]) {
    this.#points = [...new Set(restored)].sort((a, b) => a - b);
  }

  take(recorded: RecordedEvent): Authorship {
    for (let point = this.#points[this.#next]; point !== undefined && point < recorded.version; ) {
      this.#remembered.set(point, this.#authorship);
      point = this.#points[++this.#next];
    }
    this.#authorship = attribute(this.#authorship, recorded, this.#recall);
    return this.#authorship;
  }

  readonly #recall: Recall = (version) => this.#remembered.get(version);
}

/** The result is the authorship after one more event. */
export function attribute(before: Authorship, recorded: RecordedEvent, recall: Recall): Authorship {
  const { event } = recorded;
  const state = evolve(before.state, event);
  if (state === before.state) return before;
  const known =
    event.type === "session.forked"
      ? initialAuthorship
      : event.type === "state.restored"
        ? recall(event.to)
        : undefined;
  const from = known ?? before;
  const text = (old: AuthoredLines, lines: readonly string[]): AuthoredLines => carry(old, lines, recorded);
  return {
    state,
    notes: state.notes === from.state.notes ? from.notes : text(from.notes, splitLines(state.notes)),
    plan: state.plan === from.state.plan ? from.plan : text(from.plan, splitLines(state.plan)),
    refs: state.refs === from.state.refs ? from.refs : text(from.refs, state.refs),
    entries: carryEach(from.entries, from.state.entries, state.entries, (text) => text, recorded),
    sections: carryEach(from.sections, from.state.sections, state.sections, ({ text }) => text, recorded),
  };
}

function carry(old: AuthoredLines, lines: readonly string[], recorded: RecordedEvent): AuthoredLines {
  const matches = matchesOf(recorded.event, old.lines, lines);
  return { lines, authors: lines.map((_, line) => old.authors[matches[line] ?? -1] ?? recorded) };
}

/** Where the event itself says which lines stayed, equal lines beside each other cannot be mistaken for one another. */
function matchesOf(event: ScratchpadEvent, before: readonly string[], after: readonly string[]): number[] {
  const shift = after.length - before.length;
  const prepended = event.type === "notes.edited" && event.operation === "prepend";
  if (prepended || event.type === "ref.added") {
    const offset = prepended ? -shift : 1 - shift;
    return after.map((_, line) => line + offset);
  }
  if (event.type === "ref.removed") {
    const removed = before.indexOf(event.ref);
    return after.map((_, line) => (line < removed ? line : line + 1));
  }
  return matchLines(before, after);
}

function carryEach<Item>(
  old: ReadonlyMap<string, AuthoredLines>,
  before: Readonly<Record<string, Item>>,
  after: Readonly<Record<string, Item>>,
  textOf: (item: Item) => string,
  recorded: RecordedEvent,
): ReadonlyMap<string, AuthoredLines> {
  if (before === after) return old;
  const carried = new Map<string, AuthoredLines>();
  for (const [key, item] of Object.entries(after)) {
    const lines = old.get(key) ?? noLines;
    carried.set(key, before[key] === item ? lines : carry(lines, textOf(item).split("\n"), recorded));
  }
  return carried;
}

export function blamedLines(authorship: Authorship, only?: Space): BlamedLine[] {
  const all: BlamedLine[] = [];
  const put = (space: Space, key: string | undefined, { lines, authors }: AuthoredLines): void => {
    lines.forEach((text, index) => {
      const author = authors[index];
      if (author !== undefined) all.push(blamedLine(space, key, index + 1, text, author));
    });
  };
  for (const space of spaces) {
    if (only !== undefined && only !== space) continue;
    const held = authorship[space];
    if ("lines" in held) put(space, undefined, held);
    else for (const [key, lines] of held) put(space, key, lines);
  }
  return all;
}

function blamedLine(
  space: Space,
  key: string | undefined,
  line: number,
  text: string,
  author: RecordedEvent,
): BlamedLine {
  const { version, turn, actor, at, command, source } = author;
  return {
    space,
    ...given({ key }),
    line,
    text,
    version,
    turn,
    actor,
    at,
    ...given({ command, source }),
  };
}

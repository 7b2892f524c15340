/**
 * This file finds what was taken away: by a budget, by a refusal, by somebody else than its author, or as a step that nobody completed.
 * What authors replaced or removed themselves is listed if it is asked for.
 */

import type { RecordedEvent, Space, Version } from "../event/event.ts";
import { typeOf } from "../event/types.ts";
import { given, requireOptions } from "../options.ts";
import { type AttributedEvent, type Authorship, attributed, attributedAll, initialAuthorship } from "./blame.ts";
import { type TakenLines, takenLines } from "./lost-lines.ts";
import { droppedSteps, StepsOf, unfinishedSteps } from "./lost-steps.ts";
import { planSteps } from "./steps.ts";

/** This says why a text is no longer there. */
export type LossReason =
  /** The end of a text was beyond its budget. */
  | "truncated"
  /** The refs were beyond the budget of a whole new list. */
  | "capped"
  /** The oldest ref had to go, to make room. */
  | "evicted"
  /** A refused action offered it. */
  | "refused"
  /** Lines or refs that another actor wrote over. */
  | "replaced"
  /** These are lines or refs that another actor cleared or deleted. */
  | "removed"
  /** A step that left the plan without having been completed, whoever did it. */
  | "dropped"
  /** A step that is still open at the end. */
  | "unfinished"
  /** An old single-key value that came after notes had been written in the newer format. */
  | "ignored";

/** One text that was taken away, whole; a cut, replaced or removed list of refs is one loss for each ref. */
export interface Loss {
  /** This is the version of the event that took it. For an unfinished step it is the event that wrote its line last. */
  readonly version: Version;
  /** The event happened in this turn. */
  readonly turn: number;
  /** This is an ISO time. */
  readonly at: string;
  /** This is the actor who took it. For an unfinished step it is the actor who wrote it. */
  readonly actor: string;
  /** This is who had written it, where it was replaced, removed or dropped. */
  readonly author?: string;
  /** This is the source of the text, if the host named one. */
  readonly source?: string;
  /** This says how the text went. */
  readonly reason: LossReason;
  /** The text stood in this space, or was offered for it. */
  readonly space: Space;
  /** This is the key of the entry, or the name of the section. */
  readonly key?: string;
  /** "" where it is too deep to be told: then `unreadBytes` and `offset` say where it stands. */
  readonly text: string;
  /** This is the length of the line in bytes, if its text could not be read. */
  readonly unreadBytes?: number;
  /** This is the byte offset of that line. */
  readonly offset?: number;
}

/** These are the options of `lost`. */
export interface LostOptions {
  /** With true, the result also has what authors replaced or removed themselves. The default is false. */
  readonly all?: boolean;
}

type Taken = Pick<Loss, "reason" | "space" | "text" | "author" | "key" | "source">;

/**
 * Answers every text that `events` took away, in their order, and then the steps that are unfinished.
 *
 * @param events A history from its start, as `journal.history()` gives it.
 * @param options Whether what authors took away themselves is listed, too.
 * @throws What `events` throws, if it is a generator, and a TypeError for an option that does not exist.
 * @example
 * const events = [];
 * for await (const event of journal.history()) events.push(event);
 * lost(events).map(({ reason, text }) => `${reason}: ${text}`);
 */
export function lost(events: Iterable<RecordedEvent>, options: LostOptions = {}): Loss[] {
  requireOptions(options, "all");
  const { all = false } = options;
  const losses: Loss[] = [];
  let end = initialAuthorship;
  for (const event of attributedAll([...events])) {
    for (const loss of lossesAt(event, all)) losses.push(loss);
    end = event.after;
  }
  return [...losses, ...unfinishedIn(end)];
}

/** This does what `lost` does with a history that is not held in memory: see `attributed`. */
export async function* lostIn(
  read: () => AsyncIterable<RecordedEvent>,
  { all = false }: LostOptions = {},
): AsyncGenerator<Loss, undefined> {
  let end = initialAuthorship;
  for await (const event of attributed(read)) {
    yield* lossesAt(event, all);
    end = event.after;
  }
  yield* unfinishedIn(end);
}

/** This is what one event took away. */
export function lossesAt({ recorded, before, after }: AttributedEvent, all = false): Loss[] {
  const { version, turn, at, actor, unreadBytes, offset } = recorded;
  const place = unreadBytes === undefined ? {} : { unreadBytes, ...given({ offset }) };
  return takenBy(recorded, before, after, all).map((taken) => ({
    version,
    turn,
    at,
    actor,
    ...taken,
    ...(taken.text === "" ? place : {}),
  }));
}

/** This is what is unfinished at the end of a history. */
export function unfinishedIn(end: Authorship): Loss[] {
  return unfinishedSteps(end).map(({ text, author }): Loss => {
    const { version, turn, at, actor } = author;
    return { version, turn, at, actor, ...sourceOf(author), reason: "unfinished", space: "plan", text };
  });
}

function takenBy(recorded: RecordedEvent, before: Authorship, after: Authorship, all: boolean): Taken[] {
  const lines = takenLines(before, after, recorded)
    .filter(({ author }) => all || !isSameActor(author, recorded))
    .map((taken) => (taken.space === "plan" ? withoutStandingSteps(taken, before, after) : taken))
    .filter(({ space, lines }) => space === "refs" || lines.some((line) => line.trim() !== ""));
  const steps = droppedSteps(before, after, recorded);
  return [
    ...lines.map(({ reason, space, key, author, lines: gone }): Taken => {
      const named = key === undefined ? {} : { key };
      return { author: author.actor, ...sourceOf(author), reason, space, ...named, text: gone.join("\n") };
    }),
    ...(typeOf(recorded.event).taken?.(recorded.event) ?? []).map((taken): Taken => {
      // The ref that made room came with another event than the one that pushed it out.
      return { ...sourceOf(taken.reason === "evicted" ? before.refs.authors[0] : recorded), ...taken };
    }),
    ...steps.map(({ text, author }): Taken => {
      return { author: author.actor, ...sourceOf(author), reason: "dropped", space: "plan", text };
    }),
  ];
}

function sourceOf(author: RecordedEvent | undefined): Pick<Loss, "source"> {
  return author?.source === undefined ? {} : { source: author.source };
}

/** An older runtime's value does not say who wrote it: two of them may be anybody's. */
function isSameActor(author: RecordedEvent, remover: RecordedEvent): boolean {
  const isKnown = remover.origin === "journal" || remover.actor !== "host";
  return isKnown && author.actor === remover.actor;
}

/** The text of a step that was marked as done, or that had something added to it, was not taken away. */
function withoutStandingSteps(taken: TakenLines, before: Authorship, after: Authorship): TakenLines {
  const standing = new StepsOf(after.state.plan, before.state.plan);
  return { ...taken, lines: taken.lines.filter((line) => !planSteps(line).some((step) => standing.holds(step))) };
}

/** How a history is divided: a long turn into parts, and many turns into chapters, so that the page stays small. */
import type { RecordedEvent } from "../../../event/event.ts";

const partEventsMax = 100;
const chapterPartsMax = 50;

/** A stretch has the events after position `from`, up to `to`. */
export interface StretchPlan {
  readonly from: number;
  readonly to: number;
  readonly name: string;
  /** A chapter has no turn. */
  readonly turn?: number;
  /** These are the turns of a chapter. */
  readonly inside: readonly StretchPlan[];
}

/** This is a stretch of the history that unfolds. */
export interface Stretch extends Pick<StretchPlan, "from" | "to"> {
  /** This is what the stretch says besides its events. */
  readonly said: string;
  readonly details: HTMLDetailsElement;
  /** Unfolds it; what is inside is made the first time. */
  readonly open: () => void;
  /** The stretches inside, once it was opened. */
  readonly inside: () => readonly Stretch[];
  /** It was opened to show the place of the reader, not by the reader. */
  isRevealed: boolean;
}

export function stretchPlans(events: readonly RecordedEvent[]): StretchPlan[] {
  const parts = partsOf(events);
  return parts.length > 2 * chapterPartsMax ? chaptersOf(parts) : parts;
}

function partsOf(events: readonly RecordedEvent[]): StretchPlan[] {
  const parts: StretchPlan[] = [];
  let from = 0;
  for (let to = 1; to <= events.length; to++) {
    const turn = events[from]?.turn ?? 0;
    const ends = to === events.length || events[to]?.turn !== turn;
    if (!ends && to - from < partEventsMax) continue;
    parts.push({ from, to, turn, name: `Turn ${turn}`, inside: [] });
    from = to;
  }
  return parts;
}

function chaptersOf(parts: readonly StretchPlan[]): StretchPlan[] {
  const chapters: StretchPlan[] = [];
  for (let start = 0; start < parts.length; start += chapterPartsMax) {
    const inside = parts.slice(start, start + chapterPartsMax);
    const [first, last] = [inside[0], inside.at(-1)];
    if (first === undefined || last === undefined) continue;
    chapters.push({ from: first.from, to: last.to, name: `Turns ${first.turn} – ${last.turn}`, inside });
  }
  return chapters;
}

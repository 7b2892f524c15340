/** Any version of a history at once: authorships at regular distances are kept, and the way from there is short. */
import type { RecordedEvent, Version } from "../../event/event.ts";
import { type Authorship, attribute, initialAuthorship } from "../blame.ts";

const keptEvery = 64;

/** Answers the state and its authors after the first `position` events. */
export type Travel = (position: number) => Authorship;

/** `history` may grow at its end afterwards. What nobody asks for is not worked out. */
export function createTravel(history: readonly RecordedEvent[]): Travel {
  const kept: Authorship[] = [initialAuthorship];
  /** What restores came back to: one may come back to another, and that to the next. */
  const recalled = new Map<Version, Authorship>();
  const recall = (version: Version): Authorship => {
    const authorship = recalled.get(version) ?? travel(positionOf(history, version));
    recalled.set(version, authorship);
    return authorship;
  };
  const on = (before: Authorship, recorded: RecordedEvent): Authorship =>
    attribute(before, recorded, (version) => (version < recorded.version ? recall(version) : undefined));
  const travel: Travel = (position) => {
    const nearest = Math.floor(Math.min(position, history.length) / keptEvery);
    while (kept.length <= nearest) {
      const from = (kept.length - 1) * keptEvery;
      const next = history.slice(from, from + keptEvery).reduce(on, kept.at(-1) ?? initialAuthorship);
      kept.push(next);
    }
    return history.slice(nearest * keptEvery, position).reduce(on, kept[nearest] ?? initialAuthorship);
  };
  return travel;
}

/** The result counts the events of the history that have a version up to this one. */
export function positionOf(history: readonly RecordedEvent[], version: Version): number {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((history[middle]?.version ?? 0) <= version) low = middle + 1;
    else high = middle;
  }
  return low;
}

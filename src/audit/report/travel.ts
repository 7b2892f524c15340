/** Any version of a history at once: authorships at regular distances are kept, and the way from there is short. */
import type { RecordedEvent } from "../../event/event.ts";
import { type Authorship, attribute, attributeAll, initialAuthorship } from "../blame.ts";

const keptEvery = 64;

/** Answers the state and its authors after the first `position` events. */
export type Travel = (position: number) => Authorship;

export function createTravel(history: readonly RecordedEvent[]): Travel {
  const kept: Authorship[] = [initialAuthorship];
  let visited = 0;
  const recall = attributeAll(history, (authorship) => {
    visited += 1;
    if (visited % keptEvery === 0) kept.push(authorship);
  });
  return (position) => {
    const nearest = Math.floor(position / keptEvery);
    const way = history.slice(nearest * keptEvery, position);
    return way.reduce((before, recorded) => attribute(before, recorded, recall), kept[nearest] ?? initialAuthorship);
  };
}

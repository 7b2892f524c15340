/** What an import takes over of the list that a client keeps beside its calls. */

import type { RecordedEvent } from "../event/event.ts";
import { elsewhere, isOfNow } from "../event/foreign.ts";

/** The result lacks what the session will not tell any more once it has gone on. */
export function lastingIn(told: readonly RecordedEvent[], client: string): RecordedEvent[] {
  return told.filter((recorded) => !isOfNow(client, recorded));
}

/**
 * The result brings the import to the list that the session has now. It is empty if `imported`, which is what the import holds and is about to
 * get, ends with that one.
 */
export function listedNow(
  imported: readonly RecordedEvent[],
  told: readonly RecordedEvent[],
  { client, turns, bytes }: { readonly client: string; readonly turns: number; readonly bytes: number },
): RecordedEvent[] {
  const [text, last] = [listIn(told), imported.at(-1)];
  if (text === listIn(imported)) return [];
  const shown = told.findLast((recorded) => isOfNow(client, recorded));
  if (shown !== undefined) return [shown];
  return last === undefined
    ? []
    : [{ ...last, event: { type: "plan.set", text }, actor: elsewhere, turn: turns, offset: bytes }];
}

function listIn(events: readonly RecordedEvent[]): string {
  return events.reduce((list, { event }) => (event.type === "plan.set" ? event.text : list), "");
}

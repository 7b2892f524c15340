/** This file finds what an import lacks of a session that goes on, also if its client keeps a list beside its calls. */

import type { RecordedEvent } from "../event/event.ts";
import { elsewhere, isOfNow } from "../event/foreign.ts";

/** The result lacks what the session will not tell any more once it has gone on. */
export function lastingIn(told: readonly RecordedEvent[], client: string): RecordedEvent[] {
  return told.filter((recorded) => !isOfNow(client, recorded));
}

/** The result is what the session tells behind what the import holds of it. With that, the import ends with the list that the session has. */
export function newsIn(
  held: readonly RecordedEvent[],
  told: readonly RecordedEvent[],
  { client, turns, bytes }: { readonly client: string; readonly turns: number; readonly bytes: number },
): RecordedEvent[] {
  let known = lastingIn(held, client).length;
  let list = listIn(held);
  const news: RecordedEvent[] = [];
  for (const recorded of told) {
    const { event } = recorded;
    const isPassing = isOfNow(client, recorded);
    const isKnown = known > 0 || (isPassing && event.type === "plan.set" && event.text === list);
    if (known > 0 && !isPassing) known -= 1;
    if (isKnown) continue;
    news.push(recorded);
    list = listIn([recorded], list);
  }
  const [text, last] = [listIn(told), [...held, ...news].at(-1)];
  if (text === list || last === undefined) return news;
  return [...news, { ...last, event: { type: "plan.set", text }, actor: elsewhere, turn: turns, offset: bytes }];
}

function listIn(events: readonly RecordedEvent[], before = ""): string {
  return events.reduce((list, { event }) => (event.type === "plan.set" ? event.text : list), before);
}

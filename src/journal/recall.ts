import type { RecordedEvent } from "../event/event.ts";
import { evolve } from "../state/evolve.ts";
import { initialState } from "../state/state.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { FirstTime } from "./call.ts";

/** The result says where each of these commands was carried out the first time. It lacks commands that never were. */
export async function findFirstTimes(
  store: JournalStore,
  commands: ReadonlySet<string>,
): Promise<ReadonlyMap<string, FirstTime>> {
  const found = new Map<string, { before: FirstTime["before"]; events: [RecordedEvent, ...RecordedEvent[]] }>();
  let state = initialState;
  for await (const recorded of store.read(0)) {
    const { command } = recorded;
    if (command !== undefined && commands.has(command)) {
      const first = found.get(command);
      if (first === undefined) found.set(command, { before: state, events: [recorded] });
      else if (first.events[0].commit === recorded.commit) first.events.push(recorded);
    }
    state = evolve(state, recorded.event);
  }
  return found;
}

/** This file makes what a list says of one session file. */
import type { RecordedEvent } from "../../event/event.ts";
import { lineNames } from "../../line/format.ts";
import { evolve } from "../../state/evolve.ts";
import { initialState, type ScratchpadState } from "../../state/state.ts";
import { atBeginning } from "../../store/lens/beginning.ts";
import type { SessionBytes } from "../../store/session-file/session-bytes.ts";
import type { SessionFileOptions } from "../../store/session-file/session-file-options.ts";
import { headerIn } from "../../store/session-file/session-header.ts";
import { SessionReader } from "../../store/session-file/session-reader.ts";
import type { SessionSummary } from "../../stream/catalog.ts";
import { type Delivery, type EventSink, eventsIn, type StreamEnd } from "../../stream/delivery.ts";
import { Reading } from "../../stream/reading.ts";
import type { StreamStore } from "../../stream/stream-store.ts";

type Summary = Omit<SessionSummary, "session" | "writers">;

/** A longer file has its store read it, which goes on from a snapshot. */
const atOnceBytesMax = 64 * 1024;

/**
 * Reads a small file at once, without all that following it would take. The result is undefined if the file is longer, is no session, or is
 * not read under the policy of its lines. Then `summaryIn` decides.
 */
export function summaryAtOnce(
  bytes: SessionBytes,
  { namespace, seal, strict, fold }: SessionFileOptions = {},
): Summary | undefined {
  if (strict === true || fold !== undefined) return undefined;
  return atBeginning(bytes, atOnceBytesMax + 1, (all) => {
    const header = all.length > atOnceBytesMax ? undefined : headerIn(all);
    if (header === undefined) return undefined;
    const reader = new SessionReader(bytes, header, { names: lineNames(namespace), readonly: true }, false);
    const reading = new Reading(header, "file", { where: bytes.file, seal, strict: false });
    const deliveries: Delivery[] = [];
    const entries = reader.readPart(all.length, all);
    if (entries === undefined) return undefined;
    reading.take(entries, deliveries);
    if (!reading.isUnder(undefined)) return undefined;
    const { ledger, state, damaged } = reading;
    const events = eventsIn(deliveries);
    return summary(ledger, events.at(-1), state.plan, damaged || events.some(({ event }) => event.type === "unknown"));
  });
}

/** Throws NotASessionError for a file of another kind. */
export async function summaryIn(store: StreamStore): Promise<Summary> {
  let newest: RecordedEvent | undefined;
  let now: ScratchpadState = initialState;
  let hasUnknown = false;
  const sink: EventSink = {
    reset: () => {
      [newest, now, hasUnknown] = [undefined, initialState, false];
    },
    event: (recorded, state = evolve(now, recorded.event)) => {
      [newest, now, hasUnknown] = [recorded, state, hasUnknown || recorded.event.type === "unknown"];
    },
  };
  const snapshot = await store.loadSnapshot();
  newest = store.newestTurn?.events.at(-1);
  now = snapshot?.state ?? initialState;
  const end = await store.catchUp(snapshot?.end, sink);
  // A snapshot has no room for the events of a long turn.
  if (newest === undefined && end.version > 0) for await (const last of store.read(end.version - 1)) newest = last;
  return summary(end, newest, now.plan, store.isDamaged() || hasUnknown);
}

function summary(
  { version, turn }: Pick<StreamEnd, "version" | "turn">,
  newest: RecordedEvent | undefined,
  plan: string,
  isDamaged: boolean,
): Summary {
  const change = newest === undefined ? {} : { at: newest.at, actor: newest.actor };
  return { version, turn, plan, isDamaged, ...change };
}

/** Whether a snapshot says what the records say: without a seal, whoever may write it can make one that looks right. */
import { isDeepStrictEqual } from "node:util";
import type { RecordedEvent } from "../../event/event.ts";
import { fold } from "../../state/fold.ts";
import type { ScratchpadState } from "../../state/state.ts";
import type { KeptRecord } from "../store.ts";
import type { RecordSnapshot } from "./record-snapshot.ts";
import type { RecordStream } from "./record-stream.ts";

/**
 * `records`: all of them from the first one on; `stream` has taken none. Answers what the snapshot says of them that is not
 * so. Undefined also where there is none, and where the first records were dropped, so that nothing can be said.
 */
export async function faultInRecordSnapshot(
  kept: RecordSnapshot | undefined,
  stream: RecordStream,
  records: AsyncIterable<KeptRecord>,
  where: string,
): Promise<string | undefined> {
  const found = kept && (await readUpTo(kept.place, stream, records));
  const fault = kept && found && difference(kept, stream, found);
  return fault && `the snapshot of ${where} does not say what the records say: ${fault}; remove it`;
}

function difference(kept: RecordSnapshot, stream: RecordStream, found: Found): string | undefined {
  const { snapshot } = kept;
  const { head, ...known } = stream.ledger.image();
  const { head: savedHead, ...savedKnown } = kept.ledger;
  if (!isDeepStrictEqual(head, savedHead))
    return `it is of version ${savedHead.version}, where the records make ${head.version}`;
  if (!isDeepStrictEqual(found.state, snapshot.state)) return `its state is not that of version ${head.version}`;
  const { turn } = stream.ledger;
  const refusal = found.newest?.event.type === "action.refused" ? found.newest : undefined;
  const rest = [turn, found.newest?.at, plain(refusal), known];
  return isDeepStrictEqual(rest, [snapshot.end.turn, snapshot.at, plain(snapshot.refusal), savedKnown])
    ? undefined
    : `its turn, times, newest refusal or known commits are not those of version ${head.version}`;
}

interface Found {
  readonly state: ScratchpadState;
  readonly newest: RecordedEvent | undefined;
}

async function readUpTo(
  place: number,
  stream: RecordStream,
  records: AsyncIterable<KeptRecord>,
): Promise<Found | undefined> {
  const events: RecordedEvent[] = [];
  for await (const record of records) {
    if (record.place > place) break;
    events.push(...(stream.take(record).accepted?.events ?? []));
    if (stream.drops && (events[0]?.version ?? 1) > 1) return undefined;
  }
  return stream.drops && events.length === 0 ? undefined : { state: fold(events), newest: events.at(-1) };
}

/** As JSON keeps it. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

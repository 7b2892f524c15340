/** Whether a checkpoint says what the entries say: without a seal, whoever may write it can make one that looks right. */
import { isDeepStrictEqual } from "node:util";
import type { RecordedEvent } from "../event/event.ts";
import { given } from "../options.ts";
import { type NewestTurn, TurnKeeper } from "../state/newest-turn.ts";
import { printableTurn } from "../state/recorded-image.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { StreamImage } from "./checkpoint.ts";
import { type Delivered, deliveredWith, nothingDelivered } from "./delivery.ts";
import { stepsOf } from "./history.ts";
import type { LogPage, Session } from "./log.ts";
import { Reading, type ReadingSettings } from "./reading.ts";

/**
 * Reads the entries that the checkpoint stands for. Answers what it says of them that is not so; undefined also where the
 * first of them were dropped, so that nothing can be said.
 */
export async function checkpointFault(
  saved: StreamImage,
  pages: AsyncIterable<LogPage>,
  settings: ReadingSettings,
): Promise<string | undefined> {
  const { version } = saved.reading.ledger.head;
  let fault: string | undefined;
  let reached = 0;
  let delivered = nothingDelivered;
  const turns = new TurnKeeper();
  for await (const { events, reading } of stepsFromBegin(pages, saved.session, settings)) {
    for (const recorded of events) {
      delivered = deliveredWith(delivered, recorded);
      turns.add(recorded);
    }
    const { drops = false } = reading.session;
    if (drops && delivered.count < reading.ledger.version) return undefined;
    if (reading.ledger.version > version) break;
    reached = reading.ledger.version;
    // Turns that begin behind the last event may or may not have been read when the checkpoint was made.
    if (reached === version) fault = difference(saved, reading, delivered, turns.newest);
    if (reached === version && fault === undefined) return undefined;
  }
  return reached === version ? fault : `it is of version ${version}, where the lines make ${reached}`;
}

/** Before the first entry there may be a checkpoint, too. */
async function* stepsFromBegin(pages: AsyncIterable<LogPage>, session: Session, settings: ReadingSettings) {
  const nothing: readonly RecordedEvent[] = [];
  yield { events: nothing, reading: new Reading(session, "file", settings) };
  yield* stepsOf(pages, session, "file", settings);
}

function difference(
  { reading: saved, delivered: told, newest: savedNewest }: StreamImage,
  reading: Reading,
  delivered: Delivered,
  newest: NewestTurn | undefined,
) {
  const { head, turn, ids, commands, valueIds, ...rest } = reading.ledger.image();
  const { ledger } = saved;
  const { head: savedHead, turn: savedTurn, ids: _, commands: __, valueIds: ___, ...savedRest } = ledger;
  if (!isDeepStrictEqual(head, savedHead)) return `it is of head ${savedHead.hash}, where the lines make ${head.hash}`;
  const version = `of version ${head.version}`;
  const space = Object.entries(reading.state).find(
    ([name, value]) => !isDeepStrictEqual(value, saved.state[name as keyof ScratchpadState]),
  );
  if (space !== undefined) return `its ${space[0]} are not those ${version}`;
  if (ids !== ledger.ids || commands !== ledger.commands || valueIds !== ledger.valueIds)
    return `the commits and commands that it counts as known are not those ${version}`;
  const isSame =
    turn === savedTurn &&
    isDeepStrictEqual(given(rest), savedRest) &&
    isDeepStrictEqual(toldBy(delivered), toldBy(told));
  if (!isSame) return `its turn, times or newest refusal are not those ${version}`;
  const isSameTurn = savedNewest === undefined || isDeepStrictEqual(plain(savedNewest), newest && plain(newest));
  return isSameTurn ? undefined : `its newest turn is not that ${version}`;
}

function plain(turn: NewestTurn): unknown {
  return JSON.parse(JSON.stringify(printableTurn(turn)));
}

/** A checkpoint does not keep where its newest refusal stands. */
function toldBy({ count, fingerprint, at, refusal }: Delivered): unknown[] {
  if (refusal === undefined) return [count, fingerprint, at];
  const { version, event, turn, actor, command } = refusal;
  return [count, fingerprint, at, version, JSON.stringify(event), refusal.at, turn, actor, command];
}

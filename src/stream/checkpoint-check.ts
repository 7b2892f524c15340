/** Whether a checkpoint says what the entries say: without a seal, whoever may write it can make one that looks right. */
import { isDeepStrictEqual } from "node:util";
import { given } from "../options.ts";
import { type NewestTurn, TurnKeeper } from "../state/newest-turn.ts";
import { printableTurn } from "../state/recorded-image.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { StreamImage } from "./checkpoint.ts";
import { type Delivered, deliveredWith, nothingDelivered } from "./delivery.ts";
import { stepsOf } from "./history.ts";
import type { CheckpointPlace, Cursor, LogEntry, LogPage, LogPages } from "./log.ts";
import type { Reading } from "./reading.ts";

/**
 * Reads the entries that the checkpoint stands for. Answers what it says of them that is not so; undefined also where the
 * first of them were dropped, so that nothing can be said.
 */
export async function checkpointFault(
  saved: StreamImage,
  pages: LogPages,
  first: Reading,
  place: CheckpointPlace,
): Promise<string | undefined> {
  if (saved.session.id !== first.session.id) return `it is of session ${JSON.stringify(saved.session.id)}`;
  const { version } = saved.reading.ledger.head;
  const turns = new TurnKeeper();
  let [reading, delivered] = [first, nothingDelivered];
  const fault = (): string | undefined => difference(saved, reading, delivered, turns.newest);
  // Nobody knows which of the entries of its version its cursor stands behind: it must be so at one of them.
  const isFound = (): boolean =>
    place.isBehind === undefined && reading.ledger.version === version && fault() === undefined;
  if (isFound()) return undefined;
  for await (const step of stepsOf(pagesBefore(saved.cursor, pages, place), first)) {
    ({ reading } = step);
    for (const recorded of step.events) {
      delivered = deliveredWith(delivered, recorded);
      turns.add(recorded);
    }
    if (isFound()) return undefined;
    if (place.isBehind === undefined && reading.ledger.version > version) break;
  }
  const { count } = delivered;
  const areDropped = reading.session.drops === true && (count === 0 || count < reading.ledger.version);
  return areDropped ? undefined : fault();
}

/** The result has the entries that the cursor stands behind, as far as the place can tell. */
async function* pagesBefore(cursor: Cursor, pages: LogPages, place: CheckpointPlace): AsyncGenerator<LogPage> {
  const isAhead = (entry: LogEntry): boolean => {
    const isPlaced =
      ("offset" in entry && entry.offset !== undefined) || ("place" in entry && entry.place !== undefined);
    return isPlaced && place.isBehind?.(cursor, entry) === false;
  };
  for await (const page of pages) {
    const end = page.entries.findIndex(isAhead);
    yield end === -1 ? page : { ...page, entries: page.entries.slice(0, end) };
    if (end !== -1) return;
  }
}

function difference(
  { reading: saved, delivered: savedDelivered, ...image }: StreamImage,
  reading: Reading,
  delivered: Delivered,
  read: NewestTurn | undefined,
): string | undefined {
  const { head, turn, ids, commands, valueIds, ...rest } = reading.ledger.image();
  const { ledger } = saved;
  const { head: savedHead, turn: savedTurn, ids: _, commands: __, valueIds: ___, ...savedRest } = ledger;
  if (head.version !== savedHead.version)
    return `it is of version ${savedHead.version}, where the lines make ${head.version}`;
  if (head.hash !== savedHead.hash) return `it is of head ${savedHead.hash}, where the lines make ${head.hash}`;
  const version = `of version ${head.version}`;
  const space = Object.entries(reading.state).find(
    ([name, value]) => !isDeepStrictEqual(value, saved.state[name as keyof ScratchpadState]),
  );
  if (space !== undefined) return `its ${space[0]} are not those ${version}`;
  if (ids !== ledger.ids || commands !== ledger.commands || valueIds !== ledger.valueIds)
    return `the commits and commands that it counts as known are not those ${version}`;
  const isSame =
    turn === savedTurn &&
    saved.damaged === reading.damaged &&
    isDeepStrictEqual(given(rest), savedRest) &&
    isDeepStrictEqual(factsOf(delivered), factsOf(savedDelivered));
  if (!isSame) return `its turn, times, budgets or newest refusal are not those ${version}`;
  const newest = image.newest();
  const isSameTurn = newest === undefined || isDeepStrictEqual(plain(newest), read && plain(read));
  return isSameTurn ? undefined : `its newest turn is not that ${version}`;
}

function plain(turn: NewestTurn): unknown {
  return JSON.parse(JSON.stringify(printableTurn(turn)));
}

/** A checkpoint does not keep where its newest refusal stands. */
function factsOf({ count, fingerprint, at, refusal, limits = {}, hasUnknown }: Delivered): unknown[] {
  const facts = [count, fingerprint, at, { ...limits }, hasUnknown];
  if (refusal === undefined) return facts;
  const { version, event, turn, actor, command } = refusal;
  return [...facts, version, JSON.stringify(event), refusal.at, turn, actor, command];
}

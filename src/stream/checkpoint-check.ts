/** Whether a checkpoint says what the entries say: without a seal, whoever may write it can make one that looks right. */
import { isDeepStrictEqual } from "node:util";
import { given } from "../options.ts";
import { type NewestTurn, TurnKeeper } from "../state/newest-turn.ts";
import { printableTurn } from "../state/recorded-image.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { StreamImage } from "./checkpoint.ts";
import { type Delivered, type Delivery, deliveredWith, eventsIn, nothingDelivered } from "./delivery.ts";
import type { CheckpointPlace, LogEntry, LogPage, Session } from "./log.ts";
import { sessionIn } from "./pages.ts";
import { Reading, type ReadingSettings } from "./reading.ts";

/**
 * Reads the entries that the checkpoint stands for. Answers what it says of them that is not so; undefined also where the
 * first of them were dropped, so that nothing can be said.
 */
export async function checkpointFault(
  saved: StreamImage,
  pages: AsyncIterable<LogPage>,
  session: Session,
  place: CheckpointPlace,
  settings: ReadingSettings,
): Promise<string | undefined> {
  if (saved.session.id !== session.id) return `it is of session ${JSON.stringify(saved.session.id)}`;
  const compared = new Compared(saved, place, session, settings);
  for await (const page of pages) {
    const begun = sessionIn(page);
    if (begun !== undefined) compared.begin(begun, settings);
    for (const entry of page.entries) if (!compared.take(entry)) return compared.fault();
  }
  return compared.fault();
}

/** The entries up to the checkpoint's cursor come to this. */
class Compared {
  readonly #saved: StreamImage;
  readonly #place: CheckpointPlace;
  readonly #turns = new TurnKeeper();
  #reading: Reading;
  #delivered = nothingDelivered;
  /** It was so at an entry of its version, where nobody knows which of them its cursor stands behind. */
  #wasSo = false;

  constructor(saved: StreamImage, place: CheckpointPlace, session: Session, settings: ReadingSettings) {
    this.#saved = saved;
    this.#place = place;
    this.#reading = new Reading(session, "file", settings);
    this.#look();
  }

  begin(session: Session, settings: ReadingSettings): void {
    this.#reading = new Reading(session, "file", settings);
  }

  /** False: the checkpoint does not stand for this entry, nor for what follows. */
  take(entry: LogEntry): boolean {
    if (this.#isBefore(entry)) return false;
    const deliveries: Delivery[] = [];
    this.#reading.take([entry], deliveries);
    for (const recorded of eventsIn(deliveries)) {
      this.#delivered = deliveredWith(this.#delivered, recorded);
      this.#turns.add(recorded);
    }
    this.#look();
    return (
      this.#place.isBehind !== undefined || this.#reading.ledger.version <= this.#saved.reading.ledger.head.version
    );
  }

  fault(): string | undefined {
    const { drops = false } = this.#reading.session;
    const { count } = this.#delivered;
    const areDropped = drops && (count === 0 || count < this.#reading.ledger.version);
    if (this.#wasSo || areDropped) return undefined;
    return this.#difference();
  }

  #isBefore(entry: LogEntry): boolean {
    const isPlaced =
      ("offset" in entry && entry.offset !== undefined) || ("place" in entry && entry.place !== undefined);
    return isPlaced && this.#place.isBehind?.(this.#saved.cursor, entry) === false;
  }

  #look(): void {
    const isThere = this.#reading.ledger.version === this.#saved.reading.ledger.head.version;
    if (this.#place.isBehind === undefined && isThere) this.#wasSo ||= this.#difference() === undefined;
  }

  #difference(): string | undefined {
    const { reading: saved, delivered, newest } = this.#saved;
    const { head, turn, ids, commands, valueIds, ...rest } = this.#reading.ledger.image();
    const { ledger } = saved;
    const { head: savedHead, turn: savedTurn, ids: _, commands: __, valueIds: ___, ...savedRest } = ledger;
    if (head.version !== savedHead.version)
      return `it is of version ${savedHead.version}, where the lines make ${head.version}`;
    if (head.hash !== savedHead.hash) return `it is of head ${savedHead.hash}, where the lines make ${head.hash}`;
    const version = `of version ${head.version}`;
    const space = Object.entries(this.#reading.state).find(
      ([name, value]) => !isDeepStrictEqual(value, saved.state[name as keyof ScratchpadState]),
    );
    if (space !== undefined) return `its ${space[0]} are not those ${version}`;
    if (ids !== ledger.ids || commands !== ledger.commands || valueIds !== ledger.valueIds)
      return `the commits and commands that it counts as known are not those ${version}`;
    const isSame =
      turn === savedTurn &&
      saved.damaged === this.#reading.damaged &&
      isDeepStrictEqual(given(rest), savedRest) &&
      isDeepStrictEqual(factsOf(this.#delivered), factsOf(delivered));
    if (!isSame) return `its turn, times, budgets or newest refusal are not those ${version}`;
    const read = this.#turns.newest;
    const isSameTurn = newest === undefined || isDeepStrictEqual(plain(newest), read && plain(read));
    return isSameTurn ? undefined : `its newest turn is not that ${version}`;
  }
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

/** Where the owner of a log has old records dropped, some may be dropped that a stream had not read. */
import { isDeepStrictEqual } from "node:util";
import { fellBehind } from "../errors.ts";
import type { Version } from "../event/event.ts";
import type { Ledger } from "../line/acceptance.ts";
import type { Delivery } from "./delivery.ts";
import type { Cursor, LogEntry, Session } from "./log.ts";
import type { Reading } from "./reading.ts";

export class Unread {
  readonly #where: string;
  #isInStep = false;
  #isAny = false;
  /** Nothing that was read tells whether any were dropped behind it, and a checkpoint may. */
  #mayBeAny = true;
  /** A record that does not count was met since the last one that does. */
  #isDamaged = false;

  constructor(where: string) {
    this.#where = where;
  }

  /** The stream has read all that there was: what is missing behind that was dropped since. */
  cameInStep(): void {
    this.#isInStep = true;
  }

  /** A reading from the beginning has ended. */
  read({ ledger }: Reading): void {
    this.cameInStep();
    if (ledger.lastCommit !== "") this.#mayBeAny = false;
  }

  /** What stands before another cursor now was not shown. */
  passed(before: Cursor, now: Cursor): void {
    this.#mayBeAny ||= !isDeepStrictEqual(before, now);
  }

  isUnsure(session: Session | undefined): boolean {
    return session?.drops === true && this.#mayBeAny;
  }

  /** A checkpoint was looked at, and tells of no more than was read. */
  readonly none = (): void => {
    this.#mayBeAny = false;
  };

  /** Throws StorageError where some were dropped: the state that is known and what is left would add up to one that never was. */
  requireNone(): void {
    if (this.#isAny) throw fellBehind(this.#where);
  }

  /** `take` takes the entries, and adds the deliveries that follow on the reading. This throws as `requireNone` does, also where `take` refuses what it meets behind a gap. */
  during(
    { session, ledger }: Reading,
    entries: readonly LogEntry[],
    deliveries: readonly Delivery[],
    take: () => void,
  ): void {
    const { version } = ledger;
    try {
      take();
    } finally {
      this.#mayBeAny = false;
      if (this.#isInStep && session.drops === true) {
        this.#isAny ||= entries.some((entry) => isOfOtherBeginning(entry, version, ledger));
        this.#look(entries, deliveries, version);
      }
    }
  }

  #look(entries: readonly LogEntry[], deliveries: readonly Delivery[], version: Version): void {
    const versions = deliveries.flatMap((each) => ("recorded" in each ? [each.recorded.version] : []));
    const [first, last] = [versions[0], versions.at(-1)];
    this.#isDamaged ||= entries.slice(0, placeOf(first, entries)).some((entry) => isNotCounted(entry, version));
    this.requireNone();
    if (first === undefined || last === undefined) return;
    this.#isAny = first > version + 1 && !this.#isDamaged;
    this.#isDamaged = entries.slice(placeOf(last, entries)).some((entry) => isNotCounted(entry, last));
    this.requireNone();
  }
}

/** The commit that holds this version stands there, or behind all of them. */
function placeOf(version: Version | undefined, entries: readonly LogEntry[]): number | undefined {
  const place = entries.findIndex(
    (entry) => version !== undefined && entry.kind === "commit" && entry.data.version >= version,
  );
  return place === -1 ? undefined : place;
}

/** It is there and does not count: what is missing behind `version` may be what it was. */
function isNotCounted(entry: LogEntry, version: Version): boolean {
  return entry.kind === "damaged" || (entry.kind === "commit" && entry.data.version > version);
}

/** Whoever wrote it did not know what this stream has read, for that was dropped: others count it. */
function isOfOtherBeginning(entry: LogEntry, version: Version, ledger: Ledger): boolean {
  if (entry.kind !== "commit" || ledger.hasCommit(entry.data.id)) return false;
  return entry.data.version - entry.data.events.length < version && ledger.trusts(entry.data);
}

/** Where the owner of a log has old records dropped, some may be dropped that a stream had not read. */
import { fellBehind } from "../errors.ts";
import type { Version } from "../event/event.ts";
import type { Delivery } from "./delivery.ts";
import type { LogEntry } from "./log.ts";
import type { Reading } from "./reading.ts";

export class Unread {
  readonly #where: string;
  #isInStep = false;
  #isAny = false;
  /** A record that does not count was met since the last one that does. */
  #isDamaged = false;

  constructor(where: string) {
    this.#where = where;
  }

  /** The stream has read all that there was: what is missing behind that was dropped since. */
  cameInStep(): void {
    this.#isInStep = true;
  }

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
      if (this.#isInStep && session.drops === true) this.#look(entries, deliveries, version);
    }
  }

  #look(entries: readonly LogEntry[], deliveries: readonly Delivery[], version: Version): void {
    const versions = deliveries.flatMap((each) => ("recorded" in each ? [each.recorded.version] : []));
    const [first, last] = [versions[0], versions.at(-1)];
    this.#isDamaged ||= entries.slice(0, placeOf(first, entries)).some((entry) => isNotCounted(entry, version));
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

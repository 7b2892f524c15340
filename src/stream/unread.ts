/** Where the owner of a log has old records dropped, some may be dropped that a stream had not read. */
import { fellBehind } from "../errors.ts";
import type { Version } from "../event/event.ts";
import type { Delivery } from "./delivery.ts";
import type { Reading } from "./reading.ts";

export class Unread {
  readonly #where: string;
  #isInStep = false;
  #isAny = false;

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

  /** `take` adds the deliveries that follow on the reading. This throws as `requireNone` does, also where `take` refuses what it meets behind a gap. */
  during({ session, ledger }: Reading, deliveries: readonly Delivery[], take: () => void): void {
    const { version } = ledger;
    try {
      take();
    } finally {
      if (this.#isInStep && session.drops === true) this.#look(deliveries, version);
    }
  }

  #look(deliveries: readonly Delivery[], version: Version): void {
    const first = deliveries.find((each) => "recorded" in each);
    this.#isAny = first !== undefined && first.recorded.version > version + 1;
    this.requireNone();
  }
}

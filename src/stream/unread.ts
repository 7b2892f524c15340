/** Where the owner of a log has old records dropped, some may be dropped that a stream had not read. */
import { fellBehind } from "../errors.ts";
import type { Version } from "../event/event.ts";
import type { Delivery } from "./delivery.ts";
import type { Session } from "./log.ts";

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

  /** The deliveries follow on that version. It throws as `requireNone` does. */
  look({ drops }: Session, deliveries: readonly Delivery[], version: Version): void {
    if (!this.#isInStep || drops !== true) return;
    const first = deliveries.find((each) => "recorded" in each);
    this.#isAny = first !== undefined && first.recorded.version > version + 1;
    this.requireNone();
  }
}

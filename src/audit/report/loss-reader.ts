/** What a history lost, read in parts: a long one takes longer than a page may stand still. */
import type { RecordedEvent } from "../../event/event.ts";
import { attribute, initialAuthorship } from "../blame.ts";
import { type Loss, lossesAt, unfinishedIn } from "../lost.ts";
import { positionOf, type Travel } from "./travel.ts";

export class LossReader {
  readonly #history: readonly RecordedEvent[];
  readonly #travel: Travel;
  readonly #taken: Loss[] = [];
  #end = initialAuthorship;
  #position = 0;

  /** `history` may grow at its end; `travel` goes through it. */
  constructor(history: readonly RecordedEvent[], travel: Travel) {
    this.#history = history;
    this.#travel = travel;
  }

  /** Reads so many events more; answers whether it has come to the end. */
  read(eventsMax: number): boolean {
    for (const recorded of this.#history.slice(this.#position, this.#position + eventsMax)) {
      const before = this.#end;
      this.#end = attribute(before, recorded, (version) =>
        version < recorded.version ? this.#travel(positionOf(this.#history, version)) : undefined,
      );
      this.#position += 1;
      for (const loss of lossesAt({ recorded, before, after: this.#end })) this.#taken.push(loss);
    }
    return this.#position === this.#history.length;
  }

  /** The result has everything that the events that were read took away, and what is unfinished after them. */
  get losses(): readonly Loss[] {
    return [...this.#taken, ...unfinishedIn(this.#end)];
  }
}

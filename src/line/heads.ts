/**
 * This file keeps the head of the chain, and the heads that were left behind. A redacted commit stands for two: what was chained to it
 * names either.
 */
import type { CommitData } from "../event/commit.ts";
import { hashBeforeRedaction } from "./chain.ts";
import { IdSet, plainIdsOfCheck } from "./id-set.ts";
import { NewestIds } from "./newest-ids.ts";

/** So many are remembered where nobody asks for more. */
const earlierUsual = 256;

export class Heads {
  /** This is the hash of the newest accepted commit. It is undefined before the first one. */
  hash: string | undefined;
  /** What that was before texts were taken out of the commit. */
  hashBefore: string | undefined;
  readonly #earlier: IdSet | NewestIds;

  constructor(earlierMax: number = earlierUsual) {
    this.#earlier =
      earlierMax === Number.POSITIVE_INFINITY ? new IdSet("", plainIdsOfCheck) : new NewestIds(earlierMax);
  }

  /** `head` is the one that it leaves behind. */
  move(head: string, data: CommitData): void {
    this.#earlier.add(head);
    if (this.hashBefore !== undefined) this.#earlier.add(this.hashBefore);
    this.hash = data.hash;
    this.hashBefore = hashBeforeRedaction(data);
  }

  had(hash: string): boolean {
    return this.#earlier.has(hash);
  }
}

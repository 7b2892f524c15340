/** The head of the chain, and the ones that were left behind. A redacted commit stands for two: what was chained to it names either. */
import type { CommitData } from "../event/commit.ts";
import { hashBeforeRedaction } from "./chain.ts";
import { IdSet } from "./id-set.ts";

/** So many are remembered where nobody asks for more. */
const earlierUsual = 256;

export class Heads {
  /** Hash of the newest accepted commit; undefined before the first. */
  hash: string | undefined;
  /** What that was before texts were taken out of the commit. */
  hashBefore: string | undefined;
  /** The oldest first. */
  readonly #earlier = new Set<string>();
  readonly #earlierMax: number;
  /** Where all are remembered. */
  readonly #all: IdSet | undefined;

  constructor(earlierMax: number = earlierUsual) {
    this.#earlierMax = earlierMax;
    this.#all = earlierMax === Number.POSITIVE_INFINITY ? new IdSet() : undefined;
  }

  /** `head`: the one that it leaves behind. */
  move(head: string, data: CommitData): void {
    this.#remember(head);
    if (this.hashBefore !== undefined) this.#remember(this.hashBefore);
    this.hash = data.hash;
    this.hashBefore = hashBeforeRedaction(data);
  }

  had(hash: string): boolean {
    return this.#all?.has(hash) ?? this.#earlier.has(hash);
  }

  #remember(head: string): void {
    if (this.#all !== undefined) {
      this.#all.add(head);
      return;
    }
    this.#earlier.add(head);
    if (this.#earlier.size <= this.#earlierMax) return;
    const [oldest = ""] = this.#earlier;
    this.#earlier.delete(oldest);
  }
}

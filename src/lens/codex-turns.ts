/** This file counts the turns of a session of Codex, and knows which of them a person took back. */

interface Turn {
  readonly number: number;
  isAsked: boolean;
  isCompaction: boolean;
}

export class CodexTurns {
  readonly rolledBack = new Set<number>();
  /** Nobody took these back so far. */
  readonly #standing: Turn[] = [];

  began(number: number): void {
    this.#standing.push({ number, isAsked: false, isCompaction: false });
  }

  /** A person said something in the turn that is open. */
  asked(): void {
    const turn = this.#standing.at(-1);
    if (turn !== undefined) turn.isAsked = true;
  }

  compacted(): void {
    const turn = this.#standing.at(-1);
    if (turn !== undefined) turn.isCompaction = true;
  }

  /**
   * The result is how many turns that takes back. The client counts those that a person asked for: one that only compacted the context goes with
   * the turn before it.
   */
  rollBack(count: number): number {
    const before = this.#standing.length;
    for (let left = count; left > 0; ) {
      const turn = this.#standing.pop();
      if (turn === undefined) break;
      this.rolledBack.add(turn.number);
      if (turn.isAsked || !turn.isCompaction) left -= 1;
    }
    return before - this.#standing.length;
  }
}

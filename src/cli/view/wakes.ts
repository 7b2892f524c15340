/** This waits for something that may happen again at any time. */
import { setTimeout as sleep } from "node:timers/promises";

export class Wakes {
  readonly #signal: AbortSignal;
  #isDue = false;
  #resume: () => void = () => undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#resume(), { once: true });
  }

  readonly wake = (): void => {
    this.#isDue = true;
    this.#resume();
  };

  /** Answers false when `signal` is aborted. */
  async next(): Promise<boolean> {
    while (!this.#isDue && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve;
      });
    }
    this.#isDue = false;
    return !this.#signal.aborted;
  }
}

/** The pause ends sooner if `signal` is aborted. */
export async function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  await sleep(waitMs, undefined, { signal }).catch(() => undefined);
}

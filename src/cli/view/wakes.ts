/** This waits for something that may happen again at any time. */

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
export function pause(waitMs: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, waitMs);
    signal.addEventListener("abort", end, { once: true });
  });
}

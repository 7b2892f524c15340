/** Others on this process's thread wait no longer. */
const breathMs = 20;

/** Work that takes long lets others on its thread go on now and then. */
export class Breaths {
  readonly #signal: AbortSignal | undefined;
  #lastMs = performance.now();

  /** Once `signal` is aborted, nobody needs the work. */
  constructor(signal?: AbortSignal) {
    this.#signal = signal;
  }

  isDue(): boolean {
    return performance.now() - this.#lastMs >= breathMs;
  }

  /** Throws the reason of the signal. */
  async take(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#signal?.throwIfAborted();
    this.#lastMs = performance.now();
  }
}

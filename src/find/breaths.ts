/** Others on this process's thread wait no longer. */
const breathMs = 20;

/** Work that takes long lets others on its thread go on now and then. */
export class Breaths {
  #lastMs = performance.now();

  isDue(): boolean {
    return performance.now() - this.#lastMs >= breathMs;
  }

  async take(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#lastMs = performance.now();
  }
}

/** One task at a time, in the order in which they came. A task starts after the current one, never in its caller's tick. */
export class Lane {
  #last: Promise<unknown> = Promise.resolve();

  run<Result>(task: () => Promise<Result>): Promise<Result> {
    const result = this.#last.then(task);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

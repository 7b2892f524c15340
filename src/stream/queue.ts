import { ClosedError } from "../errors.ts";

/** For so long, others of this process wait for a loop of calls that wait for no disk. */
const turnMs = 5;

/** The time only goes on. For `performance`, Node would load more than most commands need. */
const nowMs = (): number => process.uptime() * 1000;

/** The queue runs one task at a time, in the order in which they came. A task starts after the current one, never in its caller's tick. */
export class Queue {
  #last: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  readonly #where: string;
  #turnAtMs: number | undefined;

  /** `where` names what is closed, for the message to somebody who asks too late. */
  constructor(where = "the queue") {
    this.#where = where;
  }

  /** Rejects with ClosedError after `close`. */
  run<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    if (this.#closing !== undefined) return Promise.reject(new ClosedError(`${this.#where} was closed: open it again`));
    const result = this.#last.then(task);
    this.#last = result.then(this.#rest, this.#rest);
    return result;
  }

  /** Runs `task` after all that were asked before; none comes after it. The second time it waits for the first. */
  close(task: () => Promise<void>): Promise<void> {
    this.#closing ??= this.#last.then(task);
    return this.#closing;
  }

  /** Where tasks do nothing that the event loop waits for, no timer would run between them. */
  readonly #rest = (): Promise<void> | undefined => {
    this.#turnAtMs ??= nowMs() + turnMs;
    if (nowMs() < this.#turnAtMs) return undefined;
    return new Promise<void>(setImmediate).then(() => {
      this.#turnAtMs = nowMs() + turnMs;
    });
  };
}

/** Something that is opened by the first call, used by one call at a time, and closed once. */
import { ClosedError } from "../../errors.ts";

export class Desk<Resource> {
  readonly #where: string;
  readonly #open: () => Promise<Resource>;
  readonly #release: (resource: Resource) => unknown;
  #opening: Promise<Resource> | undefined;
  #turnstile: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;

  /** `where`: for messages. */
  constructor(where: string, open: () => Promise<Resource>, release: (resource: Resource) => unknown) {
    this.#where = where;
    this.#open = open;
    this.#release = release;
  }

  /** Throws {@link ClosedError}. An opening that failed is tried again by the next call. */
  async resource(): Promise<Resource> {
    if (this.#closing !== undefined) throw new ClosedError(`${this.#where} was closed: open it again`);
    this.#opening ??= this.#open();
    return this.#opening.catch((error) => {
      this.#opening = undefined;
      throw error;
    });
  }

  /** In the order of calls. */
  async alone<Result>(task: (resource: Resource) => Promise<Result>): Promise<Result> {
    const resource = this.resource();
    resource.catch(() => undefined);
    const turn = this.#turnstile.then(async () => task(await resource));
    this.#turnstile = turn.catch(() => undefined);
    return turn;
  }

  /** After what was asked before. */
  close(): Promise<void> {
    this.#closing ??= this.#turnstile.then(async () => {
      const resource = await this.#opening?.catch(() => undefined);
      if (resource !== undefined) await this.#release(resource);
    });
    return this.#closing;
  }
}

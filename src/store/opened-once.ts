/** Something that is opened by the first call, and closed once. */
import { ClosedError } from "../errors.ts";

export class OpenedOnce<Resource> {
  readonly #where: string;
  readonly #open: () => Promise<Resource>;
  #opening: Promise<Resource> | undefined;
  #isClosed = false;

  /** `where`: for messages. */
  constructor(where: string, open: () => Promise<Resource>) {
    this.#where = where;
    this.#open = open;
  }

  /** Throws {@link ClosedError}. An opening that failed is tried again by the next call. */
  async get(): Promise<Resource> {
    if (this.#isClosed) throw new ClosedError(`${this.#where} was closed: open it again`);
    this.#opening ??= this.#open();
    return this.#opening.catch((error) => {
      this.#opening = undefined;
      throw error;
    });
  }

  async close(release: (resource: Resource) => unknown): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const resource = await this.#opening?.catch(() => undefined);
    if (resource !== undefined) await release(resource);
  }
}

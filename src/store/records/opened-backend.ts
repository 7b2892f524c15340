import { ClosedError } from "../../errors.ts";
import type { Backend } from "./backend.ts";

/** A backend that is opened by the first call, and closed once, with all that watches it. */
export class OpenedBackend {
  readonly where: string;
  readonly #open: () => Promise<Backend>;
  readonly #release: (backend: Backend) => unknown;
  readonly #unwatches = new Set<() => Promise<void>>();
  #opened: Backend | Promise<Backend> | undefined;
  #isClosed = false;

  /** `where` is for messages. `release` closes the backend, or leaves that to its owner. */
  constructor(where: string, open: () => Promise<Backend>, release: (backend: Backend) => unknown) {
    this.where = where;
    this.#open = open;
    this.#release = release;
  }

  /** Throws {@link ClosedError}. An opening that failed is tried again by the next call. Nobody waits for one that is open. */
  get(): Backend | Promise<Backend> {
    if (this.#isClosed) throw this.#closed();
    this.#opened ??= this.#open().then(
      (backend) => {
        this.#opened = backend;
        return backend;
      },
      (error) => {
        this.#opened = undefined;
        throw error;
      },
    );
    return this.#opened;
  }

  async watch(wake: (session: string) => void, only?: string): Promise<() => Promise<void>> {
    const unwatch = await (await this.get()).watch(wake, only);
    if (this.#isClosed) {
      // Whoever closed it did not know of this one, which would keep the process from ending.
      await unwatch();
      throw this.#closed();
    }
    this.#unwatches.add(unwatch);
    return async () => {
      if (this.#unwatches.delete(unwatch)) await unwatch();
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([...this.#unwatches].map((unwatch) => unwatch()));
    const backend = await Promise.resolve(this.#opened).catch(() => undefined);
    if (backend !== undefined) await this.#release(backend);
  }

  #closed(): ClosedError {
    return new ClosedError(`${this.where} was closed: open it again`);
  }
}

/** A log in memory whose owner has its oldest records dropped, and a checkpoint beside it. */
import type { CheckpointPlace, Cursor, Log, LogPage, Session, Step } from "../../src/stream/log.ts";
import { readRecord } from "../../src/stream/record-entry.ts";
import { type StreamOptions, type StreamStore, streamStore } from "../../src/stream/stream-store.ts";

export class DroppingLog implements Log {
  readonly where = "memory:dropping";
  readonly checkpoint: CheckpointPlace;
  readonly #records: string[] = [];
  readonly #wakes = new Set<() => void>();
  #dropped = 0;
  #saved: string | undefined;

  constructor() {
    this.checkpoint = {
      where: "the snapshot of memory:dropping",
      load: async () => this.#saved,
      save: async (text) => {
        this.#saved = text;
      },
    };
  }

  /** The result is another handle on the same log. */
  store(options?: StreamOptions): StreamStore {
    return streamStore(this, options);
  }

  /** Only the newest records stay. */
  keep(count: number): void {
    this.#dropped = Math.max(this.#dropped, this.#records.length - count);
  }

  /** The newest record loses its end. */
  damageNewest(): void {
    this.#records.push((this.#records.pop() ?? "").slice(0, -5));
  }

  async session(): Promise<Session> {
    return { id: "dropping", drops: true };
  }

  read(after: Cursor | undefined): readonly LogPage[] {
    return [this.#after(after)];
  }

  async append(after: Cursor | undefined, next: (page: LogPage) => Step): Promise<void> {
    for (let page = this.#after(after); ; page = this.#after(page.cursor)) {
      const step = next(page);
      if (step.type !== "append") return;
      for (const record of step.records) this.#records.push(JSON.stringify(record));
      for (const wake of this.#wakes) queueMicrotask(wake);
    }
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    const own = (): void => wake();
    this.#wakes.add(own);
    return async () => void this.#wakes.delete(own);
  }

  async close(): Promise<void> {}

  #after(cursor: Cursor | undefined): LogPage {
    const from = Math.max(typeof cursor === "number" ? cursor : 0, this.#dropped);
    const entries = this.#records.slice(from).map((json, index) => readRecord(json, from + index + 1));
    return { entries, cursor: this.#records.length };
  }
}

/** A stream that lives in this process only: for tests, for previews, and as the plainest reading of the port. */

import { ClosedError } from "../errors.ts";
import type { CommitData, Draft, DraftEvent, Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { parseEvent } from "../event/parse.ts";
import { genesisHash } from "../line/chain.ts";
import { commitDataOf } from "../line/encode.ts";
import type { EventSink, JournalStore, Position, StoreCapabilities, StreamEnd } from "./store.ts";

export interface MemoryStoreOptions {
  /** Root of the hash chain; by default a new UUID. */
  readonly sessionId?: string;
}

/** Several journals may use one such store at the same time; what they wrote is gone with the store object. */
export function memoryStore(options: MemoryStoreOptions = {}): JournalStore {
  return new MemoryStore(options.sessionId ?? crypto.randomUUID());
}

/** A history in memory is never rewritten. */
const epoch = 1;

class MemoryStore implements JournalStore {
  readonly where: string;
  readonly supports: StoreCapabilities = { shared: false, snapshots: false, lines: false };
  readonly #sessionId: string;
  readonly #events: RecordedEvent[] = [];
  readonly #commits: CommitData[] = [];
  readonly #commands = new Set<string>();
  readonly #wakes = new Set<() => void>();
  #turn = 0;
  #closed = false;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
    this.where = `memory:${sessionId}`;
  }

  async sessionId(): Promise<string> {
    return this.#sessionId;
  }

  async catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd> {
    this.#mustBeOpen();
    this.#tell(from, sink);
    return this.#end();
  }

  /** Holds no await between telling and appending: that is the whole guard. */
  async commit(
    from: Position | undefined,
    sink: EventSink,
    decide: (end: StreamEnd) => Draft | undefined,
  ): Promise<StreamEnd> {
    this.#mustBeOpen();
    this.#tell(from, sink);
    const before = this.#end();
    const draft = decide(before);
    if (draft === undefined || draft.events.length === 0) return before;
    this.#append(draft);
    this.#tell(before, sink);
    for (const wake of this.#wakes) queueMicrotask(wake);
    return this.#end();
  }

  knows(command: string): boolean {
    return this.#commands.has(command);
  }

  async *read(from: Version): AsyncIterable<RecordedEvent> {
    this.#mustBeOpen();
    yield* this.#events.slice(from);
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    this.#mustBeOpen();
    const own = (): void => wake();
    this.#wakes.add(own);
    return async () => {
      this.#wakes.delete(own);
    };
  }

  async headAt(version: Version): Promise<Head | undefined> {
    if (version === 0) return { version, hash: genesisHash(this.#sessionId) };
    const commit = this.#commits.find((candidate) => candidate.version >= version);
    return commit && { version, hash: commit.hash };
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wakes.clear();
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new ClosedError(`${this.where} was closed: make a new memoryStore()`);
  }

  #end(): StreamEnd {
    const hash = this.#commits.at(-1)?.hash ?? genesisHash(this.#sessionId);
    return { epoch, version: this.#events.length, hash, turn: this.#turn };
  }

  #tell(from: Position | undefined, sink: EventSink): void {
    const another = from !== undefined && (from.epoch !== epoch || from.version > this.#events.length);
    if (another) sink.reset("rewritten");
    const start = from === undefined || another ? 0 : from.version;
    for (const recorded of this.#events.slice(start)) sink.event(recorded);
  }

  /** What is kept went through JSON and the event parser, so that it reads back as it would from a file. */
  #append(draft: Draft): void {
    const data = commitDataOf(draft, this.#end(), "file");
    const { v, events } = JSON.parse(JSON.stringify(data)) as CommitData;
    events.forEach((written, index) => {
      const { actor, command } = draft.events[index] as DraftEvent;
      const event = parseEvent(v, written);
      if (event.type === "turn.began") this.#turn += 1;
      if (command !== undefined) this.#commands.add(command);
      this.#events.push(
        Object.freeze({
          version: this.#events.length + 1,
          event,
          at: data.at,
          turn: this.#turn,
          actor,
          ...(command === undefined ? {} : { command }),
          origin: "journal",
          commit: data.id,
        }),
      );
    });
    this.#commits.push(data);
  }
}

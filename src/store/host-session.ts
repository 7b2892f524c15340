/**
 * A journal inside a live host: commits go through the host's own append, so that its tree and its memory stay whole, and
 * are read back through its own read and its file. Mirrors go to the file directly, as those of any other writer.
 */
import { ClosedError, NotASessionError, parseOptions, ReadonlyError, StorageError } from "../errors.ts";
import type { CommitData, Draft, Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { genesisHash } from "../line/chain.ts";
import { type LineNames, lineNames } from "../line/format.ts";
import { canonicalJson } from "../line/json.ts";
import { type HostEntry, HostView, requireHost } from "./host-view.ts";
import { defaultLock, type LockOptions, takeLock } from "./session-file/lock.ts";
import { hostSessionParsers, type SessionFileOptions } from "./session-file/session-file-options.ts";
import { readHistory } from "./session-file/session-history.ts";
import { linesOf } from "./session-file/session-lines.ts";
import { sidePaths } from "./session-file/session-path.ts";
import { type LiveHost, randomSalt } from "./session-file/session-pen.ts";
import { SessionStream } from "./session-file/session-stream.ts";
import { SessionWriter } from "./session-file/session-writer.ts";
import { watchSession } from "./session-file/watch.ts";
import type { EventSink, JournalStore, LineContext, Position, RawLine, StoreCapabilities, StreamEnd } from "./store.ts";

/**
 * What a host that runs in this process offers. With pi's session manager: `append` is `appendCustomEntry`, `entries` is
 * `getEntries`, `leafId` is `getLeafId`, `sessionId` and `file` are `getSessionId()` and `getSessionFile()`.
 */
export interface HostSession {
  /** Appends an entry `{ type: "custom", customType, data }` at the host's leaf. `data` is the host's to keep. */
  append(customType: string, data: unknown): unknown;
  /** All entries in the order of the file, without the header. */
  entries(): readonly HostEntry[];
  /** The entry on which the conversation stands, null before the first. Without it: the last entry. */
  leafId?(): string | null;
  readonly sessionId: string;
  /** Where the host writes, or will; absent for a session in memory only. */
  readonly file?: string | undefined;
}

/** As for a session file. `durability` is that of what the host has written; until then a commit is as safe as the host. */
export type HostSessionOptions = Pick<SessionFileOptions, keyof typeof hostSessionParsers>;

/**
 * A store on the session that a live host holds. One store serves one session: where the host goes on to another, its
 * calls reject with {@link NotASessionError}. Throws a TypeError for a host without what it needs.
 */
export function hostSessionStore(host: HostSession, options: HostSessionOptions = {}): JournalStore {
  requireHost(host);
  return new HostSessionStore(host, parseOptions<HostSessionOptions>(options, hostSessionParsers));
}

const nobody: EventSink = { reset: () => undefined, event: () => undefined };

/** A host raises no event when it appends or navigates. */
const pollMs = 200;

class HostSessionStore implements JournalStore {
  readonly where: string;
  readonly supports: StoreCapabilities;
  readonly #host: HostSession;
  readonly #options: HostSessionOptions;
  readonly #sessionId: string;
  readonly #names: LineNames;
  readonly #view: HostView;
  readonly #stream: HostStream;
  readonly #writer: SessionWriter;
  readonly #lock: LockOptions;
  readonly #wakes = new Set<() => void>();
  #turnstile: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(host: HostSession, options: HostSessionOptions) {
    const { seal, fold, strict = false, mirror = true, durability = "fsync", clock = () => new Date() } = options;
    this.#host = host;
    this.#options = options;
    this.#sessionId = host.sessionId;
    this.where = host.file ?? `host session ${host.sessionId}`;
    this.supports = { shared: host.file !== undefined, snapshots: false, lines: true };
    this.#names = lineNames(options.namespace);
    this.#lock = { ...defaultLock, ...options.lock };
    this.#view = new HostView(host);
    const names = this.#names;
    const open = () => this.#view.open();
    const leafId = host.leafId && (() => host.leafId?.());
    this.#stream = new HostStream({ file: this.where, open, names, fold, seal, strict, leafId }, this.#view);
    const now = (): string => clock().toISOString();
    this.#writer = new SessionWriter(this.#stream, {
      file: this.where,
      names,
      seal,
      mirror,
      durability,
      now,
      salt: randomSalt,
      host: this.#liveHost(),
    });
  }

  async sessionId(): Promise<string> {
    return this.#sessionId;
  }

  catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd> {
    return this.#alone(async () => {
      await this.#tell(from, sink);
      if (this.#options.readonly !== true && this.#writer.mustPutBack)
        await this.#locked(() => this.#writer.putBack(sink));
      return this.#stream.end();
    });
  }

  commit(
    from: Position | undefined,
    sink: EventSink,
    decide: (end: StreamEnd) => Draft | undefined,
  ): Promise<StreamEnd> {
    return this.#alone(async () => {
      if (this.#options.readonly === true)
        throw new ReadonlyError(`${this.where} was opened readonly: open it without to write`);
      const end = await this.#locked(async () => {
        await this.#tell(from, sink);
        return this.#writer.commit(sink, decide);
      });
      for (const wake of this.#wakes) queueMicrotask(wake);
      return end;
    });
  }

  knows(command: string): boolean {
    return this.#stream.reader?.ledger.hasCommand(command) ?? false;
  }

  isDamaged(): boolean {
    return this.#stream.damaged;
  }

  async *read(from: Version): AsyncIterable<RecordedEvent> {
    const fold = this.#stream.reader?.fold ?? this.#options.fold ?? "file";
    for await (const { recorded } of readHistory(this.#stream.settings, fold)) {
      if (recorded.version > from) yield recorded;
    }
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    const own = (): void => wake();
    this.#wakes.add(own);
    let seen = this.#look();
    const poll = setInterval(() => {
      const now = this.#look();
      if (now !== seen) wake();
      seen = now;
    }, pollMs);
    const unwatch = this.#host.file === undefined ? undefined : await watchSession(this.#host.file, wake);
    return async () => {
      this.#wakes.delete(own);
      clearInterval(poll);
      await unwatch?.();
    };
  }

  async lines(): Promise<LineContext & { readonly lines: AsyncIterable<RawLine> }> {
    const { seal } = this.#options;
    const { namespace } = this.#names;
    return { file: this.where, namespace, ...(seal === undefined ? {} : { seal }), lines: this.#lines() };
  }

  async headAt(version: Version): Promise<Head | undefined> {
    if (version === 0) return { version, hash: genesisHash(await this.sessionId(), this.#options.seal) };
    for await (const { recorded, hash } of readHistory(this.#stream.settings, "file")) {
      if (recorded.version === version) return { version, hash };
    }
    return undefined;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#turnstile;
    this.#wakes.clear();
    this.#writer.close();
    this.#stream.close();
  }

  async *#lines(): AsyncGenerator<RawLine> {
    const { bytes } = this.#view.open();
    try {
      yield* linesOf(bytes);
    } finally {
      bytes.close();
    }
  }

  /** One call at a time, in the order they came. */
  #alone<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#closed) return Promise.reject(new ClosedError(`${this.where} was closed: make another store for it`));
    const turn = this.#turnstile.then(() => {
      this.#mustBeSameSession();
      return task();
    });
    this.#turnstile = turn.catch(() => undefined);
    return turn;
  }

  #mustBeSameSession(): void {
    const { sessionId } = this.#host;
    if (sessionId === this.#sessionId) return;
    throw new NotASessionError(
      `the host has gone on from session ${this.#sessionId} to ${sessionId}: make another hostSessionStore for it`,
    );
  }

  /** Before the host's first flush nobody else can write. */
  async #locked<Result>(task: () => Promise<Result>): Promise<Result> {
    const { file } = this.#host;
    if (file === undefined || !this.#view.isWritten()) return task();
    const release = await takeLock(file, sidePaths(file), this.#lock, Math.random);
    try {
      return await task();
    } finally {
      await release();
    }
  }

  /** Tells `sink` what is after `from`, which may lag behind what this store has read for another journal. */
  async #tell(from: Position | undefined, sink: EventSink): Promise<void> {
    const { epoch, version } = this.#stream.end();
    const begun = this.#stream.reader !== undefined;
    if (from === undefined ? !begun : from.epoch === epoch && from.version === version) {
      await this.#stream.advance(sink);
      return;
    }
    await this.#stream.advance(nobody);
    const end = this.#stream.end();
    const lags = from !== undefined && from.epoch === end.epoch && from.version <= end.version;
    if (from !== undefined && !lags) sink.reset("rewritten");
    for await (const recorded of this.read(lags ? from.version : 0)) {
      if (recorded.version <= end.version) sink.event(recorded);
    }
  }

  #look(): string {
    const entries = this.#host.entries();
    return `${entries.length} ${entries.at(-1)?.id} ${this.#host.leafId?.()}`;
  }

  #liveHost(): LiveHost {
    return {
      append: (data) => this.#appendToHost(data),
      leafId: () => this.#host.leafId?.(),
      hasWritten: () => this.#view.isWritten(),
    };
  }

  /** The host gets a copy in canonical form: whatever it does to it, and whenever it prints it, our own stays true. */
  async #appendToHost(data: CommitData): Promise<void> {
    const text = canonicalJson(data);
    let cause: unknown;
    try {
      // @guard deep-copy
      await this.#host.append(this.#names.events, JSON.parse(text));
      if (this.#shows(data.id, text)) return;
    } catch (error) {
      cause = error;
    }
    const fault = cause === undefined ? "does not show the commit that it was handed" : `failed to append: ${cause}`;
    throw new StorageError(
      `the host of ${this.where} ${fault}: check its append and entries, then try again with the same command`,
      "unknown",
      this.#host.file === undefined ? {} : { file: this.#host.file },
      cause,
    );
  }

  #shows(commit: string, text: string): boolean {
    const shown = this.#host.entries().findLast((entry) => dataOf(entry, this.#names.events)?.["id"] === commit);
    return shown !== undefined && canonicalJson(dataOf(shown, this.#names.events)) === text;
  }
}

function dataOf(entry: HostEntry, customType: string): Readonly<Record<string, unknown>> | undefined {
  const custom = entry as { readonly customType?: unknown; readonly data?: unknown };
  const isCommit = custom.customType === customType && typeof custom.data === "object" && custom.data !== null;
  return isCommit ? (custom.data as Readonly<Record<string, unknown>>) : undefined;
}

/** Turns over to the host's file, or back, where the host has flushed, or has entries that its file lacks. */
class HostStream extends SessionStream {
  readonly #view: HostView;

  constructor(settings: SessionStream["settings"], view: HostView) {
    super(settings);
    this.#view = view;
  }

  override async advance(sink: EventSink): Promise<StreamEnd> {
    if (this.reader !== undefined && this.#view.hasMoved(this.reader.bytes)) await this.readAgain(sink);
    return super.advance(sink);
  }
}

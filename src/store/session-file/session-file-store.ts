/** A journal in a session file, beside the host's own lines. */
import { randomUUID } from "node:crypto";
import path from "node:path";
import { ClosedError, NotASessionError, parseOptions, ReadonlyError } from "../../errors.ts";
import type { Draft, Head } from "../../event/commit.ts";
import type { RecordedEvent, Version } from "../../event/event.ts";
import { genesisHash } from "../../line/chain.ts";
import { headerLine } from "../../line/encode.ts";
import { type LineNames, lineNames } from "../../line/format.ts";
import type { AcceptedRecord, StreamRecord } from "../../line/record.ts";
import type {
  EventSink,
  JournalStore,
  LineContext,
  Position,
  RawLine,
  Snapshot,
  StoreCapabilities,
  StreamEnd,
} from "../store.ts";
import { createSession } from "./appender.ts";
import { defaultLock, type LockOptions, takeLock } from "./lock.ts";
import { type SessionFileOptions, sessionFileParsers } from "./session-file-options.ts";
import { openSession } from "./session-header.ts";
import { readHistory } from "./session-history.ts";
import { listLines } from "./session-lines.ts";
import { plainFile, type SidePaths, sidePaths } from "./session-path.ts";
import { randomSalt } from "./session-pen.ts";
import { recordsInSession } from "./session-records.ts";
import { SessionStream } from "./session-stream.ts";
import { SessionWriter } from "./session-writer.ts";
import { SnapshotKeeper } from "./snapshot-keeper.ts";
import { watchSession } from "./watch.ts";

/** Nothing is touched before the first read. The file may be that of a live host. Throws a TypeError for a wrong option. */
export function sessionFileStore(file: string, options: SessionFileOptions = {}): JournalStore {
  if (typeof file !== "string" || file === "") throw new TypeError("sessionFileStore takes the path of a session file");
  return new SessionFileStore(path.resolve(file), parseOptions(options, sessionFileParsers));
}

const nobody: EventSink = { reset: () => undefined, event: () => undefined };

class SessionFileStore implements JournalStore {
  readonly where: string;
  readonly supports: StoreCapabilities = { shared: true, snapshots: true, lines: true };
  readonly #options: SessionFileOptions;
  readonly #names: LineNames;
  readonly #paths: SidePaths;
  readonly #stream: SessionStream;
  readonly #writer: SessionWriter;
  readonly #keeper: SnapshotKeeper;
  readonly #lock: LockOptions;
  readonly #now: () => string;
  #turnstile: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(file: string, options: SessionFileOptions) {
    const { seal, fold, strict = false, mirror = true, durability = "fsync", clock = () => new Date() } = options;
    const { readonly = false } = options;
    this.where = file;
    this.#options = options;
    this.#names = lineNames(options.namespace);
    this.#paths = sidePaths(file);
    this.#lock = { ...defaultLock, ...options.lock };
    this.#now = () => clock().toISOString();
    this.#stream = new SessionStream({
      file,
      open: () => openSession(file),
      names: this.#names,
      fold,
      seal,
      strict,
      readonly,
    });
    this.#keeper = new SnapshotKeeper(this.#stream, { names: this.#names, paths: this.#paths, seal });
    this.#writer = new SessionWriter(this.#stream, {
      file,
      names: this.#names,
      seal,
      mirror,
      durability,
      now: this.#now,
      salt: randomSalt,
      remake: () => this.#exist(),
    });
  }

  async sessionId(): Promise<string> {
    if (this.#stream.reader === undefined) await this.catchUp(undefined, nobody);
    return this.#stream.reader?.header.id ?? "";
  }

  catchUp(from: Position | undefined, sink: EventSink): Promise<StreamEnd> {
    return this.#alone(async () => {
      if (this.#stream.reader === undefined) await this.#exist();
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
      this.#mustBeWritable();
      const inStep = this.#isInStep(from);
      const readOn = async (): Promise<void> => {
        if (inStep && this.#stream.reader !== undefined) await this.#stream.advance(sink);
      };
      return this.#locked(async () => {
        // In step, the writer's own first look is enough.
        if (!inStep || this.#stream.reader === undefined) {
          await this.#exist();
          await this.#tell(from, sink);
        }
        return this.#writer.commit(sink, decide);
      }, readOn);
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

  watch(wake: () => void): Promise<() => Promise<void>> {
    return watchSession(this.where, wake);
  }

  async lines(): Promise<LineContext & { readonly lines: AsyncIterable<RawLine> }> {
    const { seal } = this.#options;
    const { namespace } = this.#names;
    return { file: this.where, namespace, ...(seal === undefined ? {} : { seal }), lines: listLines(this.where) };
  }

  async *records(): AsyncIterable<AcceptedRecord> {
    const { settings } = this.#stream;
    const opened = settings.open();
    if (opened !== undefined) yield* recordsInSession(opened, settings.names, settings.seal);
  }

  importRecords(after: Version, records: AsyncIterable<StreamRecord>): Promise<StreamEnd> {
    return this.#alone(async () => {
      this.#mustBeWritable();
      return this.#locked(async () => {
        await this.#exist();
        await this.#stream.advance(nobody);
        return this.#writer.importRecords(after, records);
      });
    });
  }

  async headAt(version: Version): Promise<Head | undefined> {
    if (version === 0) return { version, hash: genesisHash(await this.sessionId(), this.#options.seal) };
    for await (const { recorded, hash } of readHistory(this.#stream.settings, "file")) {
      if (recorded.version === version) return { version, hash };
    }
    return undefined;
  }

  loadSnapshot(): Promise<Snapshot | undefined> {
    return this.#alone(async () => this.#keeper.load());
  }

  snapshotFault(): Promise<string | undefined> {
    return this.#alone(() => this.#keeper.fault());
  }

  saveSnapshot({ end }: Snapshot): Promise<void> {
    return this.#alone(async () => {
      this.#mustBeWritable();
      await this.#keeper.save(end);
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#turnstile;
    await this.#keeper.idle();
    this.#writer.close();
    this.#stream.close();
  }

  #mustBeWritable(): void {
    if (this.#options.readonly !== true) return;
    throw new ReadonlyError(`${this.where} was opened readonly: open it without to write`, { file: this.where });
  }

  /** One call at a time, in the order they came. A snapshot that is due is made between two of them, and written beside. */
  #alone<Result>(task: () => Promise<Result>): Promise<Result> {
    if (this.#closed) return Promise.reject(new ClosedError(`${this.where} was closed: open it again`));
    const turn = this.#turnstile.then(task);
    const kept = this.#options.readonly === true ? turn : turn.then(() => this.#keeper.keep());
    this.#turnstile = kept.catch(() => undefined);
    return turn;
  }

  /** `meanwhile`: while others hold the lock. */
  async #locked<Result>(task: () => Promise<Result>, meanwhile?: () => Promise<void>): Promise<Result> {
    const release = await takeLock(this.where, this.#paths, this.#lock, Math.random, meanwhile);
    try {
      return await task();
    } finally {
      await release();
    }
  }

  /** Makes the file where there is none and this handle may; one that vanished is made anew only to write to it. */
  async #exist(): Promise<void> {
    const { readonly = false, create = true, cwd = process.cwd(), parentSession, durability = "fsync" } = this.#options;
    if (!readonly && create && needsHeader(this.where)) {
      const known = this.#stream.reader?.header.id;
      const header = headerLine({
        id: known ?? this.#options.sessionId ?? randomUUID(),
        timestamp: this.#now(),
        cwd,
        ...(parentSession === undefined ? {} : { parentSession }),
      });
      await createSession(this.where, header, durability);
    } else if (this.#stream.reader === undefined && plainFile(this.where) === undefined) {
      throw new NotASessionError(`${this.where} is not there: check the path`, { file: this.where });
    }
  }

  #isInStep(from: Position | undefined): boolean {
    if (from === undefined) return this.#stream.reader === undefined;
    const { epoch, version } = this.#stream.end();
    return from.epoch === epoch && from.version === version;
  }

  /** Tells `sink` what is after `from`, which may lag behind what this store has read for another journal. */
  async #tell(from: Position | undefined, sink: EventSink): Promise<void> {
    if (this.#isInStep(from)) {
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
}

/** Nothing is there, or a file that its creator left empty. */
function needsHeader(file: string): boolean {
  const stats = plainFile(file);
  return stats === undefined || stats.size === 0;
}

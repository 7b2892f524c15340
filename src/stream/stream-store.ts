/** This is the only store of a journal, and has what a log lacks to be one: calls one at a time, commits, records, checkpoints. */
import { because } from "../diagnostics.ts";
import { ReadonlyError } from "../errors.ts";
import type { Draft, FoldPolicy, Head } from "../event/commit.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import type { ForeignSession } from "../event/foreign.ts";
import type { SealKey } from "../line/chain.ts";
import type { StreamRecord } from "../line/record.ts";
import { withLineIn } from "../line/with-line.ts";
import { flag, type OptionParsers, oneOf, parseOptions, sealKey } from "../options.ts";
import type { NewestTurn } from "../state/newest-turn.ts";
import type { Snapshot, StreamImage } from "./checkpoint.ts";
import { CheckpointKeeper } from "./checkpoint-keeper.ts";
import { type EventSink, nobody, type Position, type StreamEnd } from "./delivery.ts";
import { EventStream } from "./event-stream.ts";
import { type AcceptedRecord, recordsIn, stepsOf } from "./history.ts";
import { type LookAtLine, pagesIn } from "./line-pages.ts";
import type { Log, LogPage, LogPages, RawLine, Session, SessionLines } from "./log.ts";
import { pagesOf, startsOver } from "./pages.ts";
import { Queue } from "./queue.ts";
import { Reading } from "./reading.ts";
import { requireLog } from "./require-log.ts";
import type { StreamWriter } from "./stream-writer.ts";

export interface StreamOptions {
  /** This is the key that seals the hash chain. */
  readonly seal?: SealKey | undefined;
  /** A gap or something damaged of ours throws {@link CorruptEntryError}: false. */
  readonly strict?: boolean | undefined;
  readonly readonly?: boolean | undefined;
  /** This says which events are folded, where the log is a session file; absent: as the journal itself says. */
  readonly fold?: FoldPolicy | undefined;
}

/** This is what a journal asks of its store. */
export type JournalStore = Pick<StreamStore, keyof StreamStore>;

/**
 * Makes a store over a log. Nothing is touched before the first read.
 *
 * @param log Where the entries are kept: one of yours, or one of this package.
 * @param options How the journal is kept.
 * @throws TypeError for a value that is not a log, and for a wrong option.
 * @example
 * const journal = await openJournal(streamStore(new MyLog("session")));
 */
export function streamStore(log: Log, options: StreamOptions = {}): StreamStore {
  requireLog(log);
  return new StreamStore(log, parseOptions(options, parsers));
}

/** Those that a log which is no session file has, too. */
export const streamParsers = { seal: sealKey, strict: flag, readonly: flag };

const parsers: OptionParsers<StreamOptions> = { ...streamParsers, fold: oneOf("file", "branch") };

export class StreamStore {
  /** This is the path or address, for messages. */
  readonly where: string;
  /** This is when a journal on it says that it is, and how it names its commits, where neither is the computer's own. */
  readonly clock?: () => Date;
  readonly ids?: () => string;
  /** These are the lines of the session file, for verification. They are absent if there is no file. */
  readonly file: SessionLines | undefined;
  readonly options: StreamOptions;
  /** This is what it stands on. */
  readonly log: Log;
  readonly #stream: EventStream;
  readonly #queue: Queue;
  readonly #keeper: CheckpointKeeper | undefined;
  readonly #withLine: ReturnType<typeof withLineIn> | undefined;
  #writer: StreamWriter | undefined;

  constructor(log: Log, options: StreamOptions) {
    const { seal, strict = false, fold = log.source?.kind === "session" ? undefined : "file" } = options;
    [this.log, this.where, this.options] = [log, log.where, options];
    this.file = log.source?.kind === "session" ? log.source : undefined;
    this.#stream = new EventStream(log, { where: log.where, seal, strict, fold });
    this.#queue = new Queue(log.where);
    this.#keeper = log.checkpoint && new CheckpointKeeper(this.#stream, log, log.checkpoint, seal);
    this.#withLine = strict && this.file !== undefined ? withLineIn(this.file) : undefined;
  }

  /** This is the identity of the stream, which is the root of its hash chain. */
  async sessionId(): Promise<string> {
    return (await this.#session()).id;
  }

  /** Delivers to `sink` everything after `from` (undefined: from the start, where `pages` begin) and answers where the stream stands. */
  catchUp(from: Position | undefined, sink: EventSink, pages?: LogPages): Promise<StreamEnd> {
    return this.#alone(async () => {
      await this.#tell(from, sink, pages);
      if (this.#stream.unread.isUnsure(this.#stream.session)) await this.#keeper?.requireReached(sink);
      if (this.options.readonly !== true) await (this.#writer ?? (await this.#loaded())).putBack(sink);
      return this.#stream.end;
    });
  }

  /**
   * Delivers to `sink` what is new, runs `decide`, appends what it returns, all or nothing, and delivers that, too. Resolves
   * when it is durable and accepted. Where somebody was faster, `sink` gets what they wrote and `decide` runs again: it must have no
   * other effects. `decide` returning undefined appends nothing; a draft without events waits for durability only.
   */
  commit(
    from: Position | undefined,
    sink: EventSink,
    decide: (end: StreamEnd) => Draft | undefined,
  ): Promise<StreamEnd> {
    const commit = (writer: StreamWriter) => writer.commit(sink, decide);
    return this.#alone(() => {
      this.#mustBeWritable();
      const ready = this.#stream.isBegun && this.#isInStep(from) ? this.#writer : undefined;
      const committing = ready === undefined ? this.#tell(from, sink).then(this.#loaded).then(commit) : commit(ready);
      return committing?.then(() => this.#stream.end) ?? this.#stream.end;
    });
  }

  /** The newest turn that has events, as it was last delivered; undefined where it has too many of them. */
  get newestTurn(): NewestTurn | undefined {
    return this.#stream.turns.newest;
  }

  /** This says whether an accepted event up to what was last delivered carries this command. May err only towards true. */
  knows(command: string): boolean {
    return this.#stream.isBegun && this.#stream.ledger.hasCommand(command);
  }

  /** Events after `from`, in order, from the stream as it is now; independent of what sinks were given. `pages` come from a reading that goes on anyway. */
  async *read(from: Version, pages = this.log.read(undefined)): AsyncIterable<RecordedEvent> {
    for await (const { events } of stepsOf(pages, await this.#reading(this.#stream.fold)))
      for (const recorded of events) if (recorded.version > from) yield recorded;
  }

  /** The accepted entries of the stream, each without the log around it, as it is now. */
  async *records(): AsyncIterable<AcceptedRecord> {
    yield* recordsIn(stepsOf(this.log.read(undefined), await this.#reading()));
  }

  /** This is what may count in the lines of the session file, for who goes through all of them anyway. */
  pagesIn(lines: AsyncIterable<readonly RawLine[]>, look?: LookAtLine): AsyncIterable<LogPage> {
    if (this.file === undefined) throw new TypeError(`${this.where} has no lines`);
    return pagesIn(lines, this.file, this.#stream.fold === "branch", look);
  }

  /** This is where the checkpoint stands that is kept beside the log. */
  async savedHead(): Promise<Head | undefined> {
    return (await this.#saved())?.reading.ledger.head;
  }

  /** Says what is wrong in the checkpoint beside the log. It is undefined if nothing is, or if there is no usable checkpoint. */
  async checkpointFault(pages = this.log.read(undefined)): Promise<string | undefined> {
    const [saved, place] = [await this.#saved(), this.log.checkpoint];
    if (saved === undefined || place === undefined) return undefined;
    const { checkpointFault } = await import("./checkpoint-check.ts");
    const fault = await checkpointFault(saved, pages, await this.#reading(), place);
    if (fault === undefined) return undefined;
    this.#stream.isDoubted = this.#stream.isResumed;
    return `the snapshot ${place.where} does not say what the lines say: ${fault}; session-journal snapshot takes a new one`;
  }

  /** Gives the hash of the chain after the commit that holds `version`; at version 0 what its first commit names as `prev`. */
  async headAt(version: Version): Promise<Head | undefined> {
    const first = await this.#reading();
    if (version === 0) return { version, hash: first.ledger.hash };
    for await (const { events, reading } of stepsOf(this.log.read(undefined), first))
      if ((events.at(-1)?.version ?? 0) >= version) return { version, hash: reading.ledger.hash };
    return undefined;
  }

  /** This says whether the owner has old entries dropped. */
  async drops(): Promise<boolean> {
    return (await this.#session()).drops === true;
  }

  /**
   * Appends records of another store as they are, behind version `after`, or any. What was appended before a failure stays.
   * Throws VersionConflictError where the stream is at another version. `withTurns`: a session file gets lines that begin the
   * turns of the records, which only a file may that no host writes to.
   */
  importRecords(after: Version | "any", records: AsyncIterable<StreamRecord>, withTurns = false): Promise<StreamEnd> {
    return this.#alone(async () => {
      this.#mustBeWritable();
      await this.#stream.advance(nobody);
      const writer = await this.#loaded();
      if (after !== "any") writer.requireVersion(after);
      writer.requireWritable();
      for await (const page of pagesOf(records)) await writer.import(page, nobody, withTurns);
      await writer.settle(nobody);
      return this.#stream.end;
    });
  }

  /** This says whether an entry of the stream was found damaged or missing, in all that was last delivered. */
  isDamaged(): boolean {
    return this.#stream.isDamaged;
  }

  /** This is what is known of the session besides its events, where it is one of another client's. */
  async foreign(options: { readonly whole?: boolean } = {}): Promise<ForeignSession | undefined> {
    const { source } = this.log;
    return source?.kind === "foreign" ? source.about(options) : undefined;
  }

  /** Calls `wake` when the stream may have grown: late, twice or for nothing, but always after the last append. */
  watch(wake: () => void): Promise<() => Promise<void>> {
    return this.log.watch(wake);
  }

  /** This is where this store can go on without reading everything: from a checkpoint, or from what it has read already. */
  loadSnapshot(): Promise<Snapshot | undefined> {
    return this.#alone(async () => {
      if (this.#stream.isBegun) return this.#snapshot();
      const image = this.options.fold === "branch" ? undefined : await this.#keeper?.load();
      if (this.options.strict === true && image?.reading.damaged === true) {
        because("%s: the snapshot is ignored, for it hides damage that strict reading is to meet", this.where);
        return undefined;
      }
      if (image !== undefined) this.#stream.resume(image);
      return image && this.#snapshot();
    });
  }

  /** Keeps what resuming at `end` needs. The result is false if the log has no place for it, or nothing can go on from there. */
  saveSnapshot({ end }: Pick<Snapshot, "end">): Promise<boolean> {
    return this.#alone(async () => {
      this.#mustBeWritable();
      return (await this.#keeper?.save(end)) === true;
    });
  }

  /** Waits for what was asked before. */
  close(): Promise<void> {
    return this.#queue.close(async () => {
      await this.#keeper?.idle();
      await this.log.close();
    });
  }

  /** One that is of something else than this log is as good as none. */
  async #saved(): Promise<StreamImage | undefined> {
    const saved = await this.#keeper?.saved();
    if (saved === undefined) return undefined;
    // Going on from another place would take what is open from under a reading.
    return this.#queue.run(async () => ((await startsOver(this.log, saved.cursor)) ? undefined : saved));
  }

  async #session(): Promise<Session> {
    return this.#stream.session ?? this.log.session();
  }

  /** It has taken nothing yet, and goes on behind damage. */
  async #reading(fold: FoldPolicy = "file"): Promise<Reading> {
    return new Reading(await this.#session(), fold, { where: this.where, seal: this.options.seal, strict: false });
  }

  /** Only who writes needs one. */
  readonly #loaded = async (): Promise<StreamWriter> => {
    const { StreamWriter } = await import("./stream-writer.ts");
    this.#writer ??= new StreamWriter(this.log, this.#stream, this.options.seal, this.#keeper);
    return this.#writer;
  };

  #snapshot(): Snapshot | undefined {
    const image = this.#stream.image();
    if (image === undefined) return undefined;
    const { refusal, limits, at } = image.delivered;
    return { end: this.#stream.end, state: image.reading.state, refusal, limits, at };
  }

  /** One call at a time. A checkpoint that is due is made at the end of it, and written beside. */
  #alone<Result>(task: () => Result | Promise<Result>): Promise<Result> {
    const kept = (result: Result): Result => {
      if (this.options.readonly !== true) this.#keeper?.keep();
      return result;
    };
    const running = this.#queue.run(() => {
      const result = task();
      return result instanceof Promise ? result.then(kept) : kept(result);
    });
    return this.#withLine === undefined ? running : running.catch(this.#withLine);
  }

  #mustBeWritable(): void {
    if (this.options.readonly !== true) return;
    const advice = "open it without this option, or make a journal of it with copy or fork";
    throw new ReadonlyError(`${this.where} was opened readonly: ${advice}`, { file: this.where });
  }

  #isInStep(from: Position | undefined): boolean {
    if (from === undefined) return !this.#stream.isBegun;
    const { generation, version } = this.#stream.end;
    return from.generation === generation && from.version === version;
  }

  /** Delivers to `sink` what is after `from`, which may lag behind. For nobody nothing is read again. */
  #tell(from: Position | undefined, sink: EventSink, pages?: LogPages): Promise<void> {
    const isInStep = sink === nobody || this.#isInStep(from);
    return isInStep ? this.#stream.advance(sink, pages) : this.#stream.tellAgain(from, sink);
  }
}

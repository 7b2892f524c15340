/** Appending to a log: what is decided is decided on all that is there, and either counts or is decided again. */
import { setTimeout as sleep } from "node:timers/promises";
import { committed } from "../channels.ts";
import { because, type CommitMessage } from "../diagnostics.ts";
import {
  CorruptEntryError,
  inDoubt,
  NotASessionError,
  noDoubt,
  StorageError,
  VersionConflictError,
} from "../errors.ts";
import type { CommitData, Draft } from "../event/commit.ts";
import type { Version } from "../event/event.ts";
import { parseEvent } from "../event/parse.ts";
import type { SealedCommit, SealKey } from "../line/chain.ts";
import { sealBehind, sealDraft } from "../line/encode.ts";
import type { StreamRecord } from "../line/record.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import type { CheckpointKeeper } from "./checkpoint-keeper.ts";
import type { EventSink, StreamEnd } from "./delivery.ts";
import type { EventStream } from "./event-stream.ts";
import type { Log, LogPage, LogRecord, Step } from "./log.ts";
import { MissingCommits } from "./missing-commits.ts";
import { changedBetween, statesOf } from "./own-values.ts";
import type { OwnCommit } from "./reading.ts";
import { requireToldAgain } from "./require-log.ts";
import { requireFit, requireTaken, requireWritable } from "./writable.ts";

/** Racing writers win their turn long before; what never ends is a caller that repeats a command of another commit. */
const attemptsMax = 256;
/** What was rewritten is written to again once nobody has written for so long. */
const quietMs = 100;
/** The wait is no longer than this. */
const patienceMs = 900;

const leave: Step = { type: "leave" };

export class StreamWriter {
  readonly #log: Log;
  readonly #stream: EventStream;
  readonly #seal: SealKey | undefined;
  readonly #missing: MissingCommits;
  readonly #keeper: CheckpointKeeper | undefined;
  /** What was handed to the log before is still to be looked for: it may be there. */
  #mayBeThere = false;
  /** What is decided anew because it rested on a snapshot alone is not counted: nobody was faster. */
  #tries = 0;

  constructor(log: Log, stream: EventStream, seal: SealKey | undefined, keeper: CheckpointKeeper | undefined) {
    this.#log = log;
    this.#stream = stream;
    this.#seal = seal;
    this.#keeper = keeper;
    this.#missing = new MissingCommits(stream);
  }

  /** The result is undefined if all is done already. */
  commit(sink: EventSink, decide: (end: StreamEnd) => Draft | undefined): Promise<void> | undefined {
    let sealed: SealedCommit | undefined;
    let own: OwnCommit | undefined;
    this.#tries = 0;
    const before = this.#stream.end.version;
    const next = (): Step => {
      const { ledger, end, fold } = this.#stream;
      // @guard one-session
      this.#requireSession(sealed !== undefined);
      this.#missing.acknowledgeFound();
      // @guard read-back
      if (sealed !== undefined && ledger.hasCommit(sealed.data.id)) return this.#settling();
      this.#mayBeThere = false;
      const draft = decide(end);
      if (draft === undefined) return leave;
      this.requireWritable();
      if (draft.events.length === 0) return { ...this.#settling(), ofOthers: true };
      this.#tries += 1;
      if (this.#tries > 1)
        because("%s: another writer was faster: try %d, behind version %d", this.#log.where, this.#tries, end.version);
      if (this.#tries > attemptsMax) throw this.#outpaced(end.version === before);
      own = { id: draft.id, states: statesOf(draft) };
      sealed = sealDraft(draft, ledger.head, fold, this.#seal);
      return this.#appending(sealed, own.states.at(-1));
    };
    const acknowledge = (): undefined => {
      this.#mayBeThere = false;
      if (sealed === undefined || !this.#stream.ledger.hasCommit(sealed.data.id)) return;
      // @guard put-back
      this.#missing.acknowledge(sealed);
      if (!committed.hasSubscribers) return;
      const { id, version, events } = sealed.data;
      const message = { where: this.#log.where, commit: id, version, events: events.length, attempts: this.#tries };
      committed.publish(message satisfies CommitMessage);
    };
    const doubt = (error: unknown): never => {
      if (sealed !== undefined) this.#missing.doubt(sealed);
      throw error;
    };
    try {
      const committing = this.#inStep(sink, next, () => own)?.then(acknowledge, doubt);
      return committing ?? acknowledge();
    } catch (error) {
      return doubt(error);
    }
  }

  /** Appends records of another store as they are: each must count, and follow on the one before it. With `withTurns`, they keep their turns. */
  async import(records: readonly StreamRecord[], sink: EventSink, withTurns: boolean): Promise<void> {
    for (const record of records) requireTaken(this.#log.where, this.#stream.ledger, record);
    let expected = this.#stream.end.version;
    let left = numbered(records, expected);
    const requireProgress = this.#progress(true);
    await this.#inStep(sink, () => {
      const { ledger, end } = this.#stream;
      this.#requireSession(left.length < records.length);
      let hash = ledger.hash;
      for (let [first] = left; first !== undefined && expected < end.version; [first] = left) {
        expected = first.version;
        left = left.slice(1);
        if (first.kind === "commit") hash = first.data.hash;
      }
      // Somebody else may have imported something else, up to the same version.
      this.requireVersion(hash === ledger.hash ? expected : -1);
      requireProgress(left.length);
      return left.length === 0 ? leave : { type: "append", records: left, turn: withTurns ? ledger.turn : undefined };
    });
    this.#mayBeThere = false;
  }

  /** Makes what was read durable, ends a torn last line, and older runtimes read it. */
  async settle(sink: EventSink): Promise<void> {
    await this.#inStep(sink, () => ({ ...this.#settling(), endsTail: true }));
  }

  /** Commits that this handle acknowledged and the log no longer shows are appended again, in the old order. */
  async putBack(sink: EventSink): Promise<void> {
    if (this.#missing.oldest() === undefined) return;
    because("%s: reads again, for commits that were acknowledged are gone: they are appended again", this.#log.where);
    await this.#quiet(sink);
    await this.#stream.readAgain(sink);
    this.#missing.searchAgain();
    const requireProgress = this.#progress();
    const known = (): Step => {
      const oldest = this.#missing.oldest();
      requireProgress(this.#missing.left);
      if (oldest === undefined) return this.#settling();
      this.requireWritable();
      return this.#appending(sealBehind(oldest, this.#stream.ledger.head, this.#stream.fold, this.#seal));
    };
    await this.#inStep(sink, known, undefined, true);
  }

  requireVersion(expected: Version): void {
    const { version } = this.#stream.end;
    if (version !== expected) throw new VersionConflictError(expected, version, { file: this.#log.where });
  }

  requireWritable(): void {
    requireWritable(this.#log.where, this.#stream.ledger, this.#stream.fold, this.#seal);
  }

  /** Calls `next` each time that the stream knows all that is there, until it asks for nothing more. It waits only where it must. With `putsBack`, nothing is of the call that waits. */
  #inStep(
    sink: EventSink,
    next: () => Step,
    own?: () => OwnCommit | undefined,
    putsBack = false,
  ): Promise<void> | undefined {
    const { unread } = this.#stream;
    const isMissing = () => !putsBack && this.#missing.oldest() !== undefined;
    const isUnsure = () => unread.isUnsure(this.#stream.session);
    const again = () => this.#inStep(sink, next, own, putsBack);
    let last: Step | undefined;
    let [isDone, mustRead, isHanded] = [false, false, false];
    const failed = (error: unknown): never => {
      this.#stream.hasFailed = true;
      const isDamaged = error instanceof CorruptEntryError && isHanded;
      const mayBeThere = this.#mayBeThere || isDamaged;
      this.#mayBeThere = false;
      if (mayBeThere) throw inDoubt(error, this.#log.where);
      // What is put back may be the commit of a command that the call that waits has, too.
      throw putsBack && !this.#missing.isAnyOfCommand() ? noDoubt(error) : error;
    };
    const reached = async () => this.#keeper?.requireReached(sink);
    if (isUnsure()) return reached().then(unread.none, failed).then(again);
    if (isMissing()) return this.putBack(sink).catch(failed).then(again);
    const unsure = (): void => {
      because("%s: reads again, for what would be written rests on a snapshot alone", this.#log.where);
      this.#tries = 0;
      mustRead = true;
    };
    const tell = (page: LogPage): Step => {
      mustRead = !this.#stream.take(page, sink, own?.());
      isDone = !mustRead && page.hasMore !== true && !isMissing() && !isUnsure();
      last = leave;
      if (isDone) last = this.#decided(next, unsure);
      isHanded ||= last.type === "append" && !putsBack;
      return last.type !== "leave" && this.#stream.isResumed ? { ...last, unsure } : last;
    };
    const ended = (): Promise<void> | undefined => {
      if (!mustRead) {
        // @guard told-again
        requireToldAgain(last, this.#log.where);
        if (isDone) return undefined;
      }
      this.#mayBeThere ||= isHanded;
      return (mustRead ? this.#stream.readAgain(sink).catch(failed) : Promise.resolve()).then(again);
    };
    try {
      const appending = this.#log.append(this.#stream.cursor, tell);
      return appending === undefined ? ended() : Promise.resolve(appending).then(ended).catch(failed);
    } catch (error) {
      return failed(error);
    }
  }

  /** What is refused for what a checkpoint says is refused once the log says so. */
  #decided(next: () => Step, unsure: () => void): Step {
    try {
      return next();
    } catch (error) {
      const { isResumed, session } = this.#stream;
      if (!isResumed || session?.drops === true) throw error;
      unsure();
      return leave;
    }
  }

  #settling(): Extract<Step, { type: "settle" }> {
    const { state = initialState, ledger } = this.#stream;
    return { type: "settle", values: state, commit: ledger.lastCommit };
  }

  /** `after` is the state with the commit, if it is known. */
  #appending(sealed: SealedCommit, after = this.#stateWith(sealed.data)): Step {
    requireFit(this.#log.where, sealed);
    const { state = initialState, ledger } = this.#stream;
    const { data } = sealed;
    const record: LogRecord = { kind: "commit", turn: ledger.turn, data, version: data.version };
    return { type: "append", records: [record], json: sealed.json, changed: changedBetween(state, after) };
  }

  #stateWith({ v, events }: CommitData): ScratchpadState {
    const { state = initialState, ledger } = this.#stream;
    return events.reduce((at, written) => evolve(at, ledger.settled(parseEvent(v, written))), state);
  }

  /** Throws, but once, where the log has become another session: what was meant for one is not written to the other. `written`: something was. */
  #requireSession(written: boolean): void {
    const { leftSession, session } = this.#stream;
    if (leftSession === undefined) return;
    this.#stream.leftSession = undefined;
    const { where } = this.#log;
    const known = JSON.stringify(leftSession);
    const fate = written ? `the commit may stand in ${known}, wherever that is` : "nothing was written";
    throw new NotASessionError(
      `${where} has become session ${JSON.stringify(session?.id)}, it was ${known} before: ${fate}; refresh to go on with this session, or open the other one where it lies now`,
      { file: where, line: 1, byte: 0 },
    );
  }

  /** Waits until nobody has written for a while, but not for ever: there may be one who writes all the time. */
  async #quiet(sink: EventSink): Promise<void> {
    const deadline = performance.now() + patienceMs;
    for (let read = -1; read !== this.#stream.bytes && performance.now() < deadline; ) {
      read = this.#stream.bytes;
      await sleep(quietMs);
      await this.#stream.advance(sink);
    }
  }

  /** The result throws where as many attempts as a commit has left as much to be appended as there was. */
  #progress(isStill = false): (left: number) => void {
    let [before, attempts] = [Number.POSITIVE_INFINITY, 0];
    return (left) => {
      attempts = left < before ? 0 : attempts + 1;
      before = left;
      if (attempts > attemptsMax) throw this.#outpaced(isStill);
    };
  }

  /** `isStill`: nothing else came meanwhile, so nobody was faster. */
  #outpaced(isStill = false): StorageError {
    const { where } = this.#log;
    const why = isStill
      ? "what was appended did not come back as it was handed over, or a command was used before: run session-journal verify on it; a log of your own is held to this by testLog"
      : "others were faster or a command was used before: try again";
    const message = `${where}: ${attemptsMax} commits in a row were refused, for ${why}`;
    return new StorageError(message, "not-written", { file: where });
  }
}

function numbered(records: readonly StreamRecord[], after: Version): LogRecord[] {
  let version = after;
  return records.map((record) => {
    version = record.kind === "commit" ? record.data.version : version + 1;
    return { ...record, version };
  });
}

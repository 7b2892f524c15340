/** WHAT YOU HOLD: a handle on one session's journal. */
import type { Space } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import type { Limits } from "../action/limits.ts";
import type { Measure } from "../action/text.ts";
import type { BlamedLine } from "../audit/blame.ts";
import type { Loss } from "../audit/lost.ts";
import type { Point } from "../audit/points.ts";
import type { Verification } from "../audit/verify/finding.ts";
import { ClosedError, ReadonlyError } from "../errors.ts";
import type { Head } from "../event/commit.ts";
import type { RecordedEvent, ScratchpadEvent, Version } from "../event/event.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { JournalStore } from "../store/store.ts";
import { ActionsCall, type ActionsCallParts } from "./actions-call.ts";
import type { Base, Call } from "./call.ts";
import { type VerifyOptions, verifyStore } from "./check.ts";
import { EventCall } from "./event-call.ts";
import { type ChildTarget, type ForkOptions, forkedEvent, requireFresh, type SpawnOptions } from "./fork.ts";
import { Lane } from "./lane.ts";
import { type ApplyOptions, type NotesBudget, parseApplyOptions, parseName } from "./options.ts";
import {
  type Diff,
  diffBetween,
  type HistoryOptions,
  type Moment,
  momentAt,
  parseHistoryOptions,
  readHistory,
  stateAt,
} from "./past.ts";
import { Projection } from "./projection.ts";
import {
  type EntriesMethods,
  entriesMethods,
  type NotesMethods,
  notesMethods,
  type PlanMethods,
  planMethods,
  type RefsMethods,
  refsMethods,
  type SectionsMethods,
  sectionsMethods,
} from "./spaces.ts";
import { Writer } from "./writer.ts";

export interface JournalParts {
  readonly store: JournalStore;
  /** True where closing the journal closes the store. */
  readonly ownsStore: boolean;
  readonly limits: Limits;
  readonly actor: string;
  readonly measure?: Measure;
  readonly readonly: boolean;
  readonly clock: () => Date;
  /** A new UUID at each call. */
  readonly ids: () => string;
  /** Opens the session that becomes a child, made where there is none. `parentSession`: where it comes from. */
  readonly openChild: (target: ChildTarget, parentSession: string) => Promise<Journal>;
}

/** Resumes: the snapshot where there is one, then the tail. */
export async function resumeJournal(parts: JournalParts): Promise<Journal> {
  const snapshot = await parts.store.loadSnapshot?.();
  const journal = new Journal(parts, new Projection(snapshot));
  await journal.refresh();
  return journal;
}

export class Journal {
  readonly notes: NotesMethods;
  readonly plan: PlanMethods;
  readonly refs: RefsMethods;
  readonly entries: EntriesMethods;
  readonly sections: SectionsMethods;
  readonly #parts: JournalParts;
  readonly #projection: Projection;
  readonly #lane = new Lane();
  readonly #writer: Writer;
  #closing: Promise<void> | undefined;

  /** Use `openJournal`. */
  constructor(parts: JournalParts, projection: Projection) {
    const { store, clock, ids } = parts;
    this.#parts = parts;
    this.#projection = projection;
    this.#writer = new Writer({ store, projection, lane: this.#lane, clock, ids });
    const apply = this.apply.bind(this);
    this.notes = notesMethods(apply);
    this.plan = planMethods(apply);
    this.refs = refsMethods(apply);
    this.entries = entriesMethods(apply, () => this.state);
    this.sections = sectionsMethods(apply);
  }

  /** As last read, like `version`, `turn` and `head`: `refresh` and everything that writes or looks back reads on. */
  get state(): ScratchpadState {
    return this.#projection.view.state;
  }

  get version(): Version {
    return this.#projection.view.version;
  }

  get turn(): number {
    return this.#projection.view.turn;
  }

  get head(): Head {
    return this.#projection.head;
  }

  /** The budgets in force. */
  get limits(): Limits {
    return this.#parts.limits;
  }

  /**
   * Decides on the newest state, appends, and answers once that is durable. A refusal is an answer; see `Answer`.
   * Throws VersionConflictError, ReadonlyError, UnknownEventError, ClosedError, StorageError, and a TypeError for a
   * `command` that was used for another action.
   */
  async apply(action: unknown, options?: ApplyOptions): Promise<Answer> {
    const [answer] = await this.#decide({ actions: [copied(action)] }, options);
    return answer as Answer;
  }

  /** As `apply`, under the budget of a face. */
  async applyUnder({ notes, ...budget }: NotesBudget, action: unknown, options?: ApplyOptions): Promise<Answer> {
    const limits = { ...this.#parts.limits, notes };
    const [answer] = await this.#decide({ actions: [copied(action)], limits, ...budget }, options);
    return answer as Answer;
  }

  /**
   * Applies all of them in one commit, or none: where one is refused, its refusal is recorded and the others answer
   * `code: "not_applied"`. A `command` stands for the group: repeated with the same actions, it gives the same answers.
   */
  async applyAll(actions: readonly unknown[], options?: ApplyOptions): Promise<Answer[]> {
    if (!Array.isArray(actions)) throw new TypeError("applyAll takes an array of actions");
    return this.#decide({ actions: actions.map(copied) }, options);
  }

  /** For hosts whose messages are in another file. Answers the number of the turn. */
  async beginTurn(turn: { readonly id?: string } = {}): Promise<number> {
    const { actor } = this.#parts;
    const id = turn.id === undefined ? {} : { id: parseName("id", turn.id) };
    const after = await this.#append({ type: "turn.began", ...id }, actor);
    return after.turn;
  }

  /** Appends the state at `point` as the newest one; the history stays. Throws PointError, and as `apply` does. */
  async restore(point: Point, options?: ApplyOptions): Promise<Answer> {
    const history = await this.#history();
    const { version: to } = momentAt(point, history);
    const restoring = {
      actions: [{ action: "restore", to }],
      stateAt: (version: Version) => stateAt(version, history),
    };
    const [answer] = await this.#decide(restoring, options);
    return answer as Answer;
  }

  /**
   * A child session with the state of this one at a point, and a record of where it comes from. The child is opened as
   * this journal was, and stands alone. Throws PointError, and StorageError where the target has a history already.
   */
  async fork(target: ChildTarget, { at = "head" }: ForkOptions = {}): Promise<Journal> {
    return this.#beget(target, at, true);
  }

  /** A child session that begins empty, or with a copy of this state. Otherwise as `fork`. */
  async spawn(target: ChildTarget, { copy = false }: SpawnOptions = {}): Promise<Journal> {
    return this.#beget(target, "head", copy);
  }

  async #beget(target: ChildTarget, point: Point, copy: boolean): Promise<Journal> {
    const { store, actor, openChild } = this.#parts;
    const event = await forkedEvent(store, await this.at(point), copy);
    const child = await openChild(target, store.where);
    try {
      requireFresh(child.version, child.#parts.store.where);
      await child.#append(event, actor);
    } catch (error) {
      await child.close();
      throw error;
    }
    return child;
  }

  /** Reads what others appended. */
  async refresh(): Promise<void> {
    this.#mustBeOpen();
    await this.#lane.run(async () => {
      this.#projection.settle(await this.#parts.store.catchUp(this.#projection.from(), this.#projection));
    });
  }

  /** The events after version `from`, up to `to`, as they stand in the stream. Ends when the journal is closed. */
  history(options?: HistoryOptions): AsyncIterableIterator<RecordedEvent> {
    const { from, to } = parseHistoryOptions(options);
    return this.#events(from, to, this.#closing !== undefined);
  }

  async *#events(from: Version, to: Version, closedBefore: boolean): AsyncGenerator<RecordedEvent, undefined> {
    if (closedBefore) this.#mustBeOpen();
    for await (const recorded of this.#parts.store.read(from)) {
      if (this.#closing !== undefined || recorded.version > to) return;
      yield recorded;
    }
  }

  /** Throws PointError. */
  async at(point: Point): Promise<Moment> {
    return momentAt(point, await this.#history());
  }

  /** Between two points, in either direction; to the newest version without `to`; the last turn without both. */
  async diff(from?: Point, to?: Point): Promise<Diff> {
    return diffBetween(from, to, await this.#history());
  }

  /** Who wrote each line that stands, in one space or in all. */
  async blame(space?: Space): Promise<readonly BlamedLine[]> {
    const { events } = await this.#history();
    const { blame } = await import("../audit/blame.ts");
    return blame(events, space);
  }

  /** What budgets, refusals and outside writers took away, whole. */
  async lost(): Promise<readonly Loss[]> {
    const { events } = await this.#history();
    const { lost } = await import("../audit/lost.ts");
    return lost(events);
  }

  /** Reads the whole record and lists what is remarkable in it. Findings are a result, not an error. */
  async verify(options: VerifyOptions = {}): Promise<Verification> {
    await this.refresh();
    return verifyStore(this.#parts.store, this.head, options);
  }

  /** Saves what resuming needs, where the backend keeps snapshots. */
  async snapshot(): Promise<void> {
    this.#mustBeWritable();
    await this.refresh();
    const snapshot = this.#projection.snapshot();
    if (snapshot !== undefined) await this.#parts.store.saveSnapshot?.(snapshot);
  }

  /** Waits for what was asked before. Closing twice is fine; whatever is called later rejects with ClosedError. */
  close(): Promise<void> {
    this.#closing ??= this.#lane.run(async () => {
      if (this.#parts.ownsStore) await this.#parts.store.close();
    });
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #history(): ReturnType<typeof readHistory> {
    await this.refresh();
    return readHistory(this.#parts.store, this.#projection.view);
  }

  #decide(what: Pick<ActionsCallParts, "actions"> & Partial<ActionsCallParts>, options: unknown): Promise<Answer[]> {
    const { limits, actor, measure } = this.#parts;
    const parts = {
      limits,
      actor,
      ...(measure === undefined ? {} : { measure }),
      ...parseApplyOptions(options),
      ...what,
    };
    return this.#submit<Answer[]>((resolve, reject) => new ActionsCall(parts, resolve, reject));
  }

  #append(event: ScratchpadEvent, actor: string): Promise<Base> {
    return this.#submit<Base>((resolve, reject) => new EventCall({ event, actor }, resolve, reject));
  }

  #submit<Result>(
    call: (resolve: (result: Result) => void, reject: (error: unknown) => void) => Call,
  ): Promise<Result> {
    this.#mustBeWritable();
    return new Promise((resolve, reject) => this.#writer.submit(call(resolve, reject)));
  }

  #mustBeWritable(): void {
    this.#mustBeOpen();
    if (!this.#parts.readonly) return;
    throw new ReadonlyError(`the journal on ${this.#parts.store.where} was opened readonly: open it without to write`);
  }

  #mustBeOpen(): void {
    if (this.#closing === undefined) return;
    throw new ClosedError(`the journal on ${this.#parts.store.where} was closed: open it again`);
  }
}

/** Its caller may change the action before it is decided. Actions are flat but for a list of refs. */
function copied(action: unknown): unknown {
  if (typeof action !== "object" || action === null) return action;
  return Object.fromEntries(
    Object.entries(action).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]),
  );
}

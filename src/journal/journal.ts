/** You hold this: a handle on one session's journal. `public.ts` says what each member does. */
import type { Action } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import type { Limits } from "../action/limits.ts";
import type { Point } from "../audit/points.ts";
import { ReadonlyError } from "../errors.ts";
import type { Shown } from "../event/shown.ts";
import { requireOptions } from "../options.ts";
import type { ForkOptions, SpawnOptions } from "./fork.ts";
import type { ImportedMemory, ImportOptions, Memory } from "./imported.ts";
import { JournalReading, type ReadingParts } from "./journal-reading.ts";
import type { Merged, MergeFromOptions } from "./merged.ts";
import type { ApplyOptions, NotesBudget } from "./options.ts";
import { Projection } from "./projection.ts";
import type { Journal, Where } from "./public.ts";
import { ofOneHistory } from "./readings.ts";
import {
  type EntriesMethods,
  type NotesMethods,
  type PlanMethods,
  type RefsMethods,
  type SectionsMethods,
  type SpaceMethods,
  spaceMethods,
} from "./spaces.ts";
import type { Writing, WritingSettings } from "./writing.ts";

export interface JournalParts extends ReadingParts, WritingSettings {
  readonly readonly: boolean;
  /** With true, the journal keeps in step with its stream. The default is false. */
  readonly follow?: boolean;
  readonly clock: () => Date;
  /** Each call makes a new UUID. */
  readonly ids: () => string;
  /** Opens the session that becomes a child, or makes it if there is none. It comes from `parentSession`, and `begin` writes its first event. */
  readonly openChild: (
    target: Where,
    parentSession: string,
    begin: (child: OpenedJournal) => Promise<void>,
  ) => Promise<OpenedJournal>;
}

/** Resumes: the snapshot where there is one, then the events behind it. It looks only for the session if the journal stays unread. */
export async function resumeJournal(parts: JournalParts): Promise<OpenedJournal> {
  if (parts.isUnread === true) {
    await parts.store.sessionId();
    return OpenedJournal.unread(parts);
  }
  // A call is queued in the tick in which it is made, so what carries it out is there before.
  const loading = parts.readonly ? undefined : import("./writing.ts");
  const [snapshot, loaded] = await Promise.all([parts.store.loadSnapshot(), loading]);
  return OpenedJournal.resume(parts, new Projection(snapshot), loaded);
}

type LoadedWriting = typeof import("./writing.ts");

export class OpenedJournal extends JournalReading implements Journal {
  readonly #parts: JournalParts;
  #spaces: SpaceMethods | undefined;
  /** Where the journal is only read, it is loaded for the first call that is refused. */
  #writing: Writing | undefined;

  static async resume(parts: JournalParts, projection: Projection, loaded?: LoadedWriting): Promise<OpenedJournal> {
    const journal = new OpenedJournal(parts, projection);
    if (loaded !== undefined) journal.#startWriting(loaded);
    await journal.refresh();
    if (parts.follow === true) await journal.follow();
    return journal;
  }

  static unread(parts: JournalParts): OpenedJournal {
    return new OpenedJournal(parts, new Projection());
  }

  private constructor(parts: JournalParts, projection: Projection) {
    super(parts, projection);
    this.#parts = parts;
  }

  get notes(): NotesMethods {
    return this.#methods.notes;
  }

  get plan(): PlanMethods {
    return this.#methods.plan;
  }

  get refs(): RefsMethods {
    return this.#methods.refs;
  }

  get entries(): EntriesMethods {
    return this.#methods.entries;
  }

  get sections(): SectionsMethods {
    return this.#methods.sections;
  }

  get limits(): Limits {
    return this.#parts.limits;
  }

  apply(action: Action, options?: ApplyOptions): Promise<Answer> {
    return this.#write((writing) => writing.apply(action, options));
  }

  applyUnknown(value: unknown, options?: ApplyOptions): Promise<Answer> {
    return this.apply(value as Action, options);
  }

  applyUnder(budget: NotesBudget, action: unknown, options?: ApplyOptions): Promise<Answer> {
    return this.#write((writing) => writing.applyUnder(budget, action, options));
  }

  applyAll(actions: readonly Action[], options?: ApplyOptions): Promise<Answer[]> {
    return this.#write((writing) => writing.applyAll(actions, options));
  }

  beginTurn(turn: { readonly id?: string } = {}): Promise<number> {
    return this.#write((writing) => writing.beginTurn(turn));
  }

  recordShown(shown: readonly Shown[]): Promise<void> {
    return this.#write((writing) => writing.recordShown(shown));
  }

  restore(point: Point, options?: ApplyOptions): Promise<Answer> {
    return this.#write((writing) => writing.restore(point, options));
  }

  async fork(target: Where, options: ForkOptions = {}): Promise<OpenedJournal> {
    requireOptions(options, "at");
    const { at = "head" } = options;
    return this.#beget(target, at, true);
  }

  async spawn(target: Where, options: SpawnOptions = {}): Promise<OpenedJournal> {
    requireOptions(options, "copy", "copy_notepad");
    const { copy_notepad: copyNotepad = false, copy = copyNotepad } = options;
    if (typeof copy !== "boolean") throw new TypeError('option "copy" must be true or false');
    return this.#beget(target, "head", copy);
  }

  async merge(other: Journal, options: MergeFromOptions = {}): Promise<Merged> {
    requireOptions(options, "spaces", "conflicts", "dryRun", "actor");
    if (options.dryRun !== true) this.#mustBeWritable();
    const { mergeFrom } = await import("./merge.ts");
    return mergeFrom(this, other, options, { ...this.#parts, apply: this.#apply });
  }

  async import(memory: Memory, options: ImportOptions = {}): Promise<ImportedMemory> {
    requireOptions(options, "replace", "dryRun", "actor");
    if (options.dryRun !== true) this.#mustBeWritable();
    const { importMemory } = await import("./import.ts");
    return importMemory(this, memory, options, { ...this.#parts, apply: this.#apply });
  }

  readonly #apply: Writing["decide"] = (what, options) => this.#write((writing) => writing.decide(what, options));

  async #beget(target: Where, point: Point, copy: boolean): Promise<OpenedJournal> {
    const { store, actor, openChild } = this.#parts;
    const event = await ofOneHistory(this, this.projection, async (view) => {
      const { forkedEvent } = await import("./fork.ts");
      return forkedEvent(store, await this.momentAt(point, view), copy, view.unknown);
    });
    const { begin } = await import("./fork.ts");
    return openChild(target, store.where, (child) =>
      begin(child.#parts.store.where, child.version, (fresh) =>
        child.#write((writing) => writing.append(event, actor, fresh)),
      ),
    );
  }

  async snapshot(): Promise<boolean> {
    this.#mustBeWritable();
    await this.refresh();
    // Between the two no call of this journal may go on: what is shown would no longer be where the store is, and not be kept.
    return this.queue.run(() => {
      const snapshot = this.projection.snapshot();
      return snapshot !== undefined && this.#parts.store.saveSnapshot(snapshot);
    });
  }

  get #methods(): SpaceMethods {
    this.#spaces ??= spaceMethods(
      (action, options) => this.apply(action, options),
      () => this.state,
    );
    return this.#spaces;
  }

  /** The task begins at once, but for the first one of a journal that is only read. */
  #write<Result>(task: (writing: Writing) => Promise<Result>): Promise<Result> {
    if (this.#writing !== undefined) return task(this.#writing);
    return import("./writing.ts").then((loaded) => task(this.#startWriting(loaded)));
  }

  #startWriting({ Writing }: LoadedWriting): Writing {
    const { projection, queue } = this;
    const history = () => this.newestHistory();
    const mustBeWritable = () => this.#mustBeWritable();
    this.#writing ??= new Writing({ ...this.#parts, projection, queue, history, mustBeWritable });
    return this.#writing;
  }

  #mustBeWritable(): void {
    this.mustBeOpen();
    if (!this.#parts.readonly) return;
    throw new ReadonlyError(
      `the journal on ${this.#parts.store.where} was opened readonly: open it without this option, or make a journal of it with copy or fork`,
    );
  }
}

/** A pad is a folder of texts: one journal for all sessions that work in it, and each entry as a file to look at and to edit. */
import fs from "node:fs";
import path from "node:path";
import type { Action } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import type { Limits } from "../action/limits.ts";
import type { Measures } from "../action/measures.ts";
import { StorageError } from "../errors.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import type { HistoryOptions } from "../journal/moment.ts";
import type { ApplyOptions, NotesBudget } from "../journal/options.ts";
import type { Journal } from "../journal/public.ts";
import { type EntriesMethods, entriesMethods } from "../journal/spaces.ts";
import { makeFolders } from "../make-folders.ts";
import type { ScratchpadState } from "../state/state.ts";
import { Queue } from "../stream/queue.ts";
import { type PadAnswer, type PadOptions, padTools } from "../tool/pad.ts";
import type { Tool, ToolJournal } from "../tool/tool.ts";
import type { PadFinding } from "./pad-finding.ts";
import { type Guard, PadMirror } from "./pad-mirror.ts";

/** This file can also be read like any session file: `session-journal log .scratchpad/journal.jsonl`. */
const journalName = "journal.jsonl";

export interface PadParts {
  readonly open: (file: string) => Promise<Journal>;
  readonly guard: Guard;
  /** These are the measures of the journal, which decides by them. */
  readonly measure: Measures | undefined;
  /** The files are neither taken in nor written. */
  readonly readonly: boolean;
  readonly create: boolean;
}

/** Every action first takes in what a person did, and leaves the files in step. Only one action runs at a time. */
export class Pad implements ToolJournal {
  readonly directory: string;
  /**
   * This is the journal, for everything else that it does. What is written through it comes to the files with the next
   * `refresh`.
   */
  readonly journal: Journal;
  readonly entries: EntriesMethods;
  readonly #mirror: PadMirror | undefined;
  readonly #queue = new Queue();
  #findings: readonly PadFinding[] = [];

  /** @internal Use `openPad`. */
  static async open(directory: string, { open, guard, measure, readonly, create }: PadParts): Promise<Pad> {
    if (!readonly) requireOwnFolder(directory);
    if (create && !readonly) makeFolders(directory, 0o700);
    const journal = await open(path.join(directory, journalName));
    try {
      const mirror = readonly ? undefined : new PadMirror(directory, journal, { guard, measure });
      const pad = new Pad(directory, journal, mirror);
      await pad.refresh();
      return pad;
    } catch (error) {
      await journal.close();
      throw error;
    }
  }

  private constructor(directory: string, journal: Journal, mirror: PadMirror | undefined) {
    this.directory = directory;
    this.journal = journal;
    this.#mirror = mirror;
    this.entries = entriesMethods(this.apply.bind(this), () => this.state);
  }

  get state(): ScratchpadState {
    return this.journal.state;
  }

  get version(): Version {
    return this.journal.version;
  }

  get limits(): Limits {
    return this.journal.limits;
  }

  /** These are the files that differed from their entries at the last reading. */
  get findings(): readonly PadFinding[] {
    return this.#findings;
  }

  history(options?: HistoryOptions): AsyncIterableIterator<RecordedEvent> {
    return this.journal.history(options);
  }

  /** Takes in what a person put, changed or removed, as events of "human", and writes to the files what others wrote. */
  refresh(): Promise<void> {
    return this.#queue.run(() => this.#sync());
  }

  /** This does the same as `journal.apply`. A warning says if the entry cannot have a file. */
  apply(action: Action, options?: ApplyOptions): Promise<Answer> {
    return this.#inStep(() => this.journal.apply(action, options));
  }

  applyUnknown(value: unknown, options?: ApplyOptions): Promise<Answer> {
    return this.#inStep(() => this.journal.applyUnknown(value, options));
  }

  applyUnder(budget: NotesBudget, action: unknown, options?: ApplyOptions): Promise<Answer> {
    return this.#inStep(() => this.journal.applyUnder(budget, action, options));
  }

  /** This makes the tools of an agent that works here. */
  tools(options?: PadOptions): Tool<PadAnswer>[] {
    return padTools(this, options);
  }

  close(): Promise<void> {
    return this.#queue.run(() => this.journal.close());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #inStep(task: () => Promise<Answer>): Promise<Answer> {
    return this.#queue.run(async () => {
      await this.#sync();
      const answer = await task();
      await this.#sync();
      const written = answer.events.flatMap((event) => (event.type === "entry.written" ? [event.key] : []));
      const warnings = this.#findings.flatMap(({ key, file, message }) =>
        key !== undefined && written.includes(key) ? [`the entry is kept without its file ${file}: ${message}`] : [],
      );
      return warnings.length === 0 ? answer : { ...answer, warnings: [...answer.warnings, ...warnings] };
    });
  }

  async #sync(): Promise<void> {
    if (this.#mirror === undefined) await this.journal.refresh();
    else this.#findings = await this.#mirror.sync();
  }
}

/** A link may come with a repository, and lead to where nobody wants an agent's texts. */
function requireOwnFolder(directory: string): void {
  if (fs.lstatSync(directory, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return;
  const message = `${directory} is a symbolic link: name the folder that it points to`;
  throw new StorageError(message, "not-written", { file: directory });
}

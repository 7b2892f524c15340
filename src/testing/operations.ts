/**
 * This file records what several processes did to one journal, and when. Each process records its own part; the parts are joined and judged
 * afterwards.
 */

import { createHash } from "node:crypto";
import type { Action } from "../action/actions.ts";
import type { Answer } from "../action/answer.ts";
import { isJournalError } from "../errors.ts";
import type { Version } from "../event/event.ts";
import type { Journal } from "../journal/public.ts";
import { canonicalJson } from "../line/json.ts";
import type { ScratchpadState } from "../state/state.ts";

/** This is the time from a call to its answer. */
export interface Interval {
  readonly process: string;
  /** These are nanoseconds on a clock that all processes of a machine share. */
  readonly asked: number;
  readonly answered: number;
}

/** This is one call, as plain JSON. */
export type Operation = WriteOperation | ReadOperation;

/** This is a write that was recorded. */
export interface WriteOperation extends Interval {
  readonly type: "write";
  readonly action: unknown;
  readonly actor: string;
  readonly command: string;
  /** "failed": nothing of it is in the stream. "unknown": it may be there. */
  readonly outcome: Answer | "failed" | "unknown";
}

/** This is a read that was recorded. */
export interface ReadOperation extends Interval {
  readonly type: "read";
  readonly version: Version;
  /** This is the {@link stateDigest} of the state that was shown. */
  readonly digest: string;
}

/** These are the options of an `OperationRecorder`. */
export interface RecorderOptions {
  /** Names this process, or this handle, in the record. */
  readonly process: string;
  /** Takes each operation when it has ended, for example into a file. */
  readonly write: (operation: Operation) => void;
  /** The default is the monotone clock of the machine. */
  readonly now?: () => number;
}

/** Calls a journal and records it. Every write gets a command of its own, by which it is found in the history. */
export class OperationRecorder {
  readonly #journal: Journal;
  readonly #options: RecorderOptions;
  readonly #now: () => number;
  #commands = 0;

  constructor(journal: Journal, options: RecorderOptions) {
    this.#journal = journal;
    this.#options = options;
    this.#now = options.now ?? (() => Number(process.hrtime.bigint()));
  }

  /** Rejects as `apply` does. With a `command` that was used before, it is a repetition. */
  async apply(action: unknown, options: { readonly command?: string } = {}): Promise<Answer> {
    const { process: actor, write } = this.#options;
    this.#commands += 1;
    const { command = `${actor} ${this.#commands}` } = options;
    const asked = this.#now();
    const record = (outcome: WriteOperation["outcome"]) =>
      write({ type: "write", process: actor, asked, answered: this.#now(), action, actor, command, outcome });
    try {
      const answer = await this.#journal.apply(action as Action, { actor, command });
      record(answer);
      return answer;
    } catch (error) {
      record(fateOf(error));
      throw error;
    }
  }

  /** Reads on, and records what the journal shows then. */
  async read(): Promise<void> {
    const { process, write } = this.#options;
    const asked = this.#now();
    await this.#journal.refresh();
    const { version, state } = this.#journal;
    write({ type: "read", process, asked, answered: this.#now(), version, digest: stateDigest(state) });
  }
}

function fateOf(error: unknown): "failed" | "unknown" {
  return isJournalError(error, "storage") && "fate" in error && error.fate === "unknown" ? "unknown" : "failed";
}

/**
 * Gives a digest that is equal for equal states.
 *
 * @param state The state of a journal.
 * @throws Nothing, if the types hold.
 * @example
 * stateDigest(journal.state) === stateDigest(other.state);
 */
export function stateDigest(state: ScratchpadState): string {
  return createHash("sha256").update(canonicalJson(state)).digest("base64").slice(0, 16);
}

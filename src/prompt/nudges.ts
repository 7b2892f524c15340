/** Hints for an agent that forgets its scratchpad. All are off until asked for. */

import type { Version } from "../event/event.ts";
import { typeOf } from "../event/types.ts";
import { requireOptions } from "../options.ts";
import { isEmpty } from "./block.ts";
import type { JournalView } from "./journal-view.ts";
import { detectsPlan } from "./plan-detection.ts";

/** Whole numbers of at least 0; 0, the default, is off. Empty means: no notes, no plan, no refs. */
export interface NudgeSettings {
  /** Empty for this many turns, counting the message about to be sent. */
  readonly nudgeAfterTurns?: number;
  /** 1: empty, and the assistant's last text laid out a plan. */
  readonly nudgeOnPlanDetected?: number;
  /** 1: the conversation was compacted since the last message. */
  readonly nudgeAfterCompaction?: number;
  /**
   * Not empty, and no action accepted for this many turns, counting the message about to be sent: after a use in turn 1,
   * 3 comes with the message of turn 4. Call `beginTurn`, where the host needs it, before `composePrompt`.
   */
  readonly nudgeTurnsSinceLastUse?: number;
}

export const nudgeNames: readonly (keyof NudgeSettings)[] = [
  "nudgeAfterTurns",
  "nudgeOnPlanDetected",
  "nudgeAfterCompaction",
  "nudgeTurnsSinceLastUse",
];

export interface NudgeOptions extends NudgeSettings {
  /** The name under which the tool is registered. Default `session_scratchpad`. */
  readonly toolName?: string;
  /** A hint of one kind comes at most once in so many turns. Default 5. A compaction is always worth one. */
  readonly coolDownTurns?: number;
  /** As older runtimes did: no cool-down. Default false. */
  readonly repeat?: boolean;
  /** After a restart, learn the age of the last use from the journal. Default true; older runtimes began again at 0. */
  readonly resume?: boolean;
}

export interface Nudges {
  /** Whether any of them is on. */
  readonly enabled: boolean;
  /** The assistant said this. */
  assistantSaid(text: string): void;
  /** The host compacted the conversation. */
  compacted(): void;
  /** The `[Hint: …]` lines for the next message, of which it is told once: each call counts as a turn. */
  hints(journal: JournalView): Promise<readonly string[]>;
}

/** Counters live in memory and begin again with the process. Throws a TypeError for a setting of another name, or no such number. */
export function createNudges(options: NudgeOptions = {}): Nudges {
  requireOptions(options, ...nudgeNames, "toolName", "coolDownTurns", "repeat", "resume");
  return new TurnNudges(options);
}

type Kind = keyof NudgeSettings;

class TurnNudges implements Nudges {
  readonly enabled: boolean;
  readonly #settings: Required<NudgeSettings>;
  readonly #options: { readonly toolName: string; readonly coolDownTurns: number; readonly resume: boolean };
  #turn = 0;
  #emptyTurns = 0;
  #unusedTurns = 0;
  #planSeen = false;
  #compacted = false;
  /** Up to where the journal was looked through for uses; undefined before the first look. */
  #seen: Version | undefined;
  readonly #shownAt = new Map<Kind, number>();

  constructor({
    toolName = "session_scratchpad",
    coolDownTurns = 5,
    repeat = false,
    resume = true,
    ...given
  }: NudgeOptions) {
    this.#settings = {
      nudgeAfterTurns: given.nudgeAfterTurns ?? 0,
      nudgeOnPlanDetected: given.nudgeOnPlanDetected ?? 0,
      nudgeAfterCompaction: given.nudgeAfterCompaction ?? 0,
      nudgeTurnsSinceLastUse: given.nudgeTurnsSinceLastUse ?? 0,
    };
    for (const [name, value] of Object.entries({ ...this.#settings, coolDownTurns })) assertCount(name, value);
    this.#options = { toolName, coolDownTurns: repeat ? 0 : coolDownTurns, resume };
    this.enabled = nudgeNames.some((name) => this.#settings[name] > 0);
  }

  assistantSaid(text: string): void {
    if (this.#settings.nudgeOnPlanDetected > 0) this.#planSeen ||= detectsPlan(text);
  }

  compacted(): void {
    this.#compacted = true;
  }

  async hints(journal: JournalView): Promise<readonly string[]> {
    if (!this.enabled) return [];
    const used = await this.#lookForUse(journal);
    const empty = isEmpty(journal.state);
    this.#turn += 1;
    this.#emptyTurns = empty ? (used ? 0 : this.#emptyTurns) + 1 : 0;
    this.#unusedTurns = (used ? 0 : this.#unusedTurns) + 1;
    const due = nudgeNames.filter((kind) => this.#isDue(kind, empty) && this.#hasCooled(kind));
    for (const kind of due) this.#shownAt.set(kind, this.#turn);
    const lines = due.map((kind) => `[Hint: ${this.#wording(kind)}]`);
    this.#planSeen = false;
    this.#compacted = false;
    return lines;
  }

  #isDue(kind: Kind, empty: boolean): boolean {
    const setting = this.#settings[kind];
    if (setting === 0) return false;
    switch (kind) {
      case "nudgeAfterTurns":
        return empty && this.#emptyTurns >= setting;
      case "nudgeOnPlanDetected":
        return empty && this.#planSeen;
      case "nudgeAfterCompaction":
        return this.#compacted;
      case "nudgeTurnsSinceLastUse":
        return !empty && this.#unusedTurns >= setting;
    }
  }

  #hasCooled(kind: Kind): boolean {
    const shownAt = this.#shownAt.get(kind);
    if (shownAt === undefined || kind === "nudgeAfterCompaction") return true;
    return this.#turn - shownAt >= this.#options.coolDownTurns;
  }

  #wording(kind: Kind): string {
    const { toolName } = this.#options;
    switch (kind) {
      case "nudgeAfterTurns":
        return `The session scratchpad is still empty after ${turnsInWords(this.#emptyTurns)}. Save the plan, facts and files you will need again with ${toolName}.`;
      case "nudgeOnPlanDetected":
        return `You laid out a plan, and the session scratchpad is empty. Save the plan with ${toolName} so that it survives context compaction.`;
      case "nudgeAfterCompaction":
        return `The conversation was compacted. Check the session scratchpad against what you still know, and save what is missing with ${toolName}.`;
      case "nudgeTurnsSinceLastUse":
        return `The session scratchpad has not been touched for ${turnsInWords(this.#unusedTurns)}. Bring it up to date with ${toolName} if anything has moved on.`;
    }
  }

  /** Whether an action was accepted since the last look. The first look is a resume: it only sets the age. */
  async #lookForUse(journal: JournalView): Promise<boolean> {
    const seen = this.#seen;
    this.#seen = journal.version;
    if (seen === undefined) {
      if (this.#options.resume) this.#unusedTurns = await turnsSinceUse(journal);
      return false;
    }
    if (journal.version === seen) return false;
    return wasUsed(journal, Math.min(seen, journal.version));
  }
}

function turnsInWords(count: number): string {
  return count === 1 ? "1 turn" : `${count} turns`;
}

/**
 * Turns after that of the last use, without that of the message about to be sent. Where `beginTurn` begins the turns, that
 * message has its turn already; where the host's own messages do, it is not among them yet.
 */
async function turnsSinceUse(journal: JournalView): Promise<number> {
  let usedIn = 0;
  let begun = 0;
  for await (const { event, turn } of journal.history({ from: 0 })) {
    if (typeOf(event).isUse) usedIn = turn;
    if (event.type === "turn.began") begun = turn;
  }
  const isBegun = begun > 0 && begun === journal.turn;
  return Math.max(0, journal.turn - usedIn - (isBegun ? 1 : 0));
}

async function wasUsed(journal: JournalView, from: Version): Promise<boolean> {
  for await (const { event } of journal.history({ from })) if (typeOf(event).isUse) return true;
  return false;
}

function assertCount(name: string, value: number): void {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new TypeError(`${name} must be a whole number of at least 0, not ${String(value)}`);
  }
}

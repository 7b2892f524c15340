/** This file makes hints for an agent that forgets its scratchpad. All are off until somebody asks for them. */

import type { Version } from "../event/event.ts";
import { typeOf } from "../event/types.ts";
import { flag, requireOptions } from "../options.ts";
import { isEmpty } from "./block.ts";
import type { JournalView } from "./journal-view.ts";
import { detectsPlan } from "./plan-detection.ts";

/** Whole numbers of at least 0; 0, the default, is off. Empty means: no notes, no plan, no refs. */
export interface NudgeSettings {
  /** A hint comes when a space was empty for this many turns, counting the message about to be sent. */
  readonly nudgeAfterTurns?: number;
  /** With 1, a hint comes when the scratchpad is empty and the assistant's last text laid out a plan. */
  readonly nudgeOnPlanDetected?: number;
  /** 1: the conversation was compacted since the last message. */
  readonly nudgeAfterCompaction?: number;
  /**
   * A hint comes when no action was accepted for this many turns and the scratchpad is not empty. The message about to be sent
   * counts: after a use in turn 1, 3 comes with the message of turn 4. Call `beginTurn`, where the host needs it, before
   * `composePrompt`.
   */
  readonly nudgeTurnsSinceLastUse?: number;
}

export const nudgeNames: readonly (keyof NudgeSettings)[] = [
  "nudgeAfterTurns",
  "nudgeOnPlanDetected",
  "nudgeAfterCompaction",
  "nudgeTurnsSinceLastUse",
];

/** This is how often hints come. */
export interface NudgePace {
  /**
   * A hint of one kind comes at most once in so many turns. The default is 5; an object says it for each kind. A compaction is
   * always worth one.
   */
  readonly coolDownTurns?: number | { readonly [Kind in keyof NudgeSettings]?: number };
  /**
   * Each hint that was not followed by a use makes the wait for the next one of its kind so many times longer. The default is
   * 1.
   */
  readonly backOff?: number;
}

/** These are the options of {@link createNudges}. */
export interface NudgeOptions extends NudgeSettings, NudgePace {
  /** The tool is registered under this name. The default is `session_scratchpad`. */
  readonly toolName?: string;
  /** With true, there is no cool-down, as in older runtimes. The default is false. */
  readonly repeat?: boolean;
  /**
   * After a restart, learn from the journal for how many turns nothing was used, or the scratchpad was empty. The default is true.
   * Older runtimes began again at 0.
   */
  readonly resume?: boolean;
  /**
   * After a restart, learn from the journal when which hint was shown, and what followed. The default is false. It needs a
   * journal in which what was shown is recorded, and turns that the journal counts.
   */
  readonly fromJournal?: boolean;
}

/** This is one hint. */
export interface Nudge {
  readonly kind: keyof NudgeSettings;
  /** The text has no brackets around it. */
  readonly text: string;
}

/** The result is the line that goes before a message. */
export function hintLine({ text }: Nudge): string {
  return `[Hint: ${text}]`;
}

/** This decides which hints a message gets. */
export interface Nudges {
  /** This says whether any of them is on. */
  readonly enabled: boolean;
  /** Call this with each text of the assistant. */
  assistantSaid(text: string): void;
  /** Call this when the host has compacted the conversation. */
  compacted(): void;
  /** This gives the `[Hint: …]` lines for the next message. Call it once for each message, because each call counts as a turn. */
  hints(journal: JournalView): Promise<readonly string[]>;
  /** This gives the same hints, each with its kind. Call it instead of `hints`. */
  take(journal: JournalView): Promise<readonly Nudge[]>;
}

/**
 * Makes what decides which hints a message gets. Its counters are kept in memory, and begin again with the process.
 *
 * @param options Which hints are on, and how often they may come.
 * @throws TypeError for a setting that does not exist, or has a wrong number.
 * @example
 * const nudges = createNudges({ nudgeAfterTurns: 3 });
 */
export function createNudges(options: NudgeOptions = {}): Nudges {
  requireOptions(options, ...nudgeNames, "toolName", "coolDownTurns", "backOff", "repeat", "resume", "fromJournal");
  return new TurnNudges(options);
}

type Kind = keyof NudgeSettings;

class TurnNudges implements Nudges {
  readonly enabled: boolean;
  readonly #settings: Required<NudgeSettings>;
  readonly #coolDownTurns: Required<NudgeSettings>;
  readonly #options: {
    readonly toolName: string;
    readonly backOff: number;
    readonly resume: boolean;
    readonly fromJournal: boolean;
  };
  #turn = 0;
  #emptyTurns = 0;
  #unusedTurns = 0;
  #planSeen = false;
  #compacted = false;
  /** The journal was looked through for uses up to this version. It is undefined before the first look. */
  #seen: Version | undefined;
  readonly #shownAt = new Map<Kind, number>();
  /** The map counts the hints of each kind that came since the last use. */
  readonly #unheeded = new Map<Kind, number>();

  constructor({
    toolName = "session_scratchpad",
    coolDownTurns = coolDownDefault,
    backOff = 1,
    repeat = false,
    resume = true,
    fromJournal = false,
    ...given
  }: NudgeOptions) {
    this.#settings = {
      nudgeAfterTurns: given.nudgeAfterTurns ?? 0,
      nudgeOnPlanDetected: given.nudgeOnPlanDetected ?? 0,
      nudgeAfterCompaction: given.nudgeAfterCompaction ?? 0,
      nudgeTurnsSinceLastUse: given.nudgeTurnsSinceLastUse ?? 0,
    };
    for (const [name, value] of Object.entries({ ...this.#settings, backOff })) assertCount(name, value);
    for (const [name, value] of Object.entries({ repeat, resume, fromJournal })) flag(value, name);
    if (backOff < 1) throw new TypeError("backOff must be a whole number of at least 1, not 0");
    this.#coolDownTurns = coolDownsOf(repeat ? 0 : coolDownTurns);
    this.#options = { toolName, backOff, resume, fromJournal };
    this.enabled = nudgeNames.some((name) => this.#settings[name] > 0);
  }

  assistantSaid(text: string): void {
    if (this.#settings.nudgeOnPlanDetected > 0) this.#planSeen ||= detectsPlan(text);
  }

  compacted(): void {
    this.#compacted = true;
  }

  async hints(journal: JournalView): Promise<readonly string[]> {
    return (await this.take(journal)).map(hintLine);
  }

  async take(journal: JournalView): Promise<readonly Nudge[]> {
    if (!this.enabled) return [];
    const used = await this.#lookForUse(journal);
    if (used) this.#unheeded.clear();
    const empty = isEmpty(journal.state);
    this.#turn += 1;
    this.#emptyTurns = empty ? (used ? 0 : this.#emptyTurns) + 1 : 0;
    this.#unusedTurns = (used ? 0 : this.#unusedTurns) + 1;
    const due = nudgeNames.filter((kind) => this.#isDue(kind, empty) && this.#hasCooled(kind));
    for (const kind of due) this.#show(kind, this.#turn);
    this.#planSeen = false;
    this.#compacted = false;
    return due.map((kind) => ({ kind, text: this.#wording(kind) }));
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
    const unheeded = Math.max(0, (this.#unheeded.get(kind) ?? 0) - 1);
    return this.#turn - shownAt >= this.#coolDownTurns[kind] * this.#options.backOff ** unheeded;
  }

  #show(kind: Kind, turn: number): void {
    this.#shownAt.set(kind, turn);
    this.#unheeded.set(kind, (this.#unheeded.get(kind) ?? 0) + 1);
  }

  /** What earlier processes showed: the turn of the message about to be sent is 1 here, and those before it are below. */
  async #recall(journal: JournalView): Promise<void> {
    let begun = 0;
    const shownIn = new Map<Kind, number>();
    for await (const { event, turn } of journal.history({ from: 0 })) {
      if (event.type === "turn.began") begun = turn;
      if (typeOf(event).isUse) this.#unheeded.clear();
      const kind = event.type === "nudge.shown" ? nudgeNames.find((name) => name === event.kind) : undefined;
      if (kind === undefined) continue;
      shownIn.set(kind, turn);
      this.#unheeded.set(kind, (this.#unheeded.get(kind) ?? 0) + 1);
    }
    const now = begun > 0 && begun === journal.turn ? begun : journal.turn + 1;
    for (const [kind, turn] of shownIn) this.#shownAt.set(kind, turn - now + 1);
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

  /** The result says whether an action was accepted since the last look. The first look is a resume: it only sets the age. */
  async #lookForUse(journal: JournalView): Promise<boolean> {
    const seen = this.#seen;
    this.#seen = journal.version;
    if (seen === undefined) {
      if (this.#options.resume) this.#unusedTurns = await turnsSinceUse(journal);
      this.#emptyTurns = this.#unusedTurns;
      if (this.#options.fromJournal) await this.#recall(journal);
      return false;
    }
    if (journal.version === seen) return false;
    return wasUsed(journal, Math.min(seen, journal.version));
  }
}

const coolDownDefault = 5;

function coolDownsOf(given: NonNullable<NudgePace["coolDownTurns"]>): Required<NudgeSettings> {
  const isObject = typeof given === "object" && given !== null;
  if (isObject) requireOptions(given, ...nudgeNames);
  else assertCount("coolDownTurns", given);
  const turnsOf = (kind: Kind): number => (isObject ? (given[kind] ?? coolDownDefault) : given);
  for (const kind of nudgeNames) assertCount(`coolDownTurns.${kind}`, turnsOf(kind));
  return {
    nudgeAfterTurns: turnsOf("nudgeAfterTurns"),
    nudgeOnPlanDetected: turnsOf("nudgeOnPlanDetected"),
    nudgeAfterCompaction: turnsOf("nudgeAfterCompaction"),
    nudgeTurnsSinceLastUse: turnsOf("nudgeTurnsSinceLastUse"),
  };
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

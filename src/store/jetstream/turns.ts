/**
 * Turns of writers that were overtaken. Who has one appends a few records, and gives it back. It is advice alone: the broker
 * goes on refusing what follows on an old record, and where no turn is to be had, writers race.
 */
import type { TurnMessages } from "./turn-messages.ts";

/** A turn ends after so many appends, or so long. Where writers wait so long for it, it is shorter. */
const [appendsMax, turnMs] = [32, 50];
const [appendsMaxOfMany, manyWaitMs] = [8, 500];
/** Who needs no turn looks after so many appends without a pause whether others wait. */
const lookAppends = 16;
/** Whose next append does not come for so long gives the turn back. */
const idleMs = 1;
/** Whose next append comes later does not write without a pause. */
const pauseMs = 100;
/** If no turn comes for so long, writers race. */
const waitMsMax = 5000;
/** Where there are none, none is asked for meanwhile. */
const absentMs = 30_000;

/** This is a turn of this process. Whoever has it gives it to `end`, once. */
export interface Turn {
  /** This is the subject to give it back with. */
  readonly reply: string;
  readonly untilMs: number;
  readonly appendsMax: number;
  /** So many appends were made in it. */
  readonly appends: number;
}

export class Turns {
  readonly #messages: TurnMessages;
  /** Subjects in which somebody was faster the last time: the next append asks for its turn at once. */
  readonly #contended = new Set<string>();
  /** How many appends followed on each other without a pause, and when the last one began. */
  readonly #bursts = new Map<string, { readonly appends: number; readonly lastMs: number }>();
  /** Turns that the next append of this process may go on with, until its timer gives them back. */
  readonly #idle = new Map<string, { readonly turn: Turn; readonly timer: NodeJS.Timeout }>();
  readonly #givingBack = new Set<Promise<void>>();
  #absentUntilMs = 0;

  constructor(messages: TurnMessages) {
    this.#messages = messages;
  }

  /** Whether the next append is to wait for its turn. Who appends without a pause looks now and then whether others wait. */
  async areTaken(subject: string): Promise<boolean> {
    if (this.#contended.has(subject)) return true;
    const now = performance.now();
    const { appends, lastMs } = this.#bursts.get(subject) ?? { appends: 0, lastMs: 0 };
    const burst = now < lastMs + pauseMs ? appends + 1 : 1;
    const mustLook = burst >= lookAppends;
    this.#bursts.set(subject, { appends: mustLook ? 0 : burst, lastMs: now });
    if (mustLook && (await this.#isAsked(subject))) this.#contended.add(subject);
    return this.#contended.has(subject);
  }

  /** In the turn there was nothing new: nobody else needs one. */
  areOver(subject: string): void {
    this.#contended.delete(subject);
  }

  /** The result is the turn that this process still has, or a promise of the next one, which is undefined where there is none. */
  begin(subject: string, waitMs: number): Turn | Promise<Turn | undefined> {
    this.#contended.add(subject);
    const idle = this.#idle.get(subject);
    if (idle === undefined) return this.#next(subject, Math.min(waitMs, waitMsMax));
    clearTimeout(idle.timer);
    this.#idle.delete(subject);
    return idle.turn;
  }

  /** This ends an append that began with a turn. */
  end(subject: string, before: Turn): void {
    const turn = { ...before, appends: before.appends + 1 };
    if (turn.appends >= turn.appendsMax || performance.now() >= turn.untilMs || this.#idle.has(subject)) {
      this.#giveBack(turn);
      return;
    }
    const timer = setTimeout(() => {
      this.#idle.delete(subject);
      this.#giveBack(turn);
    }, idleMs);
    this.#idle.set(subject, { turn, timer });
  }

  /** This is called before the connection is closed. */
  async close(): Promise<void> {
    for (const { turn, timer } of this.#idle.values()) {
      clearTimeout(timer);
      this.#giveBack(turn);
    }
    this.#idle.clear();
    await Promise.all(this.#givingBack);
  }

  async #next(subject: string, waitMs: number): Promise<Turn | undefined> {
    if (waitMs <= 0 || performance.now() < this.#absentUntilMs) return undefined;
    const startMs = performance.now();
    try {
      const reply = await this.#messages.take(subject, waitMs);
      const nowMs = performance.now();
      const most = nowMs < startMs + manyWaitMs ? appendsMax : appendsMaxOfMany;
      return reply === undefined ? undefined : { reply, untilMs: nowMs + turnMs, appendsMax: most, appends: 0 };
    } catch {
      this.#areAbsent();
      return undefined;
    }
  }

  #giveBack({ reply }: Turn): void {
    const giving = this.#messages
      .giveBack(reply)
      .catch(() => this.#areAbsent())
      .finally(() => this.#givingBack.delete(giving));
    this.#givingBack.add(giving);
  }

  async #isAsked(subject: string): Promise<boolean> {
    if (performance.now() < this.#absentUntilMs) return false;
    try {
      return (await this.#messages.users(subject)) > 0;
    } catch {
      this.#areAbsent();
      return false;
    }
  }

  #areAbsent(): void {
    this.#absentUntilMs = performance.now() + absentMs;
    this.#messages.forget();
  }
}

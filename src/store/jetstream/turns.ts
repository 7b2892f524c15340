/**
 * Turns of writers that were overtaken. Who has one appends a few records, and gives it back. It is advice alone: the broker
 * goes on refusing what follows on an old record, and where no turn is to be had, writers race.
 */
import type { TurnMessages } from "./turn-messages.ts";

/** A turn ends after so many appends, or so long. */
const appendsMax = 16;
const turnMs = 50;
/** Whose next append does not come for so long gives the turn back. */
const idleMs = 1;
/** Whose next append comes later does not write without a pause. */
const pauseMs = 100;
/** If no turn comes for so long, writers race. */
const waitMsMax = 5000;
/** Where there are none, none is asked for meanwhile. */
const absentMs = 30_000;

interface Turn {
  readonly reply: string;
  readonly untilMs: number;
  appends: number;
  /** How many appends of this process are under way in it. */
  users: number;
}

export class Turns {
  readonly #messages: TurnMessages;
  /** Subjects in which somebody was faster the last time: the next append asks for its turn at once. */
  readonly #contended = new Set<string>();
  /** How many appends followed on each other without a pause, and when the last one began. */
  readonly #bursts = new Map<string, { readonly appends: number; readonly lastMs: number }>();
  readonly #held = new Map<string, Turn>();
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
    const mustLook = burst >= appendsMax;
    this.#bursts.set(subject, { appends: mustLook ? 0 : burst, lastMs: now });
    if (mustLook && (await this.#isAsked(subject))) this.#contended.add(subject);
    return this.#contended.has(subject);
  }

  /** In the turn there was nothing new: nobody else needs one. */
  areOver(subject: string): void {
    this.#contended.delete(subject);
  }

  /** Resolves with "new" once it is this process's turn, "held" where it has been before, undefined where there is none. */
  async begin(subject: string, waitMs: number): Promise<"new" | "held" | undefined> {
    this.#contended.add(subject);
    const held = this.#held.get(subject);
    if (held !== undefined && !isOver(held)) {
      held.users += 1;
      return "held";
    }
    const reply = await this.#take(subject, Math.min(waitMs, waitMsMax));
    if (reply === undefined) return undefined;
    this.#held.set(subject, { reply, untilMs: performance.now() + turnMs, appends: 0, users: 1 });
    return "new";
  }

  /** This ends an append that began with a turn. */
  end(subject: string): void {
    const turn = this.#held.get(subject);
    if (turn === undefined) return;
    turn.users -= 1;
    turn.appends += 1;
    if (turn.users > 0) return;
    const { appends } = turn;
    const release = (): void => {
      if (turn.users === 0 && turn.appends === appends) this.#giveBack(subject, turn);
    };
    if (isOver(turn)) release();
    else setTimeout(release, idleMs);
  }

  /** This is called before the connection is closed. */
  async close(): Promise<void> {
    for (const [subject, turn] of this.#held) this.#giveBack(subject, turn);
    await Promise.all(this.#givingBack);
  }

  async #take(subject: string, waitMs: number): Promise<string | undefined> {
    if (waitMs <= 0 || performance.now() < this.#absentUntilMs) return undefined;
    try {
      return await this.#messages.take(subject, waitMs);
    } catch {
      this.#areAbsent();
      return undefined;
    }
  }

  #giveBack(subject: string, turn: Turn): void {
    if (this.#held.get(subject) === turn) this.#held.delete(subject);
    const giving = this.#messages
      .giveBack(turn.reply)
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

function isOver({ appends, untilMs }: Turn): boolean {
  return appends >= appendsMax || performance.now() >= untilMs;
}

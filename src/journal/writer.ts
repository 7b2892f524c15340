/** Carries calls into the stream: all that wait when a commit starts go into that one commit. */

import { PointError, repeatedInDoubt, TooLargeError } from "../errors.ts";
import { isoTime } from "../event/iso-time.ts";
import type { Queue } from "../stream/queue.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { Call, FirstTime } from "./call.ts";
import { planCommit, type Settlement, takenCommand } from "./draft.ts";
import type { Projection, Step } from "./projection.ts";
import { FirstTimes } from "./recall.ts";

export interface WriterParts {
  readonly store: JournalStore;
  readonly projection: Projection;
  /** Everything else that moves the projection shares this queue. */
  readonly queue: Queue;
  readonly clock: () => Date;
  /** Each call makes a new UUID. */
  readonly ids: () => string;
}

export class Writer {
  readonly #parts: WriterParts;
  readonly #firstTimes: FirstTimes;
  #waiting: Call[] = [];

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#firstTimes = new FirstTimes(parts.store, parts.projection);
  }

  submit(call: Call): void {
    this.#waiting.push(call);
    if (this.#waiting.length === 1) void this.#parts.queue.run(() => this.#flush());
  }

  async #flush(): Promise<void> {
    const calls = this.#waiting;
    this.#waiting = [];
    const absent = new Set<string>();
    for (const group of groupsOf(calls)) {
      let left: readonly Call[] = group;
      while (left.length > 0) {
        const ready = left[0]?.prepare === undefined ? left : await prepared(left);
        left = ready.length === 0 ? [] : await this.#commit(ready, absent);
      }
    }
  }

  /** Answers the calls that need another commit. `absent` holds the commands that were looked up and not found. */
  async #commit(calls: readonly Call[], absent: Set<string>): Promise<readonly Call[]> {
    const { store, projection, clock, ids } = this.#parts;
    /** What an earlier run of `decide` drafted: the store did not accept it. */
    const refused: string[] = [];
    let settlements: readonly Settlement[] = [];
    const untap = absent.size === 0 ? undefined : projection.tap((step) => forgetAbsent(absent, step));
    try {
      const id = ids();
      const at = isoTime(clock());
      const end = await store.commit(projection.from(), projection, (newest) => {
        projection.settle(newest);
        const plan = planCommit(calls, projection.delivered, { at, file: store.where }, (command) => {
          if (!store.knows(command)) return "new";
          if (!absent.has(command)) return "repeated";
          return refused.includes(command) ? "elsewhere" : "new";
        });
        settlements = plan.settlements;
        for (const { command } of plan.events) if (command !== undefined) refused.push(command);
        const mustWait = plan.events.length > 0 || settlements.some(saysWhatIsThere);
        return mustWait ? { id, at, events: plan.events } : undefined;
      });
      projection.settle(end);
      const { left, repeated } = settle(calls, settlements);
      return repeated.length === 0 ? left : [...(await this.#recall(repeated, absent)), ...left];
    } catch (error) {
      if (error instanceof TooLargeError && calls.length > 1) return this.#commitHalf(calls, absent);
      for (const call of calls) this.#reject(call, error, absent);
      return [];
    } finally {
      untap?.();
    }
  }

  /** Together they are too large for the log, and nothing of them was written. */
  async #commitHalf(calls: readonly Call[], absent: Set<string>): Promise<readonly Call[]> {
    const half = Math.ceil(calls.length / 2);
    return [...(await this.#commit(calls.slice(0, half), absent)), ...calls.slice(half)];
  }

  async #recall(repeated: readonly RepeatedCall[], absent: Set<string>): Promise<Call[]> {
    const { store } = this.#parts;
    const left: Call[] = [];
    try {
      const { firstTimes, taken } = await this.#lookUp(new Set(repeated.map(({ command }) => command)));
      const drops = await store.drops();
      for (const { call, command } of repeated) {
        const first = firstTimes.get(command);
        // It came while it was looked up: the answer waits until the journal has read that far.
        if (first !== undefined && taken.has(command)) left.push(call);
        else if (first !== undefined) call.recall(first);
        // Who knows the command from a snapshot would refuse the record that everybody else counts.
        else if (drops) call.reject(droppedCommand(command, store.where));
        else if (taken.has(command)) call.reject(takenCommand(command));
        else {
          absent.add(command);
          left.push(call);
        }
      }
    } catch (error) {
      for (const { call } of repeated) this.#reject(call, error, absent);
    }
    return left;
  }

  /** `taken` are carried by events that the first look did not see: of another branch, or of a moment ago. */
  async #lookUp(
    commands: ReadonlySet<string>,
  ): Promise<{ firstTimes: ReadonlyMap<string, FirstTime>; taken: ReadonlySet<string> }> {
    const firstTimes = await this.#firstTimes.of(commands);
    const absent = [...commands].filter((command) => !firstTimes.has(command));
    const taken = await carriedOf(absent, this.#parts.store);
    return { firstTimes: taken.size === 0 ? firstTimes : await this.#firstTimes.of(commands), taken };
  }

  #reject(call: Call, error: unknown, absent: ReadonlySet<string>): void {
    const { command } = call;
    const isRepeated = command !== undefined && this.#parts.store.knows(command) && !absent.has(command);
    call.reject(isRepeated ? repeatedInDoubt(error, command) : error);
  }
}

/** Each begins with a call that is to be prepared, but for the first. */
function groupsOf(calls: readonly Call[]): Call[][] {
  const groups: Call[][] = [];
  for (const call of calls) {
    const group = call.prepare === undefined ? groups.at(-1) : undefined;
    if (group === undefined) groups.push([call]);
    else group.push(call);
  }
  return groups;
}

/** The result lacks the first call if it cannot be prepared. */
async function prepared([first, ...others]: readonly Call[]): Promise<readonly Call[]> {
  if (first === undefined) return [];
  try {
    await first.prepare?.();
    return [first, ...others];
  } catch (error) {
    first.reject(error);
    return others;
  }
}

interface RepeatedCall {
  readonly call: Call;
  readonly command: string;
}

/** Nothing is to be appended for it, but what its answer tells of must be durable. */
function saysWhatIsThere(settlement: Settlement): boolean {
  return settlement.type === "repeated" || (settlement.type === "decided" && settlement.decided.hasExisting === true);
}

/** Answers those whose settlement is known: first, so that a lookup that fails takes none of them along. */
function settle(
  calls: readonly Call[],
  settlements: readonly Settlement[],
): { left: Call[]; repeated: RepeatedCall[] } {
  const left: Call[] = [];
  const repeated: RepeatedCall[] = [];
  for (const [index, call] of calls.entries()) {
    const settlement = settlements[index] as Settlement;
    switch (settlement.type) {
      case "decided":
        settlement.decided.resolve();
        break;
      case "failed":
        call.reject(settlement.error);
        break;
      case "deferred":
        left.push(call);
        break;
      case "repeated":
        repeated.push({ call, command: settlement.command });
    }
  }
  return { left, repeated };
}

/** The result has those commands that an accepted event carries, on whatever branch: only a lookup finds that out without a commit that is refused. */
async function carriedOf(commands: readonly string[], store: JournalStore): Promise<Set<string>> {
  const carried = new Set<string>();
  if (commands.length === 0) return carried;
  for await (const { events } of store.records())
    for (const { command } of events) if (command !== undefined && commands.includes(command)) carried.add(command);
  return carried;
}

/** The command was carried out, and how it was answered cannot be told any more. */
function droppedCommand(command: string, where: string): PointError {
  return new PointError(
    `command ${JSON.stringify(command)} was carried out before, and its answer is gone with the records that ${where} has dropped: nothing was appended; look at the state, and give another action a command of its own`,
    { file: where },
  );
}

/** A command that was absent when it was looked up may have come since, with what the store tells now. */
function forgetAbsent(absent: Set<string>, step: Step): void {
  if (step.type === "reset") absent.clear();
  else if (step.recorded.command !== undefined) absent.delete(step.recorded.command);
}

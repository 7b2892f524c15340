/** A store on which things go wrong when you say so. */
import { setTimeout as sleep } from "node:timers/promises";
import { StorageError } from "../errors.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { requireChoice, requireOption, requireOptions } from "../options.ts";
import type { LogPage } from "../stream/log.ts";
import type { JournalStore } from "../stream/stream-store.ts";

/** This is what can fail: everything that a store does and is waited for. */
export type StoreCall = Exclude<keyof JournalStore, "where" | "supports" | "knows" | "newestTurn" | "clock" | "ids">;

export interface Failure {
  readonly on: StoreCall;
  /** This is the number of the call that fails, counted from 1. The default is 1. */
  readonly call?: number;
  /**
   * With "before", the call has no effect. With "after", it has its effect, but the caller does not learn of it. The default is
   * "before".
   */
  readonly when?: "before" | "after";
  /** This is what is thrown: a {@link StorageError} with the fate that `when` gives it. */
  readonly error?: unknown;
}

export interface StoreFaults {
  readonly failures?: readonly Failure[];
  /** This is how long each call takes longer, by its name and its number from 1. */
  readonly delayMs?: (on: StoreCall, call: number) => number;
  /** This is what becomes of each wake-up. */
  readonly wakes?: "dropped" | "doubled";
}

/** These answer at once. */
const isPlain: ReadonlySet<string | symbol> = new Set(["knows", "clock", "ids"]);

/**
 * Makes a store that behaves as another one, except for the faults. Calls are counted by name.
 *
 * @param store The store that is called.
 * @param faults Which calls fail, when, and with which error.
 * @throws TypeError for an option, a call or a wake-up that does not exist: nothing would fail, and a test would pass.
 * @example
 * const store = faultyStore(memoryStore(), { failures: [{ on: "commit", call: 2, when: "after" }] });
 * const journal = await openJournal(store);
 */
export function faultyStore(store: JournalStore, faults: StoreFaults): JournalStore {
  requireFaults(store, faults);
  const counts = new Map<StoreCall, number>();

  /** Waits, then throws where this call fails beforehand; what it answers throws where it fails afterwards. */
  async function begin(on: StoreCall): Promise<() => void> {
    const call = (counts.get(on) ?? 0) + 1;
    counts.set(on, call);
    const delayMs = faults.delayMs?.(on, call) ?? 0;
    if (delayMs > 0) await sleep(delayMs);
    const failure = faults.failures?.find((each) => each.on === on && (each.call ?? 1) === call);
    if (failure === undefined) return () => undefined;
    const { when = "before", error = madeToFail(on, call, when, store.where) } = failure;
    if (when === "before") throw error;
    return () => {
      throw error;
    };
  }

  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || isPlain.has(name)) return bound(member, target);
      const on = name as StoreCall;
      if (on === "read")
        return (from: Version, pages?: AsyncIterable<LogPage>) =>
          readThrough(() => begin(on), target.read(from, pages));
      return async (...given: unknown[]) => {
        const end = await begin(on);
        const result: unknown = await member.apply(target, on === "watch" ? [disturbed(given[0] as Wake)] : given);
        end();
        return result;
      };
    },
  });

  function disturbed(wake: Wake): Wake {
    switch (faults.wakes) {
      case "dropped":
        return () => undefined;
      case "doubled":
        return () => {
          wake();
          wake();
        };
      case undefined:
        return wake;
    }
  }
}

type Wake = () => void;

async function* readThrough(
  begin: () => Promise<() => void>,
  events: AsyncIterable<RecordedEvent>,
): AsyncIterable<RecordedEvent> {
  const end = await begin();
  yield* events;
  end();
}

/** A method runs on the store itself, whose private parts a proxy does not have. */
function bound(member: unknown, store: JournalStore): unknown {
  return typeof member === "function" ? member.bind(store) : member;
}

function madeToFail(on: StoreCall, call: number, when: "before" | "after", where: string): StorageError {
  const fate = when === "before" ? "not-written" : "unknown";
  return new StorageError(`${on} ${call} on ${where} was made to fail ${when} it ran`, fate, { file: where });
}

function requireFaults(store: JournalStore, faults: StoreFaults): void {
  requireOptions(faults, "failures", "delayMs", "wakes");
  const { failures = [], wakes } = faults;
  if (wakes !== undefined) requireChoice(["dropped", "doubled"], wakes, "wakes");
  for (const failure of failures) {
    requireOptions(failure, "on", "call", "when", "error");
    const { on, when = "before" } = failure;
    requireOption(typeof store[on] === "function", on, "on", "a call of the store, such as commit");
    requireChoice(["before", "after"], when, "when");
  }
}

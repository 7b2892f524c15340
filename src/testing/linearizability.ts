/**
 * This file checks whether what several processes saw of one journal can have happened in one order (Herlihy and Wing, 1990). In general
 * that is a search for the order; here the versions name it, and what remains is to compare it with the clock, the history and the reducer.
 */
import { isDeepStrictEqual } from "node:util";
import type { Answer } from "../action/answer.ts";
import { reduce } from "../action/decide.ts";
import { defaultLimits, type Limits } from "../action/limits.ts";
import type { RecordedEvent, Version } from "../event/event.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { plain } from "./journal-model.ts";
import { type Operation, stateDigest, type WriteOperation } from "./operations.ts";

/** This says what kind of anomaly was found. */
export type AnomalyKind =
  /** Acknowledged, and not in the history at the version that was said. */
  | "lost"
  /** A command was carried out twice. */
  | "duplicate"
  /** It is in the history, but nobody asked for it, or the caller was told that it failed. */
  | "unasked"
  /** A read was shown less than was known when it was asked. */
  | "stale"
  /** A write stands before another that was answered when it was asked. */
  | "reordered"
  /** A read was shown a state that the history does not have at this version. */
  | "wrong state"
  /** A write was not decided on the state before it, or its answers differ. */
  | "wrong answer";

/** An anomaly is something that the history does not explain. */
export interface Anomaly {
  readonly kind: AnomalyKind;
  /** This is one line for a person. */
  readonly detail: string;
}

/** These are the options of {@link findAnomalies}. */
export interface OperationsOptions {
  /** These are the budgets under which the journals were opened. The default is the default budgets. */
  readonly limits?: Limits;
}

/**
 * Finds what cannot have happened in one order that agrees with the clock, the reducer and all answers. Every write in the
 * history must have been recorded.
 *
 * @param history The whole history, as it is at the end.
 * @param operations What the recorders of all processes wrote.
 * @param options The budgets under which the journals were opened.
 * @throws Nothing, if the types hold.
 * @example
 * const history = [];
 * for await (const event of journal.history()) history.push(event);
 * findAnomalies(history, operations); // []
 */
export function findAnomalies(
  history: readonly RecordedEvent[],
  operations: readonly Operation[],
  { limits = defaultLimits }: OperationsOptions = {},
): Anomaly[] {
  const states: ScratchpadState[] = [initialState];
  for (const { event } of history) states.push(evolve(states.at(-1) as ScratchpadState, event));
  const writes = byCommand(operations);
  return [
    ...strayEvents(history, writes),
    ...[...writes.values()].flatMap((same) => wrongAnswers(same, history, states, limits)),
    ...wrongStates(operations, states),
    ...outOfOrder(history, operations, writes),
  ];
}

type Writes = ReadonlyMap<string, readonly WriteOperation[]>;

/** A command that was asked again is the same write. */
function byCommand(operations: readonly Operation[]): Writes {
  const writes = new Map<string, WriteOperation[]>();
  for (const operation of operations) {
    if (operation.type !== "write") continue;
    const same = writes.get(operation.command);
    if (same === undefined) writes.set(operation.command, [operation]);
    else same.push(operation);
  }
  return writes;
}

function strayEvents(history: readonly RecordedEvent[], writes: Writes): Anomaly[] {
  const anomalies: Anomaly[] = [];
  const seen = new Set<string>();
  for (const { version, command = "" } of history) {
    const same = writes.get(command) ?? [];
    if (seen.has(command)) anomalies.push({ kind: "duplicate", detail: `${command} again at version ${version}` });
    else if (same.every(({ outcome }) => outcome === "failed")) {
      anomalies.push({ kind: "unasked", detail: `version ${version} carries command ${JSON.stringify(command)}` });
    }
    seen.add(command);
  }
  return anomalies;
}

function wrongAnswers(
  same: readonly WriteOperation[],
  history: readonly RecordedEvent[],
  states: readonly ScratchpadState[],
  limits: Limits,
): Anomaly[] {
  const answers = answersOf(same);
  const first = answers.find(({ events }) => events.length > 0) ?? answers[0];
  if (first === undefined) return [];
  const { action, actor, command } = same[0] as WriteOperation;
  const isRecorded = first.events.length > 0;
  const { version } = first;
  const recorded = isRecorded ? history[version - 1] : undefined;
  if (isRecorded && recorded?.command !== command) {
    return [{ kind: "lost", detail: `${command} was acknowledged as version ${version} and is not there` }];
  }
  const before = states[isRecorded ? version - 1 : version];
  if (before === undefined) return [{ kind: "lost", detail: `${command} was answered at version ${version}` }];
  const at = recorded?.at ?? history[version - 1]?.at ?? new Date(0).toISOString();
  const expected = reduce(before, action, { limits, actor, at, version: isRecorded ? version - 1 : version });
  const isRight = isRecorded
    ? isDeepStrictEqual(plain(first), plain(expected.answer)) &&
      isDeepStrictEqual(plain(recorded?.event), plain(expected.events[0]))
    : first.code === expected.answer.code && !first.ok;
  const isOne = answers.every((answer) => answer.events.length === 0 || isDeepStrictEqual(plain(answer), plain(first)));
  return isRight && isOne
    ? []
    : [{ kind: "wrong answer", detail: `${command} at version ${version}: ${JSON.stringify(first.message)}` }];
}

function answersOf(same: readonly WriteOperation[]): Answer[] {
  return same.flatMap(({ outcome }) => (typeof outcome === "string" ? [] : [outcome]));
}

function wrongStates(operations: readonly Operation[], states: readonly ScratchpadState[]): Anomaly[] {
  const digests = new Map<Version, string>();
  return operations.flatMap((operation): Anomaly[] => {
    if (operation.type === "write") return [];
    const { version, process, digest } = operation;
    const state = states[version];
    if (state === undefined)
      return [{ kind: "lost", detail: `${process} read version ${version}, which is not there` }];
    const expected = digests.get(version) ?? stateDigest(state);
    digests.set(version, expected);
    return digest === expected ? [] : [{ kind: "wrong state", detail: `${process} read another version ${version}` }];
  });
}

/** When something was asked, when it was first answered, and where that puts it in the order. */
interface Placed {
  readonly what: string;
  readonly asked: number;
  readonly answered: number;
  readonly version: Version;
  readonly isWrite: boolean;
}

/** Whatever was answered before something else was asked has to come first in the order, too. */
function outOfOrder(history: readonly RecordedEvent[], operations: readonly Operation[], writes: Writes): Anomaly[] {
  const placed = [...placedWrites(history, writes), ...placedReads(operations)];
  const answered = placed.toSorted((a, b) => a.answered - b.answered);
  let newest: Placed | undefined;
  let count = 0;
  return placed
    .toSorted((a, b) => a.asked - b.asked)
    .flatMap((each) => {
      for (; isBefore(answered[count], each); count++) newest = newer(newest, answered[count] as Placed);
      return newest === undefined ? [] : misplaced(each, newest);
    });
}

function isBefore(earlier: Placed | undefined, later: Placed): boolean {
  return earlier !== undefined && earlier.answered < later.asked;
}

function newer(one: Placed | undefined, other: Placed): Placed {
  return one !== undefined && one.version >= other.version ? one : other;
}

/** `newest` was answered before `each` was asked. */
function misplaced(each: Placed, newest: Placed): Anomaly[] {
  if (each.isWrite ? each.version > newest.version : each.version >= newest.version) return [];
  const shown = `${newest.what} had shown version ${newest.version} before it was asked`;
  const detail = `${each.what} is at version ${each.version}, though ${shown}`;
  return [{ kind: each.isWrite ? "reordered" : "stale", detail }];
}

/** Those that are in the history, answered or not. */
function placedWrites(history: readonly RecordedEvent[], writes: Writes): Placed[] {
  const seen = new Set<string>();
  return history.flatMap(({ version, command = "" }) => {
    const same = writes.get(command);
    if (same === undefined || seen.has(command)) return [];
    seen.add(command);
    const asked = Math.min(...same.map((operation) => operation.asked));
    const known = same.filter(({ outcome }) => typeof outcome !== "string");
    const answered = Math.min(...known.map((operation) => operation.answered));
    return [{ what: command, asked, answered, version, isWrite: true }];
  });
}

/** A refusal that was not recorded is a read, too. */
function placedReads(operations: readonly Operation[]): Placed[] {
  return operations.flatMap((operation): Placed[] => {
    const { process, asked, answered } = operation;
    if (operation.type === "read") {
      return [{ what: `a read of ${process}`, asked, answered, version: operation.version, isWrite: false }];
    }
    const { command, outcome } = operation;
    if (typeof outcome === "string" || outcome.events.length > 0) return [];
    return [{ what: command, asked, answered, version: outcome.version, isWrite: false }];
  });
}

/** Many calls, one commit: each call decides on what the calls before it leave behind. */
import { type Place, UnknownEventError, VersionConflictError } from "../errors.ts";
import type { DraftEvent } from "../event/commit.ts";
import { typeNameOf } from "../event/parse.ts";
import type { Base, Call, Decided } from "./call.ts";
import { reusedCommand } from "./options.ts";
import type { View } from "./projection.ts";
import { LineSize } from "./size.ts";

/** What becomes of a call when its commit is durable. */
export type Settlement =
  | { readonly type: "decided"; readonly decided: Decided }
  | { readonly type: "repeated"; readonly command: string }
  /** It did not fit any more, or is stale: the next commit takes it. */
  | { readonly type: "deferred" }
  | { readonly type: "failed"; readonly error: unknown };

export interface Plan {
  readonly events: readonly DraftEvent[];
  /** The settlements are in the order of the calls. */
  readonly settlements: readonly Settlement[];
}

/** "elsewhere": taken by an event that is not in the history which this journal folds, so that it has no answer here. */
export type CommandStatus = "new" | "repeated" | "elsewhere";

/** `file` is for messages. The function never throws: what goes wrong with a call is reported to that call. */
export function planCommit(
  calls: readonly Call[],
  view: View,
  { at, file }: { readonly at: string; readonly file: string },
  statusOf: (command: string) => CommandStatus,
): Plan {
  const events: DraftEvent[] = [];
  const settlements: Settlement[] = [];
  let base: Base = { state: view.state, version: view.version, turn: view.turn, refusal: view.refusal };
  const size = new LineSize();
  for (const [index, call] of calls.entries()) {
    const settlement = settlementOf(call, base, { view, at, file }, (command) =>
      carries(events, command) ? "repeated" : statusOf(command),
    );
    if (settlement.type === "deferred")
      return { events, settlements: [...settlements, ...deferred(calls.slice(index))] };
    if (settlement.type === "decided") {
      // One call alone goes into a commit of its own, whatever its size.
      if (calls.length > 1) size.add(settlement.decided.events);
      // The calls behind it are deferred with it: a smaller one must not go first.
      if (events.length > 0 && size.isOver) {
        return { events, settlements: [...settlements, ...deferred(calls.slice(index))] };
      }
      base = settlement.decided.after;
      events.push(...settlement.decided.events);
    }
    settlements.push(settlement);
  }
  return { events, settlements };
}

function deferred(calls: readonly Call[]): Settlement[] {
  return calls.map(() => ({ type: "deferred" }));
}

function settlementOf(
  call: Call,
  base: Base,
  { view, at, file }: { readonly view: View; readonly at: string; readonly file: string },
  statusOf: (command: string) => CommandStatus,
): Settlement {
  const { command, expectedVersion } = call;
  if (view.unknown !== undefined) return { type: "failed", error: unknownEvent(view.unknown, file) };
  if (command !== undefined) {
    const status = statusOf(command);
    if (status === "repeated") return { type: "repeated", command };
    if (status === "elsewhere") return { type: "failed", error: takenCommand(command) };
  }
  if (expectedVersion !== undefined && expectedVersion !== base.version) {
    return { type: "failed", error: new VersionConflictError(expectedVersion, base.version, { file }) };
  }
  try {
    if (call.isStale?.(base) === true) return { type: "deferred" };
    return { type: "decided", decided: call.decide(base, at) };
  } catch (error) {
    return { type: "failed", error };
  }
}

function carries(events: readonly DraftEvent[], command: string): boolean {
  return events.some((event) => event.command === command);
}

export function takenCommand(command: string): TypeError {
  return reusedCommand(`command ${JSON.stringify(command)} was used on another branch of this session`);
}

export function unknownEvent(
  { version, event, offset }: NonNullable<View["unknown"]>,
  file: string,
  advice = "reading goes on without it; install a newer version to write",
): UnknownEventError {
  const place: Place = offset === undefined ? { file } : { file, byte: offset };
  return new UnknownEventError(
    `${file}${offset === undefined ? "" : `, byte ${offset}`}: version ${version} holds an event ${JSON.stringify(typeNameOf(event))} ` +
      `that this version of session-journal cannot read: ${advice}`,
    place,
  );
}

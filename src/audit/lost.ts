/**
 * What was taken away without anybody deciding against its text: by a budget, by a refusal, or by a runtime that wrote
 * over a space from outside. What an action itself removed, replaced or restored is no loss; `diff` shows it.
 */
import { type Space, spaceOf } from "../action/actions.ts";
import type { Json, RecordedEvent, ScratchpadEvent, Version } from "../event/event.ts";
import { evolve } from "../state/evolve.ts";
import { initialState, type ScratchpadState } from "../state/state.ts";
import { splitLines } from "./lines.ts";

export type LossReason =
  /** The end of a text beyond its budget. */
  | "truncated"
  /** Refs beyond the budget of a whole new list. */
  | "capped"
  /** The oldest ref, to make room. */
  | "evicted"
  /** What a refused action offered. */
  | "refused"
  /** Lines or refs that another runtime's value no longer holds. */
  | "replaced"
  /** An old single-key value that came after notes had been written in the newer format. */
  | "ignored";

/** One text that was taken away, whole; a cut or replaced list of refs is one loss for each ref. */
export interface Loss {
  readonly version: Version;
  readonly turn: number;
  /** ISO time. */
  readonly at: string;
  readonly actor: string;
  readonly reason: LossReason;
  readonly space: Space;
  readonly text: string;
}

type Taken = Pick<Loss, "reason" | "space" | "text">;

/** Everything that `events` took away, in their order. They start at the initial state. */
export function lost(events: Iterable<RecordedEvent>): Loss[] {
  const losses: Loss[] = [];
  let state = initialState;
  for (const recorded of events) {
    const { version, turn, at, actor } = recorded;
    for (const taken of takenBy(recorded, state)) losses.push({ version, turn, at, actor, ...taken });
    state = evolve(state, recorded.event);
  }
  return losses;
}

/** What one event took away from the state before it. */
export function takenBy({ event, origin }: RecordedEvent, before: ScratchpadState): readonly Taken[] {
  switch (event.type) {
    case "notes.set":
    case "legacy.set":
      return takenByText("notes", before.notes, event, origin === "journal");
    case "plan.set":
      return takenByText("plan", before.plan, event, origin === "journal");
    case "refs.set":
      return takenByRefs(before.refs, event, origin === "journal");
    case "ref.added":
      return event.evicted === undefined ? [] : [{ reason: "evicted", space: "refs", text: event.evicted }];
    case "action.refused":
      return [{ reason: "refused", space: spaceOf(event.action) ?? "notes", text: offeredText(event.offered) }];
    case "notes.appended":
    case "notes.edited":
    case "ref.removed":
    case "entry.written":
    case "entry.deleted":
    case "lease.claimed":
    case "lease.released":
    case "section.written":
    case "section.cleared":
    case "turn.began":
    case "state.restored":
    case "session.forked":
    case "session.imported":
    case "unknown":
      return [];
  }
}

function takenByText(
  space: Space,
  before: string,
  event: { readonly text: string; readonly dropped?: string; readonly ignored?: true },
  decided: boolean,
): Taken[] {
  const taken: Taken[] = [];
  if (event.ignored) taken.push({ reason: "ignored", space, text: event.text });
  else if (!decided) {
    const text = missing(splitLines(before), splitLines(event.text)).join("\n");
    if (text.trim() !== "") taken.push({ reason: "replaced", space, text });
  }
  if (event.dropped !== undefined) taken.push({ reason: "truncated", space, text: event.dropped });
  return taken;
}

function takenByRefs(
  before: readonly string[],
  event: Extract<ScratchpadEvent, { type: "refs.set" }>,
  decided: boolean,
): Taken[] {
  const taken = (reason: LossReason, refs: readonly string[]): Taken[] =>
    refs.map((text) => ({ reason, space: "refs", text }));
  const replaced = event.ignored
    ? taken("ignored", event.refs)
    : taken("replaced", decided ? [] : missing(before, event.refs));
  return [...replaced, ...taken("capped", event.dropped ?? [])];
}

/** What `after` holds fewer times than `before`; a line that only moved is not lost. */
function missing(before: readonly string[], after: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const text of after) left.set(text, (left.get(text) ?? 0) + 1);
  return before.filter((text) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}

/** The one text that an action offered, as it could be offered again; where there are several, the whole offer as JSON. */
export function offeredText(offered: Json): string {
  if (typeof offered === "string") return offered;
  const { content, ref } =
    typeof offered === "object" && offered !== null && !Array.isArray(offered) ? (offered as Record<string, Json>) : {};
  if (typeof content === "string") return content;
  return typeof ref === "string" ? ref : JSON.stringify(offered);
}

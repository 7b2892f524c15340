import type { ScratchpadEvent } from "../event/event.ts";
import type { ScratchpadState } from "../state/state.ts";
import { type Space, spaceOf } from "./actions.ts";
import type { Answer, AnswerContext } from "./answer.ts";
import { spaces, type Use, useOf, violationsOf } from "./budget.ts";
import type { Refusal } from "./parse.ts";
import { refusalReason } from "./refusals.ts";
import { quote, unitCount } from "./text.ts";

/**
 * The answer to the action that gave `event`, computed from the event and the states around it alone, so that a repeated
 * command is answered as it was the first time.
 */
export function answerTo(
  event: ScratchpadEvent,
  before: ScratchpadState,
  after: ScratchpadState,
  context: AnswerContext,
): Answer {
  const space = spaceOfEvent(event);
  const version = (context.version ?? 0) + 1;
  const { used, limit } = useIn(space, after, context);
  const warnings = [...cutWarnings(event, context), ...budgetWarnings(space, after, context)];
  const events = [event];
  if (event.type === "action.refused") {
    const message = refused(event, before, context);
    return { ok: false, message, code: event.code, version, space, used, limit, warnings, events };
  }
  const message = accepted(event, space, used, limit, context);
  return { ok: true, message, version, space, used, limit, warnings, events };
}

/** The answer to what is no action that could be decided. */
export function answerToUnrecorded(refusal: Refusal, state: ScratchpadState, context: AnswerContext): Answer {
  const { code, space } = refusal;
  const isUseful = space !== null && code !== "invalid_key";
  return {
    ok: false,
    message: isUseful ? `${refusal.message} (${useText(space, state, context)} used)` : refusal.message,
    code,
    version: context.version ?? 0,
    space,
    ...useIn(space, state, context),
    warnings: [],
    events: [],
  };
}

/** Use against budget as a message shows it. */
function useText(space: Space, state: ScratchpadState, context: AnswerContext): string {
  const { used, limit } = useOf(space, state, context.limits, context.measure);
  return `${used}/${limit} ${unitOf(space, context)}`;
}

function unitOf(space: Space, { measure }: AnswerContext): string {
  switch (space) {
    case "notes":
      return measure === undefined ? "chars" : "units";
    case "plan":
      return "chars";
    case "refs":
      return "items";
    case "entries":
      return "bytes";
    case "sections":
      return "sections";
  }
}

function useIn(space: Space | null, state: ScratchpadState, { limits, measure }: AnswerContext): Use {
  return space === null ? { used: 0, limit: 0 } : useOf(space, state, limits, measure);
}

function spaceOfEvent(event: ScratchpadEvent): Space | null {
  switch (event.type) {
    case "notes.set":
    case "notes.appended":
    case "notes.edited":
    case "legacy.set":
      return "notes";
    case "plan.set":
      return "plan";
    case "ref.added":
    case "ref.removed":
    case "refs.set":
      return "refs";
    case "entry.written":
    case "entry.deleted":
    case "lease.claimed":
    case "lease.released":
      return "entries";
    case "section.written":
    case "section.cleared":
      return "sections";
    case "action.refused":
      return spaceOf(event.action);
    case "state.restored":
    case "session.forked":
    case "session.imported":
    case "turn.began":
    case "unknown":
      return null;
  }
}

type RefusedEvent = Extract<ScratchpadEvent, { readonly type: "action.refused" }>;
type AcceptedEvent = Exclude<ScratchpadEvent, RefusedEvent>;

function refused(event: RefusedEvent, before: ScratchpadState, context: AnswerContext): string {
  const space = spaceOfEvent(event);
  const reason = refusalReason(event, before, context);
  return `${event.action} rejected: ${reason}${space === null ? "" : ` (${useText(space, before, context)} used)`}`;
}

function accepted(
  event: AcceptedEvent,
  space: Space | null,
  used: number,
  limit: number,
  context: AnswerContext,
): string {
  const what = acceptedText(event, context);
  return space === null ? what : `${what}: ${used}/${limit} ${unitOf(space, context)} used`;
}

function acceptedText(event: AcceptedEvent, context: AnswerContext): string {
  switch (event.type) {
    case "notes.set":
    case "plan.set":
    case "legacy.set":
      return [`${spaceOfEvent(event)} set`, ...cutText(event, context)].join(", ");
    case "notes.appended":
      return "notes appended";
    case "notes.edited":
      return "notes edited";
    case "ref.added":
      return event.evicted === undefined ? "ref added" : `ref added, oldest dropped (${quote(event.evicted)})`;
    case "ref.removed":
      return "ref removed";
    case "refs.set":
      return "refs set";
    case "entry.written":
      return `entry ${quote(event.key)} written`;
    case "entry.deleted":
      return `entry ${quote(event.key)} deleted`;
    case "lease.claimed":
      return `entry ${quote(event.key)} claimed until ${event.until}`;
    case "lease.released":
      return `entry ${quote(event.key)} released`;
    case "section.written":
      return `section ${quote(event.name)} written`;
    case "section.cleared":
      return `section ${quote(event.name)} cleared`;
    case "state.restored":
      return `restored v${event.to}: ${allUses(event.state, context)}`;
    case "session.forked":
      return `forked from ${quote(event.from.session)} at v${event.from.version}: ${allUses(event.state, context)}`;
    case "session.imported":
      return `imported from ${quote(event.from.client)}, session ${quote(event.from.session)}`;
    case "turn.began":
      return "turn began";
    case "unknown":
      return `recorded as ${quote(event.name)}, which this version of session-journal cannot read`;
  }
}

function allUses(state: ScratchpadState, context: AnswerContext): string {
  return spaces.map((space) => `${space} ${useText(space, state, context)}`).join(", ");
}

/** How a text was cut, or nothing. */
function cutText(event: ScratchpadEvent, context: AnswerContext): string[] {
  if (event.type !== "notes.set" && event.type !== "plan.set" && event.type !== "legacy.set") return [];
  if (event.dropped === undefined) return [];
  const space = event.type === "plan.set" ? "plan" : "notes";
  const count = (space === "notes" ? context.measure : undefined) ?? unitCount;
  return [`truncated from ${count(event.text + event.dropped)} to ${count(event.text)} ${unitOf(space, context)}`];
}

function cutWarnings(event: ScratchpadEvent, context: AnswerContext): string[] {
  return cutText(event, context).map((text) => `${text}: set a shorter summary; the rest is kept in the history only`);
}

function budgetWarnings(space: Space | null, state: ScratchpadState, context: AnswerContext): string[] {
  if (space === null) return [];
  return violationsOf(space, state, context.limits, context.measure).map(({ key, used, limit }) => {
    const what = key === undefined ? space : `entry ${quote(key)}`;
    return `${what} over budget: ${used}/${limit} ${unitOf(space, context)}`;
  });
}

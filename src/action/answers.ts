import type { ScratchpadEvent, Space } from "../event/event.ts";
import { spaceOfEvent, typeOf } from "../event/types.ts";
import type { ScratchpadState } from "../state/state.ts";
import type { Answer, AnswerContext } from "./answer.ts";
import { type Use, useOf, violationsOf } from "./budget.ts";
import { measureOf, spaces } from "./measures.ts";
import type { Refusal } from "./parse.ts";
import { type RefusedEvent, refusalReason } from "./refusals.ts";
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

/** This answers a request that is no action, so that nothing could be decided. */
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

/** The answer to a ref that would be there twice: nothing happens. */
export function answerToExisting(existing: string, state: ScratchpadState, context: AnswerContext): Answer {
  const space = "refs";
  return {
    ok: true,
    message: `ref already there as ${quote(existing)}: ${useText(space, state, context)} used`,
    version: context.version ?? 0,
    space,
    ...useIn(space, state, context),
    warnings: [],
    events: [],
    existing,
  };
}

/** Use against budget as a message shows it. */
function useText(space: Space, state: ScratchpadState, context: AnswerContext): string {
  const { used, limit } = useOf(space, state, context.limits, context.measure);
  return `${used}/${limit} ${unitOf(space, context)}`;
}

function unitOf(space: Space, { measure }: AnswerContext): string {
  if (measureOf(space, measure) !== undefined) return "units";
  switch (space) {
    case "notes":
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

/** The result is what the event says of itself, then how its text was cut, or how full the state is that it brought along. */
function acceptedText(event: AcceptedEvent, context: AnswerContext): string {
  const { said, title } = typeOf(event);
  const what = [said?.(event, quote) ?? title(event), ...cutText(event, context)].join(", ");
  return "state" in event ? `${what}: ${allUses(event.state, context)}` : what;
}

function allUses(state: ScratchpadState, context: AnswerContext): string {
  return spaces.map((space) => `${space} ${useText(space, state, context)}`).join(", ");
}

/** The result says how a text was cut. It is empty if nothing was. */
function cutText(event: ScratchpadEvent, context: AnswerContext): string[] {
  if (!("text" in event && "dropped" in event) || event.dropped === undefined) return [];
  const space = spaceOfEvent(event) ?? "notes";
  const count = measureOf(space, context.measure) ?? unitCount;
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

/**
 * What spans and metrics say of what journals tell: the names of OpenTelemetry's conventions for generative AI where they
 * have one, else names of ours. Texts are never among them.
 */
import type { Answer } from "../action/answer.ts";
import { planSteps } from "../audit/steps.ts";
import type { LockTrace } from "../diagnostics.ts";
import { isJournalError } from "../errors.ts";
import type { ScratchpadEvent } from "../event/event.ts";
import { fields } from "../event/fields.ts";
import type { ApplyTrace, OpenTrace } from "../journal/tracing.ts";

export type SpanAttributes = Record<string, string | number | boolean | string[]>;

/** At most so many actions of a call are named. Their count is said besides. */
const namedMax = 32;

export function placeOf(where: string): SpanAttributes {
  return { "session_journal.where": where, ...backendOf(where) };
}

/** The backend is "file" for what lies in memory and for stores of others, too. */
export function backendOf(where: string): SpanAttributes {
  const [, scheme = "file"] = /^(sqlite|nats|postgres)(?:ql)?:/.exec(where) ?? [];
  return { "session_journal.backend": scheme };
}

export function whenOpened({ session, result }: OpenTrace): SpanAttributes {
  return { ...conversation(session), "session_journal.version": result?.version ?? 0 };
}

export function whenAsked({ where, actor, command, actions }: ApplyTrace): SpanAttributes {
  return {
    ...placeOf(where),
    "gen_ai.agent.name": actor,
    ...(command !== undefined && { "gen_ai.tool.call.id": command }),
    "session_journal.actions": actions.slice(0, namedMax).map(actionName),
    "session_journal.actions.count": actions.length,
  };
}

export function whenApplied({ session, result = [] }: ApplyTrace): SpanAttributes {
  const refused = refusalIn(result);
  return {
    ...conversation(session),
    "session_journal.version": Math.max(0, ...result.map(({ version }) => version)),
    "session_journal.events.count": result.reduce((sum, { events }) => sum + events.length, 0),
    ...(refused?.code !== undefined && { "session_journal.refusal.code": refused.code }),
  };
}

export function whenLocked({ isTaken = false }: LockTrace): SpanAttributes {
  return { "session_journal.lock.taken": isTaken };
}

export function whenFailed(error: unknown): SpanAttributes {
  const { name } = error as { readonly name?: unknown };
  return { "error.type": isJournalError(error) ? error.code : typeof name === "string" ? name : "_OTHER" };
}

/** The result is the refusal that a call was answered with. Actions beside it were not applied because of it. */
export function refusalIn(answers: readonly Answer[]): Answer | undefined {
  return answers.find(({ ok, code }) => !ok && code !== "not_applied");
}

/** For each change of the plan: how many steps it has now, by their status. */
export function planChanges({ result = [] }: ApplyTrace): SpanAttributes[] {
  return result.flatMap(({ events }) => events.flatMap((event) => planIn(event) ?? [])).map(stepsIn);
}

/** A refused action is named as it came: a name of ours, or "unknown". */
export function actionName(action: unknown): string {
  const { action: name } = fields(action);
  return typeof name === "string" && /^[a-z_.]{1,40}$/.test(name) ? name : "unknown";
}

function planIn(event: ScratchpadEvent): string | undefined {
  if (event.type === "plan.set") return event.text;
  return event.type === "state.restored" ? event.state.plan : undefined;
}

function stepsIn(plan: string): SpanAttributes {
  const counts = { pending: 0, in_progress: 0, completed: 0, cancelled: 0, blocked: 0 };
  for (const { status } of planSteps(plan)) counts[status] += 1;
  const { cancelled, ...open } = counts;
  const total = Object.values(open).reduce((sum, count) => sum + count, 0);
  const named = Object.entries({ total, ...counts }).map(([name, count]) => [
    `session_journal.plan.steps.${name}`,
    count,
  ]);
  return Object.fromEntries(named);
}

function conversation(session: string | undefined): SpanAttributes {
  return session === undefined ? {} : { "gen_ai.conversation.id": session };
}

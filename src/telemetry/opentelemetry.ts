/** Spans and metrics of OpenTelemetry, made of what journals tell on their channels. */
import { AsyncLocalStorage } from "node:async_hooks";
import { type Channel, tracingChannel } from "node:diagnostics_channel";
import {
  context,
  type Meter,
  type MeterProvider,
  metrics,
  type Span,
  SpanStatusCode,
  type Tracer,
  type TracerProvider,
  trace,
} from "@opentelemetry/api";
import { committed } from "../channels.ts";
import type { CommitMessage, LockTrace, SyncTrace, Traced } from "../diagnostics.ts";
import { isJournalError } from "../errors.ts";
import { type ApplyTrace, type FollowMessage, followed, type OpenTrace } from "../journal/tracing.ts";
import { requireOptions } from "../options.ts";
import {
  actionName,
  backendOf,
  placeOf,
  planChanges,
  refusalIn,
  type SpanAttributes,
  whenApplied,
  whenAsked,
  whenFailed,
  whenLocked,
  whenOpened,
} from "./names.ts";

/** These are the options of {@link instrumentJournal}. */
export interface InstrumentationOptions {
  /** Makes the spans. Without it the provider that is registered globally does. */
  readonly tracerProvider?: TracerProvider;
  /** Makes the metrics. Without it the provider that is registered globally does. */
  readonly meterProvider?: MeterProvider;
}

const library = "session-journal";

/**
 * Makes spans and metrics of what every journal of this process does from now on. A second call makes all of them once more.
 *
 * @param options The providers to use instead of the global ones.
 * @returns A function that ends this.
 * @throws TypeError for an unknown option.
 * @example
 * const stop = instrumentJournal();
 */
export function instrumentJournal(options: InstrumentationOptions = {}): () => void {
  requireOptions(options, "tracerProvider", "meterProvider");
  const { tracerProvider = trace, meterProvider = metrics } = options;
  const spans = new Spans(tracerProvider.getTracer(library));
  const tell = measuring(meterProvider.getMeter(library));
  const stops = [
    spans.of<OpenTrace>("open", { begun: ({ where }) => placeOf(where), ended: whenOpened }),
    spans.of<ApplyTrace>("apply", { begun: whenAsked, ended: whenApplied, record: tell.applied }),
    spans.of<LockTrace>("lock", { begun: ({ where }) => placeOf(where), ended: whenLocked, record: tell.locked }),
    spans.of<SyncTrace>("sync", { begun: ({ where }) => placeOf(where), ended: () => ({}), record: tell.synced }),
    listen(committed, tell.committed),
    listen(followed, tell.followed),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

interface SpanParts<Message> {
  readonly begun: (message: Message) => SpanAttributes;
  readonly ended: (message: Message) => SpanAttributes;
  readonly record?: (message: Message, seconds: number, span: Span) => void;
}

class Spans {
  readonly #tracer: Tracer;
  /** The span that others are part of: an active span of the API's cannot be set for what goes on without a callback. */
  readonly #around = new AsyncLocalStorage<Span>();
  readonly #open = new WeakMap<object, { readonly span: Span; readonly since: number }>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Makes a span of everything that the channel of this name tells; answers how to stop. A channel of the same name is the same. */
  of<Message extends Traced<unknown>>(name: string, { begun, ended, record }: SpanParts<Message>): () => void {
    const channel = tracingChannel<unknown, Message>(`session-journal.${name}`);
    const end = (last: unknown): void => {
      const now = last as Message;
      const open = this.#open.get(now);
      if (open === undefined) return;
      this.#open.delete(now);
      const { span, since } = open;
      record?.(now, (performance.now() - since) / 1000, span);
      span.setAttributes("error" in now ? whenFailed(now.error) : ended(now));
      if ("error" in now) span.setStatus({ code: SpanStatusCode.ERROR, ...messageOf(now.error) });
      span.end();
    };
    channel.start.bindStore(this.#around, (now) => this.#begin(`session_journal.${name}`, now, begun(now)));
    channel.asyncEnd.subscribe(end);
    return () => {
      channel.start.unbindStore(this.#around);
      channel.asyncEnd.unsubscribe(end);
    };
  }

  #begin(name: string, message: object, attributes: SpanAttributes): Span {
    const around = this.#around.getStore();
    const active = context.active();
    const span = this.#tracer.startSpan(name, { attributes }, around ? trace.setSpan(active, around) : active);
    this.#open.set(message, { span, since: performance.now() });
    return span;
  }
}

/** The result has the functions that count and measure. */
function measuring(meter: Meter) {
  const counter = (name: string, unit: string, description: string) =>
    meter.createCounter(`session_journal.${name}`, { unit, description });
  const histogram = (name: string, unit: string, description: string) =>
    meter.createHistogram(`session_journal.${name}`, { unit, description });
  const appends = counter("appends", "{event}", "Events that were appended");
  const refusals = counter("refusals", "{refusal}", "Actions that were refused");
  const conflicts = counter("conflicts", "{conflict}", "Calls whose expected version was not the current one");
  const lostRaces = counter(
    "lost_races",
    "{race}",
    "Commits that were decided again because another writer was faster",
  );
  const applyTime = histogram("apply.duration", "s", "From the call to its answer");
  const lockWait = histogram("lock.wait", "s", "Waiting for the lock of a session file");
  const syncTime = histogram("sync.duration", "s", "Waiting until what was appended is on disk");
  const lag = histogram("follower.lag", "s", "Age of the newest event when a follower reads it");
  const use = histogram("budget.use", "1", "Share of a space's budget that is in use, after each action");
  return {
    applied: (message: ApplyTrace, seconds: number, span: Span): void => {
      const { where, actions, result = [], error } = message;
      const backend = backendOf(where);
      applyTime.record(seconds, backend);
      if (isJournalError(error, "version_conflict")) conflicts.add(1, backend);
      const refused = refusalIn(result);
      if (refused !== undefined) {
        const action = actionName(actions[result.indexOf(refused)]);
        refusals.add(1, {
          ...backend,
          "session_journal.refusal.code": refused.code ?? "",
          "session_journal.action": action,
        });
      }
      for (const { space, used, limit } of result)
        if (space !== null && limit > 0) use.record(used / limit, { ...backend, "session_journal.space": space });
      for (const change of planChanges(message)) span.addEvent("session_journal.plan.changed", change);
    },
    locked: ({ where, isTaken = false }: { readonly where: string; isTaken?: boolean }, seconds: number): void =>
      lockWait.record(seconds, { ...backendOf(where), "session_journal.lock.taken": isTaken }),
    synced: ({ where }: { readonly where: string }, seconds: number): void =>
      syncTime.record(seconds, backendOf(where)),
    committed: ({ where, events, attempts }: CommitMessage): void => {
      appends.add(events, backendOf(where));
      if (attempts > 1) lostRaces.add(attempts - 1, backendOf(where));
    },
    followed: ({ where, lagMs }: FollowMessage): void => lag.record(lagMs / 1000, backendOf(where)),
  };
}

function listen<Message>(channel: Channel, tell: (message: Message) => void): () => void {
  const listener = (message: unknown): void => tell(message as Message);
  channel.subscribe(listener);
  return () => {
    channel.unsubscribe(listener);
  };
}

/** Those of ours name files and sessions; whatever else was thrown may hold a text. */
function messageOf(error: unknown): { readonly message?: string } {
  return isJournalError(error) ? { message: error.message } : {};
}

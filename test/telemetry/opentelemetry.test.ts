/** With the real SDK: what reaches an exporter of whoever operates agents. */
import { channel, tracingChannel } from "node:diagnostics_channel";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { instrumentJournal } from "../../src/telemetry/opentelemetry.ts";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-telemetry-"));
const file = path.join(folder, "session.jsonl");
const exporter = new InMemorySpanExporter();
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const metricExporter = new InMemoryMetricExporter(AggregationTemporality.DELTA);
const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 2 ** 30 });
const meterProvider = new MeterProvider({ readers: [reader] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
afterAll(async () => {
  context.disable();
  await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
  fs.rmSync(folder, { recursive: true, force: true });
});

let stop = () => {};
beforeEach(() => {
  exporter.reset();
  stop = instrumentJournal({ tracerProvider, meterProvider });
});
afterEach(async () => {
  stop();
  await reader.forceFlush();
  metricExporter.reset();
  fs.rmSync(file, { force: true });
});

const spansOf = (name: string): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === `session_journal.${name}`);

interface Measured {
  readonly attributes: Record<string, unknown>;
  readonly value: number | { readonly count: number };
}

/** By name: what was counted, or how often it was measured, for each set of attributes. */
async function measured(name: string): Promise<[Record<string, unknown>, number][]> {
  await reader.forceFlush();
  const all = metricExporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  return all
    .filter(({ descriptor }) => descriptor.name === `session_journal.${name}`)
    .flatMap(({ dataPoints }): readonly Measured[] => dataPoints)
    .map(({ attributes, value }) => [attributes, typeof value === "number" ? value : value.count]);
}

test("a call is a span of its caller's, and the lock and the sync that it waited for are spans of it", async () => {
  const tracer = tracerProvider.getTracer("an agent");
  const journal = await openJournal(file, { actor: "planner" });
  await tracer.startActiveSpan("the agent's turn", async (turn) => {
    await journal.apply({ action: "set_notes", content: "confidential" }, { command: "toolu_01" });
    turn.end();
  });
  const session = await journal.sessionId();
  await journal.close();
  const [opened] = spansOf("open");
  expect(opened?.attributes).toMatchObject({ "gen_ai.conversation.id": session, "session_journal.where": file });
  const [applied] = spansOf("apply");
  const [turn] = exporter.getFinishedSpans().filter(({ name }) => name === "the agent's turn");
  expect(applied?.parentSpanContext?.spanId).toBe(turn?.spanContext().spanId);
  expect(applied?.attributes).toEqual({
    "gen_ai.agent.name": "planner",
    "gen_ai.conversation.id": session,
    "gen_ai.tool.call.id": "toolu_01",
    "session_journal.actions": ["set_notes"],
    "session_journal.actions.count": 1,
    "session_journal.backend": "file",
    "session_journal.events.count": 1,
    "session_journal.version": 1,
    "session_journal.where": file,
  });
  for (const part of ["lock", "sync"]) {
    const last = spansOf(part).at(-1);
    expect(last?.parentSpanContext?.spanId, part).toBe(applied?.spanContext().spanId);
  }
  expect(spansOf("lock").at(-1)?.attributes["session_journal.lock.taken"]).toBe(true);
  const told = exporter.getFinishedSpans().map(({ attributes, events }) => ({ attributes, events }));
  expect(JSON.stringify(told)).not.toContain("confidential");
});

test("a plan that changed is an event with its steps counted, a restored one too", async () => {
  const journal = await openJournal(memoryStore());
  await journal.plan.set("- [x] one\n- [>] two\n- [ ] three\n- [-] four");
  await journal.notes.set("no plan");
  await journal.plan.set("");
  await journal.restore("v1");
  await journal.close();
  const counts = spansOf("apply").map(({ events }) =>
    events.map(({ name, attributes }) => [name, ...Object.entries(attributes ?? {}).flatMap(stepCount)]),
  );
  const four = ["total=3", "pending=1", "in_progress=1", "completed=1", "cancelled=1", "blocked=0"];
  const none = ["total=0", "pending=0", "in_progress=0", "completed=0", "cancelled=0", "blocked=0"];
  const name = "session_journal.plan.changed";
  expect(counts).toEqual([[[name, ...four]], [], [[name, ...none]], [[name, ...four]]]);
});

test("what goes wrong is counted apart: refusals by code, conflicts, and what failed", async () => {
  const journal = await openJournal(memoryStore(), { limits: { notes: 10 } });
  await journal.applyAll([
    { action: "set_notes", content: "12345" },
    { action: "append_notes", content: "over budget" },
  ]);
  await journal.applyUnknown({ action: "a text that a model made up", content: "" });
  await expect(journal.apply({ action: "set_plan", content: "" }, { expectedVersion: 7 })).rejects.toMatchObject({
    code: "version_conflict",
  });
  await journal.close();
  const backend = { "session_journal.backend": "file" };
  expect(await measured("refusals")).toEqual([
    [{ ...backend, "session_journal.refusal.code": "over_budget", "session_journal.action": "append_notes" }, 1],
    [{ ...backend, "session_journal.refusal.code": "unknown_action", "session_journal.action": "unknown" }, 1],
  ]);
  expect(spansOf("apply").map(({ attributes, status }) => [attributes["error.type"], status.code])).toEqual([
    [undefined, 0],
    [undefined, 0],
    ["version_conflict", 2],
  ]);
});

test("appends, waits and budgets are measured", async () => {
  const journal = await openJournal(file);
  await Promise.all([journal.notes.set("a"), journal.plan.set("b"), journal.refs.add("c")]);
  await journal.close();
  const backend = { "session_journal.backend": "file" };
  expect(await measured("appends")).toEqual([[backend, 3]]);
  metricExporter.reset();
  await using again = await openJournal(file);
  await again.notes.set("d");
  await reader.forceFlush();
  const names = metricExporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) =>
      scopeMetrics.flatMap(({ metrics }) => metrics.map(({ descriptor }) => descriptor.name)),
    );
  expect(names.sort()).toEqual(
    ["appends", "apply.duration", "budget.use", "lock.wait", "sync.duration"].map((name) => `session_journal.${name}`),
  );
});

test("who reads the file again behind a snapshot has lost no race", async () => {
  const file = path.join(folder, "snapshot.jsonl");
  await using journal = await openJournal(file);
  await journal.notes.set("a");
  await journal.snapshot();
  await journal.close();
  await using resumed = await openJournal(file);
  await resumed.notes.set("b");
  expect(await measured("appends")).toEqual([[{ "session_journal.backend": "file" }, 2]]);
  expect(await measured("lost_races")).toEqual([]);
});

test("a race that was lost is counted, and the commit only once", async () => {
  const store = memoryStore();
  const journal = await openJournal(store);
  const { append } = store.log;
  // Another writer comes first: what is appended is not what is read back.
  let isFirst = true;
  store.log.append = (after, next) =>
    append.call(store.log, after, (page) => {
      const step = next(page);
      const mustLose = isFirst && step.type === "append";
      if (mustLose) isFirst = false;
      return mustLose ? next({ entries: [], cursor: page.cursor }) : step;
    });
  await journal.notes.set("a");
  await journal.close();
  expect(await measured("lost_races")).toEqual([[{ "session_journal.backend": "file" }, 1]]);
});

test("a follower tells how far behind it is", async () => {
  await using follower = await openJournal(file, { follow: true });
  await using writer = await openJournal(file);
  const isThere = new Promise<void>((resolve) => follower.onChange(() => resolve()));
  await writer.notes.set("news");
  await isThere;
  while ((await measured("follower.lag")).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await measured("follower.lag")).toEqual([[{ "session_journal.backend": "file" }, 1]]);
});

test("once it was stopped nobody listens, and nothing is told", async () => {
  const traces = ["open", "apply", "lock", "sync"].map((name) => tracingChannel(`session-journal.${name}`));
  const messages = ["commit", "follow"].map((name) => channel(`session-journal.${name}`));
  const heard = () => [...traces, ...messages].map(({ hasSubscribers }) => hasSubscribers);
  expect(heard()).toEqual(Array(6).fill(true));
  stop();
  expect(heard()).toEqual(Array(6).fill(false));
  await using journal = await openJournal(memoryStore());
  await journal.notes.set("a");
  expect(exporter.getFinishedSpans()).toEqual([]);
});

test("without providers of its own it goes by those that are registered", async () => {
  stop();
  trace.setGlobalTracerProvider(tracerProvider);
  stop = instrumentJournal();
  await using journal = await openJournal(memoryStore());
  trace.disable();
  expect(spansOf("open")).toHaveLength(1);
  expect(() => instrumentJournal({ tracer: tracerProvider } as object)).toThrow('unknown option "tracer"');
  expect(journal.version).toBe(0);
});

function stepCount([name, value]: [string, unknown]): string {
  return `${name.replace("session_journal.plan.steps.", "")}=${value}`;
}

/** The sections that every working-memory file can have, in the order of the file. */
import path from "node:path";
import { nameOfStep, planSteps } from "../audit/steps.ts";
import type { Message } from "../prompt/working-memory-messages.ts";
import { memoriesOf, recall } from "../prompt/working-memory-recall.ts";
import {
  activeContext,
  bullets,
  emotionalContext,
  type RoutingHint,
  responseStrategy,
  routingHint,
  type Sentiment,
} from "../prompt/working-memory-sections.ts";
import { localTime, timeContext } from "../prompt/working-memory-time.ts";
import { requireHits, requireSentiment } from "./assemble-check.ts";
import type { Provider, ProviderInput } from "./providers.ts";
import { readEnd } from "./read-end.ts";

/** This is what a memory search is asked for. */
export interface MemoryQuery {
  /** This is what the user wrote last and the current step of the plan, newest last. */
  readonly topics: readonly string[];
  readonly messages: readonly Message[];
  /** More hits than these are not shown. */
  readonly limit: number;
}

/** This is what only the host knows. Without it, its section is not there. */
export interface Sources {
  readonly sentiment?: (
    input: ProviderInput,
    signal: AbortSignal,
  ) => Promise<Sentiment | undefined> | Sentiment | undefined;
  readonly memorySearch?: (query: MemoryQuery, signal: AbortSignal) => Promise<readonly string[]> | readonly string[];
  /** This is the folder with `MEMORY.md` and `memory/<local date>.md`. */
  readonly workspace?: string;
  readonly routingHint?: RoutingHint;
  readonly alerts?: readonly string[];
  /** This is a name such as AEDT, which is shown in place of the offset. */
  readonly zoneName?: string;
}

const emotionalName = "Emotional Context";

const memoriesMax = 5;

const dailyBytesMax = 2048;

const memoryBytesMax = 262_144;

export function builtInProviders(sources: Sources): Provider[] {
  const feel = feelOnce(sources.sentiment);
  return [
    {
      name: emotionalName,
      priority: 60,
      async run(input, signal) {
        const sentiment = await feel(input, signal);
        return sentiment && emotionalContext(sentiment, await sectionsBefore(input, emotionalName));
      },
    },
    {
      name: "Response Strategy",
      priority: 90,
      async run(input, signal) {
        const strategy = (await feel(input, signal))?.strategy;
        return strategy && responseStrategy(strategy);
      },
    },
    {
      name: "Active Context",
      priority: 100,
      run: async (input) => activeContext(currentStep(input.journal.state.plan), input.messages, await gapMs(input)),
    },
    {
      name: "Relevant Memories",
      priority: 50,
      async run(input, signal) {
        const { messages } = input;
        const query = { topics: topicsOf(input), messages, limit: memoriesMax };
        const hits = requireHits(await sources.memorySearch?.(query, signal));
        const kept = await keptMemories(sources.workspace, query);
        return bullets([...new Set([...hits, ...kept])].slice(0, memoriesMax));
      },
    },
    {
      name: "Daily Notes",
      priority: 20,
      shrinks: true,
      run: ({ now, utcOffsetHours }) => {
        if (sources.workspace === undefined) return undefined;
        const { date } = localTime(now, utcOffsetHours);
        return readEnd(path.join(sources.workspace, "memory", `${date}.md`), dailyBytesMax);
      },
    },
    {
      name: "Time Context",
      priority: 80,
      run: ({ now, utcOffsetHours }) => timeContext(now, utcOffsetHours, sources.zoneName),
    },
    { name: "Routing Hint", priority: 30, run: () => sources.routingHint && routingHint(sources.routingHint) },
    { name: "Proactive Alerts", priority: 70, run: () => bullets(sources.alerts ?? []) },
  ];
}

/** The memories come from the `MEMORY.md` that others keep in the workspace. Only the end of a long file is read. */
async function keptMemories(workspace: string | undefined, { topics, limit }: MemoryQuery): Promise<string[]> {
  if (workspace === undefined) return [];
  const text = await readEnd(path.join(workspace, "MEMORY.md"), memoryBytesMax);
  return text === undefined ? [] : recall(memoriesOf(text), topics, limit);
}

/** Two sections come of one analysis. */
function feelOnce(
  sentiment: Sources["sentiment"],
): (input: ProviderInput, signal: AbortSignal) => Promise<Sentiment | undefined> {
  let felt: Promise<Sentiment | undefined> | undefined;
  return (input, signal) => {
    felt ??= (async () => requireSentiment(await sentiment?.(input, signal)))();
    return felt;
  };
}

async function sectionsBefore({ journal }: ProviderInput, name: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const { event } of journal.history()) {
    if (event.type === "section.written" && event.name === name) texts.push(event.text);
  }
  return texts;
}

/** Since the last message, or where no message says its time, since the last event that is no section. */
async function gapMs({ now, messages, journal }: ProviderInput): Promise<number | undefined> {
  let last = messages.findLast(({ time }) => time !== undefined)?.time;
  if (last === undefined) {
    for await (const { event, at } of journal.history()) {
      if (!event.type.startsWith("section.")) last = Date.parse(at);
    }
  }
  return last === undefined ? undefined : now.getTime() - last;
}

function topicsOf({ messages, journal }: ProviderInput): string[] {
  const asked = messages.filter(({ role, text }) => role === "user" && text.trim() !== "").slice(-3);
  const step = currentStep(journal.state.plan);
  return [...(step === undefined ? [] : [step]), ...asked.map(({ text }) => text)];
}

const listItem = /^\s*(?:[-*+]|\d+[.)])\s/;

/**
 * The step that is in progress, else the first one that is open. A plan without a list gives the line that is marked as current, or the first
 * one that is not done.
 */
function currentStep(plan: string): string | undefined {
  const steps = planSteps(plan);
  const step = steps.find(({ status }) => status === "in_progress") ?? steps.find(({ status }) => status === "pending");
  if (step !== undefined) return nameOfStep(step);
  const all = plan.split("\n");
  // What stands beside a list is no step, even if all of the list is done.
  if (steps.some(({ line }) => listItem.test(all[line - 1] ?? ""))) return undefined;
  const done = new Set(steps.map(({ line }) => line));
  const lines = all.filter((each, index) => each.trim() !== "" && !done.has(index + 1));
  const line = lines.find((each) => /<-- *current/i.test(each)) ?? lines[0];
  return line
    ?.replace(/<-- *current.*$/i, "")
    .replace(/^\s*[-*+]\s/, "")
    .trim();
}

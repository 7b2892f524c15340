// Do blame, lost, log, diff and the report grow linearly with the history? 100 to 100,000 events, each of which writes. Times
// are those of the processor: by the clock, whatever else the machine does would be counted too.

import { evolve, initialState } from "session-journal";
import { blame, diffStates, lost, renderReport } from "session-journal/audit";
import { defaultLimits } from "../dist/action/limits.js";
import { selected } from "../dist/cli/history-filter.js";
import { tableLines } from "../dist/cli/log-table.js";

const generatedAt = "2026-11-21T20:00:00.000Z";
const sizes = [100, 1_000, 10_000, 100_000];
const questions = {
  blame: (events) => blame(events),
  lost: (events) => lost(events),
  log: async (events) => tableLines(await selected(events, {}), defaultLimits, "csv"),
  "log -S": (events) => selected(events, { pickaxe: "finding 6:" }),
  "diff of every event": diffAll,
  report: (events) => renderReport({ events, session: "bench", generatedAt }),
};
const names = Object.keys(questions);

/** Microseconds an event, for each question, at each size. */
const costs = [];
printRow("events", names);
for (const size of sizes) {
  const events = history(size);
  const cost = {};
  for (const [name, ask] of Object.entries(questions)) {
    // The first time, the code is not compiled yet.
    if (size === sizes[0]) await ask(events);
    cost[name] = ((await timed(() => ask(events))) * 1000) / size;
  }
  costs.push(cost);
  printRow(
    String(size),
    names.map((name) => `${((cost[name] * size) / 1000).toFixed(0)} (${cost[name].toFixed(0)})`),
  );
}
const [thousand, largest] = [costs[1], costs[3]];
printRow(
  "growth",
  names.map((name) => `× ${(largest[name] / thousand[name]).toFixed(1)}`),
);
console.log(
  "ms of processor time (µs an event); growth: of an event among 100,000 against one among 1,000, 1 is linear",
);

function printRow(title, cells) {
  console.log(`${title.padEnd(8)}${cells.map((cell) => cell.padStart(20)).join("")}`);
}

async function timed(work) {
  globalThis.gc?.();
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

/** What following a session shows: the patch and the text of each step. */
function diffAll(events) {
  let state = initialState;
  for (const { event } of events) {
    const next = evolve(state, event);
    diffStates(state, next);
    state = next;
  }
}

/** Notes near their budget: appended to, edited, rewritten by a host with one line changed; plans, refs and refusals. */
function history(size) {
  const lines = Array.from({ length: 40 }, (_, index) => `finding ${index}: ${"measured ".repeat(8)}`);
  return Array.from({ length: size }, (_, index) => {
    const version = index + 1;
    const { event, origin = "journal" } = told(index, lines);
    const at = new Date(Date.UTC(2026, 10, 21) + index * 1000).toISOString();
    return { version, event, at, turn: Math.floor(index / 8), actor: "agent", origin, commit: `commit-${version}` };
  });
}

function told(index, lines) {
  switch (index % 6) {
    case 0:
      lines[index % lines.length] = `finding ${index}: ${"measured ".repeat(8)}`;
      return { event: { type: "notes.set", text: lines.join("\n") }, origin: "host" };
    case 1:
      return { event: { type: "notes.appended", text: `seen ${index}` } };
    case 2:
      return { event: { type: "notes.edited", operation: "find_replace", find: "seen", replace: "checked" } };
    case 3:
      return { event: { type: "plan.set", text: `1. step ${index}\n2. next\n3. then` } };
    case 4:
      return {
        event: {
          type: "ref.added",
          ref: `src/${index}.ts`,
          ...(index < 300 ? {} : { evicted: `src/${index - 300}.ts` }),
        },
      };
    default:
      return {
        event: { type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: "x" } },
      };
  }
}

// Do blame, lost, diff and the report grow linearly with the history? 100 to 100,000 events, each of which writes.
import { blame, diffStates, lost, renderReport } from "session-journal/audit";
import { evolve, initialState } from "session-journal";

const generatedAt = "2026-11-21T20:00:00.000Z";
const sizes = [100, 1_000, 10_000, 100_000];
const questions = {
  blame: (events) => blame(events),
  lost: (events) => lost(events),
  "diff of every event": diffAll,
  report: (events) => renderReport({ events, session: "bench", generatedAt }),
};

console.log(
  `events     ${Object.keys(questions)
    .map((name) => name.padStart(20))
    .join("")}   (median of 3, ms; µs an event)`,
);
for (const size of sizes) {
  const events = history(size);
  const cells = Object.values(questions).map((ask) => {
    const times = [1, 2, 3].map(() => timed(() => ask(events))).sort((a, b) => a - b);
    return `${times[1].toFixed(0)} (${((times[1] * 1000) / size).toFixed(0)})`.padStart(20);
  });
  console.log(`${String(size).padEnd(11)}${cells.join("")}`);
}

function timed(work) {
  globalThis.gc?.();
  const start = performance.now();
  work();
  return performance.now() - start;
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

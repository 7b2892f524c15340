// Do diff, blame, lost, log and the report grow linearly with the history?
import { join } from "node:path";
import { library, load } from "./lib/dist.mjs";
import { growSession } from "./lib/grow-session.mjs";
import { medianOf, ratioOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 7;
const sizes = [1000, 10_000];

/** From an open journal to the answer, the reading of the history included. Answers how much came of it. */
const verbs = {
  diff: async (journal) => (await journal.diff("v0", "head")).events.length,
  blame: async (journal) => (await journal.blame()).length,
  lost: async (journal) => (await journal.lost()).length,
  log: async (journal) => (await logLines(journal, {})).length,
  "log -S": async (journal) => (await logLines(journal, { pickaxe: "finding 6:" })).length,
  report: async (journal) => (await report(journal)).length,
};
/** Those that have a gate. */
const gated = ["diff", "blame", "log", "report"];

await ask(
  import.meta.filename,
  "Do diff, blame, log and the report grow linearly with the history?",
  { explain },
  compare,
);

/** The first journal is asked before, for the code to be compiled. */
async function explain(verb, first, file) {
  const { openJournal } = await library();
  await verbs[verb](await openJournal(first, { readonly: true }));
  const journal = await openJournal(file, { readonly: true });
  const start = performance.now();
  const size = await verbs[verb](journal);
  return { ms: performance.now() - start, size };
}

async function logLines(journal, filter) {
  const { defaultLimits } = await load("action/limits.js");
  const { selected } = await load("cli/history-filter.js");
  const { tableLine } = await load("cli/log-table.js");
  const lines = [];
  for await (const step of selected(journal.history(), filter)) lines.push(tableLine(step, defaultLimits, "csv"));
  return lines;
}

async function report(journal) {
  const { renderReport } = await library("./audit");
  return renderReport({ events: await historyOf(journal), session: "bench", generatedAt: "2026-11-21T20:00:00.000Z" });
}

async function historyOf(journal) {
  const events = [];
  for await (const event of journal.history()) events.push(event);
  return events;
}

function compare(question) {
  const [first, small, large] = [200, ...sizes].map((commits) => {
    const file = join(question.folder, `${commits}.jsonl`);
    growSession(file, 0, commits, { eventOf });
    return file;
  });
  const contenders = Object.keys(verbs).flatMap((verb) =>
    [small, large].map((file, index) => ({
      name: `${verb} ${sizes[index]}`,
      isOurs: true,
      words: ["explain", verb, first, file],
    })),
  );
  const runs = question.interleave(contenders, rounds);
  const of = (verb, size) => runs.get(`${verb} ${size}`);
  const growth = (verb) => ratioOf(of(verb, sizes[1]), "ms", of(verb, sizes[0]));
  question.table("From an open journal to the answer, ms; notes near their budget, each event changes something.", [
    ["", ...sizes.map((size) => `${size} events`), "growth"],
    ...Object.keys(verbs).map((verb) => [
      verb,
      ...sizes.map((size) => milliseconds(medianOf(of(verb, size), "ms"))),
      `${growth(verb).toFixed(1)} ×`,
    ]),
  ]);
  question.gate("growth", Math.max(...gated.map(growth)));
  question.gate("time", Math.max(...gated.map((verb) => medianOf(of(verb, sizes[1]), "ms"))));
}

/** Notes of forty lines, of which one at a time is another; edits, plans, refs and refusals between them. */
function eventOf(index, { refs }) {
  switch (index % 6) {
    case 0:
      return { type: "notes.set", text: Array.from({ length: 40 }, (_, line) => finding(index, line)).join("\n") };
    case 1:
      return { type: "notes.appended", text: `seen ${index}` };
    case 2:
      return { type: "notes.edited", operation: "find_replace", find: "seen", replace: "checked" };
    case 3:
      return { type: "plan.set", text: `1. step ${index}\n2. next\n3. then` };
    case 4:
      return { type: "ref.added", ref: `src/${index}.ts`, ...(refs.length === 50 && { evicted: refs[0] }) };
    default:
      return { type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: "x" } };
  }
}

function finding(index, line) {
  const since = index - ((index / 6 - line) % 40) * 6;
  return `finding ${since}: ${"measured ".repeat(8)}`;
}

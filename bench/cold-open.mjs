// How long does it take to read a session of 256 MB from its first byte, against programs that only count, and against
// the client that wrote it? With another runtime's key order and spacing too.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { clients } from "./lib/clients.mjs";
import { library } from "./lib/dist.mjs";
import { growSession } from "./lib/grow-session.mjs";
import { digestOf, medianOf, ratioOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const sizeBytes = 256 * 2 ** 20;
const commits = 3600;
const rounds = 7;
const needle = "openclaw:scratchpad";

await ask(
  import.meta.filename,
  "How long does it take to read a session of 256 MB from its first byte?",
  { open, openClient },
  compare,
);

/** The call alone: the library has been loaded, nothing has run. */
async function open(file) {
  const { openJournal } = await library();
  const start = performance.now();
  const { version, state } = await openJournal(file, { readonly: true });
  return { ms: performance.now() - start, version, digest: digestOf(state) };
}

async function openClient(sessionManager, file) {
  const { SessionManager } = await import(sessionManager);
  const start = performance.now();
  const entries = SessionManager.open(file).getEntries().length;
  return { ms: performance.now() - start, entries };
}

function compare(question) {
  const variants = {
    "as we write it": undefined,
    "other key order": (entry) => JSON.stringify(reversed(entry)),
    "other spacing": (entry) => spaced(JSON.stringify(entry, null, 1)),
  };
  const rows = [["session", "contender", "call ms", "process ms", "speed against grep", "speed of ours"]];
  const grepRatios = {};
  for (const [variant, print] of Object.entries(variants)) {
    const file = join(question.folder, "session.jsonl");
    const expected = growSession(file, sizeBytes, commits, { print });
    readFileSync(file);
    const isOwn = print === undefined;
    const runs = question.interleave(contendersFor(file, isOwn), rounds);
    rmSync(file);
    const ours = runs.get("session-journal");
    for (const { version, digest } of ours) {
      if (version !== expected.version || digest !== expected.digest) throw new Error(`${variant}: read wrongly`);
    }
    grepRatios[variant] = ratioOf(runs.get("grep -cF"), "wallMs", ours, "ms");
    if (isOwn) {
      question.gate("grep", grepRatios[variant]);
      question.gate("wc", ratioOf(runs.get("wc -l"), "wallMs", ours, "ms"));
      question.gate("client", Math.min(...clients.map(({ name }) => ratioOf(runs.get(name), "ms", ours, "ms"))));
    }
    rows.push(...[...runs].map(([name, answers]) => rowOf(variant, name, answers, runs)));
  }
  question.table(
    "Medians of seven rounds. The call is what a program waits for that has loaded its module; grep and wc are whole processes.",
    rows,
  );
  question.gate("foreign", Math.min(grepRatios["other key order"], grepRatios["other spacing"]));
}

function contendersFor(file, isOwn) {
  const tools = [
    { name: "grep -cF", command: ["grep", "-cF", needle, file] },
    { name: "wc -l", command: ["wc", "-l", file] },
  ];
  const real = clients.map(({ name, node, sessionManager }) => ({
    name,
    node,
    words: ["openClient", sessionManager, file],
  }));
  return [{ name: "session-journal", isOurs: true, words: ["open", file] }, ...tools, ...(isOwn ? real : [])];
}

function rowOf(variant, name, answers, runs) {
  if (answers.some(({ failed }) => failed)) return [variant, name, "cannot", "", "", ""];
  const isTool = answers[0].ms === undefined;
  const field = isTool ? "wallMs" : "ms";
  const [wall, grep, ours] = [medianOf(answers, "wallMs"), runs.get("grep -cF"), runs.get("session-journal")];
  return [
    variant,
    name,
    isTool ? "" : milliseconds(medianOf(answers, "ms")),
    milliseconds(wall),
    `${ratioOf(grep, "wallMs", answers, field).toFixed(2)} ×`,
    `${ratioOf(answers, field, ours, "ms").toFixed(2)} ×`,
  ];
}

/** The same values, the last key first, at every depth. */
function reversed(value) {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

/** In one line, with a space after each colon and comma, as other languages print it. */
function spaced(indented) {
  return indented.replace(/\n */g, " ");
}

// How long does it take to read a session of 256 MB from its first byte, against programs that only count, and against
// the client that wrote it? With another runtime's key order and spacing too, and of other sizes.
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { clients } from "./lib/clients.mjs";
import { library } from "./lib/dist.mjs";
import { growSession, respaced } from "./lib/grow-session.mjs";
import { leastFold } from "./lib/least-fold.mjs";
import { digestOf, medianOf, peakMb, ratioOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { profiling } from "./lib/profiling.mjs";
import { ask } from "./lib/question.mjs";

const sizeBytes = 256 * 2 ** 20;
const commits = 3600;
const rounds = 7;
const sizesMb = [1, 16, 256, 1024];
const commitsPerMb = 14;
const roundsOfSizes = 3;
const needle = "openclaw:scratchpad";
const newestClient = "pi-0.87.1";

/** Contenders that do no more than no reader can leave out; the first one searches as we do. */
const leasts = {
  "reading and our search alone": "searching",
  "reading and finding line feeds alone": "reading",
  "the same, and parsing the commits": "parsing",
  "the same, and checking their hashes": "hashing",
};

await ask(
  import.meta.filename,
  "How long does it take to read a session of 256 MB from its first byte?",
  { open, openClient, leastFold },
  compare,
);

/** The call alone: the library has been loaded, nothing has run; or, "again", it has read the same session once. */
async function open(file, again) {
  const { openJournal } = await library();
  if (again !== undefined) await (await openJournal(file, { readonly: true })).close();
  const endProfile = await profiling();
  const start = performance.now();
  const { version, state } = await openJournal(file, { readonly: true });
  const ms = performance.now() - start;
  await endProfile();
  return { ms, peakMb: peakMb(), version, digest: digestOf(state) };
}

async function openClient(sessionManager, file) {
  const { SessionManager } = await import(sessionManager);
  const start = performance.now();
  const entries = SessionManager.open(file).getEntries().length;
  return { ms: performance.now() - start, peakMb: peakMb(), entries };
}

function compare(question) {
  compareFew(question);
  compareVariants(question);
  compareSizes(question);
}

/** With fewer commits in it: what is left is finding them. */
function compareFew(question) {
  const rows = [["commits", "call ms", "grep -cF, ms", "speed against grep", ...Object.keys(leasts)]];
  const ratios = [];
  for (const count of [1, 400]) {
    const file = join(question.folder, "session.jsonl");
    growSession(file, sizeBytes, count);
    readFileSync(file);
    const runs = question.interleave([...contendersFor(file, false), ...leastsFor(file)], rounds);
    rmSync(file);
    const [ours, grep] = [runs.get("session-journal"), runs.get("grep -cF")];
    const ratio = ratioOf(grep, "wallMs", ours, "ms");
    rows.push([
      count,
      milliseconds(medianOf(ours, "ms")),
      milliseconds(medianOf(grep, "wallMs")),
      `${ratio.toFixed(2)} ×`,
      ...Object.keys(leasts).map((name) => `${ratioOf(grep, "wallMs", runs.get(name), "ms").toFixed(2)} ×`),
    ]);
    ratios.push(ratio);
  }
  question.table("256 MB with fewer commits; in the last columns the speed of what no reader can leave out.", rows);
  const [one, some] = ratios;
  question.gate("one", one);
  question.gate("some", some);
}

function compareVariants(question) {
  const variants = {
    "as we write it": undefined,
    "other key order": (entry) => JSON.stringify(reversed(entry)),
    "other spacing": respaced,
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
      compareWithClient(question, runs);
    }
    rows.push(...[...runs].map(([name, answers]) => rowOf(variant, name, answers, runs)));
  }
  question.table(
    "Medians of seven rounds. The call is what a program waits for that has loaded its module, the first one if nothing else is said; grep and wc are whole processes.",
    rows,
  );
  question.gate("foreign", Math.min(grepRatios["other key order"], grepRatios["other spacing"]));
}

/** What could be gained at most is shown by who leaves out what it may. */
function compareWithClient(question, runs) {
  const client = clients.find(({ name }) => name === newestClient);
  const times = runs.get(client.name);
  const names = ["session-journal", ...Object.keys(leasts)].map((name) => nameUnder(client, name));
  question.table(`Under the Node that ${newestClient} runs under.`, [
    ["contender", "call ms", `speed against ${newestClient}`],
    ...names.map((name) => [
      name,
      milliseconds(medianOf(runs.get(name), "ms")),
      `${ratioOf(times, "ms", runs.get(name)).toFixed(1)} ×`,
    ]),
  ]);
  question.gate("client", ratioOf(times, "ms", runs.get(names[0])));
}

/** Ours is compared with a client under the Node that the client runs under. */
function nameUnder({ name, node }, contender = "session-journal") {
  return node === process.execPath ? contender : `${contender}, Node of ${name}`;
}

function contendersFor(file, isOwn) {
  const tools = [
    { name: "grep -cF", command: ["grep", "-cF", needle, file] },
    { name: "wc -l", command: ["wc", "-l", file] },
  ];
  const real = clients.map((client) => clientOn(client, file));
  const again = { name: "session-journal, a second time", isOurs: true, words: ["open", file, "again"] };
  const ours = { name: "session-journal", isOurs: true, words: ["open", file] };
  const others = clients.filter(({ node }) => node !== process.execPath);
  const underOthers = others.flatMap((client) =>
    [ours, ...leastsFor(file)].map((each) => ({ ...each, name: nameUnder(client, each.name), node: client.node })),
  );
  if (isOwn) return [ours, again, ...underOthers, ...leastsFor(file), ...tools, ...real];
  // Their hashes are those of the order in which we write.
  return [ours, ...leastsFor(file).filter(({ words }) => !words.includes("hashing")), ...tools];
}

function leastsFor(file) {
  return Object.entries(leasts).map(([name, what]) => ({ name, words: ["leastFold", file, what] }));
}

function clientOn({ name, node, sessionManager }, file) {
  return { name, node, words: ["openClient", sessionManager, file] };
}

/** Who opens the larger ones at all, and with what memory. */
function compareSizes(question) {
  const rows = [["session", "contender", "call ms", "peak MB", "speed of ours"]];
  for (const sizeMb of sizesMb) {
    const file = join(question.folder, "session.jsonl");
    const { version, digest } = growSession(file, sizeMb * 2 ** 20, sizeMb * commitsPerMb);
    const ours = { name: "session-journal", isOurs: true, words: ["open", file] };
    const real = clients.map((client) => ({ ...clientOn(client, file), mayFail: true }));
    const runs = question.interleave([ours, ...real], roundsOfSizes);
    rmSync(file);
    const own = runs.get(ours.name);
    if (own.some((run) => run.version !== version || run.digest !== digest))
      throw new Error(`${sizeMb} MB: read wrongly`);
    for (const [name, answers] of runs) rows.push([`${sizeMb} MB`, name, ...sizeCells(answers, own)]);
  }
  question.table(`Medians of three rounds, ${commitsPerMb} commits in each MB; memory of the whole process.`, rows);
}

function sizeCells(answers, own) {
  const failed = answers.find((answer) => answer.failed !== undefined);
  if (failed !== undefined) return ["cannot", "", failed.failed];
  const ratio = ratioOf(answers, "ms", own).toFixed(1);
  return [milliseconds(medianOf(answers, "ms")), medianOf(answers, "peakMb").toFixed(0), `${ratio} ×`];
}

function rowOf(variant, name, answers, runs) {
  if (answers.some(({ failed }) => failed)) return [variant, name, "cannot", "", "", ""];
  const isTool = answers[0].ms === undefined;
  const field = isTool ? "wallMs" : "ms";
  const client = clients.find((each) => each.name === name);
  const under = clients.find((each) => name.endsWith(`, Node of ${each.name}`)) ?? client;
  const ours = runs.get(under === undefined ? "session-journal" : nameUnder(under));
  const [wall, grep] = [medianOf(answers, "wallMs"), runs.get("grep -cF")];
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

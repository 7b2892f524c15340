// How do eight processes fare that write to one journal, against eight that write to one SQLite database?
import { fork } from "node:child_process";
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { library } from "./lib/dist.mjs";
import { growSession } from "./lib/grow-session.mjs";
import { medianOf, ratioOf } from "./lib/measure.mjs";
import { fairness, milliseconds, quantile } from "./lib/numbers.mjs";
import { profiling } from "./lib/profiling.mjs";
import { ask } from "./lib/question.mjs";
import { appender, openPlain } from "./lib/sqlite.mjs";

const processes = 8;
const rounds = 2;
const forMs = 1500;
/** Each on a file of its own, before they begin: it takes an engine some thousand calls to compile what it runs. */
const warmUps = 1500;
/** Not counted: at first they all open, and take their first snapshots. */
const warmUpMs = 700;
const outstanding = 32;
const spacingMs = 50;

await ask(import.meta.filename, "How do eight processes fare that write to one journal?", { together, write }, compare);

/** `how` is "flat out" or "paced"; starts the processes, lets them begin at once and checks what they have left. */
async function together(folder, how, who, lock, grown) {
  const file = join(folder, `${process.pid}.${who === "sqlite" ? "db" : "jsonl"}`);
  if (grown) copyFileSync(grown, file);
  else await make(file, who);
  const before = await countIn(file, who);
  const { SESSION_JOURNAL_PROFILE: profile, ...env } = process.env;
  const writers = Array.from({ length: processes }, (_, index) =>
    fork(import.meta.filename, ["write", file, how, who, ...(lock ? [lock] : [])], {
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: profile !== undefined && index === 0 ? process.env : env,
    }),
  );
  await Promise.all(writers.map(message));
  const startMs = Date.now() + 200;
  for (const writer of writers) writer.send({ startMs });
  const written = await Promise.all(writers.map(message));
  const found = (await countIn(file, who)) - before;
  rmSync(file);
  const counts = written.map(({ waits }) => waits.length);
  const total = written.reduce((sum, { count }) => sum + count, 0);
  if (found !== total) throw new Error(`${total} were acknowledged, ${found} are there`);
  const waits = written.flatMap(({ waits }) => waits);
  return {
    perSecond: (waits.length * 1000) / Math.max(...written.map(({ elapsedMs }) => elapsedMs)),
    fairness: fairness(counts),
    longestMs: Math.max(...waits),
    p50: quantile(waits, 0.5),
    p99: quantile(waits, 0.99),
  };
}

function message(child) {
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`a writer ended with ${code}`)));
  });
}

async function make(file, who) {
  if (who === "sqlite") openPlain(file, "FULL").close();
  else await (await (await library()).openJournal(file)).close();
}

async function countIn(file, who) {
  if (who === "sqlite") return openPlain(file, "FULL").prepare("SELECT count(*) AS count FROM events").get().count;
  const journal = await (await library()).openJournal(file, { readonly: true });
  const { ok } = await journal.verify();
  if (!ok) throw new Error(`${file} is damaged`);
  return journal.version;
}

/** One of the eight. */
async function write(file, how, who, lock = "always") {
  await warmUp(`${file}.${process.pid}`, who, lock);
  const { append, close } = await (who === "sqlite" ? sqliteWriter(file, "FULL") : journalWriter(file, "fsync", lock));
  process.send("ready");
  const { startMs } = await message(process);
  const endProfile = await profiling();
  await sleep(startMs - Date.now());
  const start = performance.now();
  const done = how === "paced" ? await paced(append) : await flatOut(append, who === "sqlite" ? 1 : outstanding);
  const elapsedMs = performance.now() - start - warmUpMs;
  await endProfile();
  await close();
  // By its end: who waits all the time has asked while the others warmed up.
  const waits = done.filter(({ askedMs, waitMs }) => askedMs + waitMs >= start + warmUpMs).map(({ waitMs }) => waitMs);
  await new Promise((resolve) => process.send({ count: done.length, waits, elapsedMs }, resolve));
  process.disconnect();
}

async function warmUp(file, who, lock) {
  const { append, close } = await (who === "sqlite" ? sqliteWriter(file, "NORMAL") : journalWriter(file, "os", lock));
  for (let index = 0; index < warmUps; index++) await append(`finding ${index}: ${"x".repeat(200)}`);
  await close();
}

async function sqliteWriter(file, synchronous) {
  const database = openPlain(file, synchronous);
  const append = appender(database);
  return { append: (text) => append({ type: "notes.set", text }), close: () => database.close() };
}

async function journalWriter(file, durability, mode) {
  const { openJournal } = await library();
  const journal = await openJournal(file, { durability, lock: { mode } });
  return { append: (content) => journal.apply({ action: "set_notes", content }), close: () => journal.close() };
}

/** The next as soon as one is done. SQLite waits inside the call, so more than one at a time would not change anything. */
async function flatOut(append, lanes) {
  const end = performance.now() + warmUpMs + forMs;
  const done = [];
  const lane = async () => {
    while (performance.now() < end) {
      const askedMs = performance.now();
      await append(`finding ${done.length}: ${"x".repeat(200)}`);
      done.push({ askedMs, waitMs: performance.now() - askedMs });
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return done;
}

/** At its time, whether or not the one before is done; what is late because of one before has waited since its time. */
async function paced(append) {
  const start = performance.now() + Math.random() * spacingMs;
  const done = [];
  const asked = Array.from({ length: (warmUpMs + forMs) / spacingMs }, async (_, index) => {
    const askedMs = start + index * spacingMs;
    await sleep(askedMs - performance.now());
    await append(`finding ${index}: ${"x".repeat(200)}`);
    done.push({ askedMs, waitMs: performance.now() - askedMs });
  });
  await Promise.all(asked);
  return done;
}

function compare(question) {
  const { folder } = question;
  const contender = (name, how, who, lock, grown) => ({
    name,
    isOurs: who === "journal",
    words: ["together", folder, how, who, lock ?? "", grown ?? ""],
  });

  const grown = join(folder, "grown.jsonl");
  growSession(grown, 256 * 2 ** 20, 3600);
  const busy = question.interleave(
    [
      contender("session-journal, lock on", "flat out", "journal"),
      contender("session-journal, lock off", "flat out", "journal", "off"),
      contender("SQLite FULL", "flat out", "sqlite"),
      contender("a session of 256 MB, lock off", "flat out", "journal", "off", grown),
    ],
    rounds,
  );
  const [on, off, sqlite, large] = [...busy.values()];
  question.table(`Flat out: ${outstanding} outstanding each; SQLite: a transaction each.`, [
    ["", "events a second", "fairness", "wait p50 ms", "p99", "longest"],
    ...[...busy].map(([name, runs]) => [
      name,
      medianOf(runs, "perSecond").toFixed(0),
      medianOf(runs, "fairness").toFixed(3),
      ...["p50", "p99", "longestMs"].map((field) => milliseconds(medianOf(runs, field))),
    ]),
  ]);
  question.gate("rate off", ratioOf(off, "perSecond", sqlite));
  question.gate("rate", ratioOf(on, "perSecond", sqlite));
  question.gate("fairness", Math.min(...[on, off].map((runs) => medianOf(runs, "fairness"))));
  question.gate("wait", Math.max(...[on, off].map((runs) => ratioOf(runs, "longestMs", sqlite))));
  question.gate("unlocked", ratioOf(off, "perSecond", on));
  question.gate("large", medianOf(large, "p99"));

  const calm = question.interleave(
    [
      contender("session-journal, lock on", "paced", "journal"),
      contender("session-journal, lock off", "paced", "journal", "off"),
      contender("SQLite FULL", "paced", "sqlite"),
    ],
    rounds,
  );
  const [locked, free, paced] = [...calm.values()];
  question.table("20 events a second each: how late an event is acknowledged after its time.", [
    ["", "p50 ms", "p99", "longest", "p99 against SQLite"],
    ...[...calm].map(([name, runs]) => [
      name,
      ...["p50", "p99", "longestMs"].map((field) => milliseconds(medianOf(runs, field))),
      `${ratioOf(runs, "p99", paced).toFixed(2)} ×`,
    ]),
  ]);
  question.gate("lock", ratioOf(locked, "p99", paced));
  question.gate("free", ratioOf(free, "p99", paced));
}

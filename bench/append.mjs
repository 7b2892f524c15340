// What does an append cost, with each durability, with the lock and without, alone and many at once, against the client's
// own append, SQLite and the bare system calls?
import {
  close,
  closeSync,
  copyFileSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readSync,
  rmdirSync,
  statSync,
  writeSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { clients } from "./lib/clients.mjs";
import { library } from "./lib/dist.mjs";
import { leastAppender, leastLibrary } from "./lib/least-append.mjs";
import { medianOf, ratioOf } from "./lib/measure.mjs";
import { median, quantile } from "./lib/numbers.mjs";
import { profiling } from "./lib/profiling.mjs";
import { ask } from "./lib/question.mjs";
import { appender, openPlain } from "./lib/sqlite.mjs";

const fixture = resolve(import.meta.dirname, "../fixtures/sessions/pi-0.73.1.jsonl");
const rounds = 9;
/** Not counted: it takes an engine some thousand calls to compile what it runs. What the first of them cost is a column. */
const warmUps = 3000;
const firstCalls = 300;
const appends = 1000;
const outstanding = 32;
const off = { lock: { mode: "off" } };

await ask(
  import.meta.filename,
  "What does an append cost?",
  { ours, together, least, decided, client, sqlite, raw, rawLocked },
  compare,
);

function textOf(index) {
  return `finding ${index}: ${"x".repeat(200)}`;
}

async function ours(folder, options) {
  const file = sessionIn(folder);
  const before = statSync(file).size;
  const { openJournal } = await library();
  const journal = await openJournal(file, JSON.parse(options));
  const times = await timed((index) => journal.apply({ action: "set_notes", content: textOf(index) }));
  await journal.close();
  await check(file, warmUps + appends);
  return { ...times, bytes: Math.round((statSync(file).size - before) / (warmUps + appends)) };
}

/** Microseconds for each, with so many asked at a time. */
async function together(folder, options) {
  const file = sessionIn(folder);
  const { openJournal } = await library();
  const journal = await openJournal(file, JSON.parse(options));
  const flush = (index) =>
    Promise.all(
      Array.from({ length: outstanding }, (_, one) =>
        journal.apply({ action: "set_notes", content: textOf(index * outstanding + one) }),
      ),
    );
  const flushes = Math.ceil((warmUps + appends) / outstanding);
  const times = [];
  for (let index = 0; index < flushes; index++) {
    const start = performance.now();
    await flush(index);
    times.push(((performance.now() - start) * 1000) / outstanding);
  }
  await journal.close();
  await check(file, flushes * outstanding);
  return summary(times, outstanding);
}

/** A fast append that lost something is no append. */
async function check(file, count) {
  const { openJournal } = await library();
  const journal = await openJournal(file, { readonly: true });
  const { ok } = await journal.verify();
  if (!ok || !journal.state.notes.startsWith(`finding ${count - 1}:`)) throw new Error(`${file}: appends are missing`);
}

function least(folder, options = "{}") {
  const append = leastAppender(sessionIn(folder), JSON.parse(options));
  return timed((index) => append(textOf(index)));
}

/** With the library's own function that decides, and nothing else of it. */
async function decided(folder, options = "{}") {
  const append = await leastLibrary(sessionIn(folder), JSON.parse(options));
  return timed((index) => append(textOf(index)));
}

async function client(folder, sessionManager) {
  const { SessionManager } = await import(sessionManager);
  const session = SessionManager.open(sessionIn(folder));
  return timed((index) => session.appendCustomEntry("openclaw:scratchpad:notes", textOf(index)));
}

function sqlite(folder, synchronous) {
  const database = openPlain(join(folder, `${process.pid}.db`), synchronous);
  const append = appender(database);
  return timed((index) => append({ type: "notes.set", text: textOf(index), at: new Date().toISOString() }));
}

function raw(folder, bytes) {
  const descriptor = openSync(sessionIn(folder), "a");
  const line = `${"x".repeat(Number(bytes) - 1)}\n`;
  const times = timed(() => {
    writeSync(descriptor, line);
    fdatasyncSync(descriptor);
  });
  return times.finally(() => closeSync(descriptor));
}

/**
 * The same in a lock that is a folder, and read back: nothing else, and no library. As with ours, it is free before the disk is
 * waited for. With `held`, the folder is open until after that, so that its block becomes free beside what follows.
 */
function rawLocked(folder, bytes, held) {
  const descriptor = openSync(sessionIn(folder), "a+");
  const side = join(folder, `${process.pid}.locks`);
  const lock = join(side, "lock");
  mkdirSync(side);
  const line = Buffer.from(`${"x".repeat(Number(bytes) - 1)}\n`);
  const found = Buffer.alloc(line.length);
  let end = statSync(join(folder, `${process.pid}.jsonl`)).size;
  const times = timed(() => {
    mkdirSync(lock);
    const open = held && openSync(lock, "r");
    writeSync(descriptor, line);
    readSync(descriptor, found, 0, found.length, end);
    if (!found.equals(line)) throw new Error("other bytes stand there");
    end += line.length;
    rmdirSync(lock);
    fdatasyncSync(descriptor);
    if (held) close(open, () => undefined);
  });
  return times.finally(() => closeSync(descriptor));
}

function sessionIn(folder) {
  const file = join(folder, `${process.pid}.jsonl`);
  copyFileSync(fixture, file);
  return file;
}

async function timed(append) {
  const times = [];
  let endProfile;
  for (let index = 0; index < warmUps + appends; index++) {
    if (index === warmUps) endProfile = await profiling();
    const start = performance.now();
    await append(index);
    times.push((performance.now() - start) * 1000);
  }
  await endProfile();
  return summary(times, 1);
}

/** `size`: how many appends each time is of. */
function summary(times, size) {
  const counted = times.slice(Math.ceil(warmUps / size));
  const first = median(times.slice(0, Math.ceil(firstCalls / size)));
  return { us: median(counted), p99: quantile(counted, 0.99), first };
}

function compare(question) {
  const { folder } = question;
  quick(question);
  durable(question);

  function quick() {
    const runs = question.interleave(
      [
        { name: "durability os, lock off", isOurs: true, words: ["ours", folder, json({ durability: "os", ...off })] },
        ...clients.map(({ name, node, sessionManager }) => ({ name, node, words: ["client", folder, sessionManager] })),
        { name: "only what the format asks", words: ["least", folder] },
        { name: "the same, queued, decided and answered", words: ["decided", folder] },
        { name: "SQLite WAL NORMAL", words: ["sqlite", folder, "NORMAL"] },
      ],
      rounds,
    );
    const own = runs.get("durability os, lock off");
    question.table("An answer once the operating system has it.", table(runs, own));
    question.gate("sqlite", ratioOf(own, "us", runs.get("SQLite WAL NORMAL")));
  }

  function durable() {
    const bytes = question.interleave(
      [{ name: "size", words: ["ours", folder, json({ durability: "os", ...off })] }],
      1,
    );
    const size = String(bytes.get("size")[0].bytes);
    const runs = question.interleave(
      [
        { name: "write + fdatasync", words: ["raw", folder, size] },
        { name: "durable, lock off", isOurs: true, words: ["ours", folder, json(off)] },
        { name: "durable, lock on", isOurs: true, words: ["ours", folder, json({})] },
        { name: `durable, lock on, ${outstanding} at once`, isOurs: true, words: ["together", folder, json({})] },
        { name: "mkdir + write + read + rmdir + fdatasync", words: ["rawLocked", folder, size] },
        { name: "the same, the folder open until then", words: ["rawLocked", folder, size, "held"] },
        { name: "only what the format asks", words: ["least", folder, json({ isDurable: true })] },
        { name: "the same, queued, decided and answered", words: ["decided", folder, json({ isDurable: true })] },
        {
          name: "only what the format asks, in a lock",
          words: ["least", folder, json({ isDurable: true, lock: join(folder, "lock") })],
        },
        { name: "SQLite WAL FULL", words: ["sqlite", folder, "FULL"] },
      ],
      rounds,
    );
    const [bare, free, locked, group] = [...runs.values()];
    question.table("An answer once the disk has it.", table(runs, bare));
    question.gate("off", overOf(free, bare));
    question.gate("on", overOf(locked, bare));
    question.gate("group", ratioOf(locked, "us", group));
  }
}

/** The median of the rounds' own differences, µs. */
function overOf(runs, base) {
  return median(runs.map(({ us }, round) => us - base[round].us));
}

function table(runs, base) {
  const [first] = [...runs].find(([, answers]) => answers === base);
  const heading = ["one append", "median µs", "p99 µs", `of the first ${firstCalls}`, "bytes", `against ${first}`];
  const cells = [...runs].map(([name, answers]) => [
    name,
    medianOf(answers, "us").toFixed(0),
    medianOf(answers, "p99").toFixed(0),
    medianOf(answers, "first").toFixed(0),
    answers[0].bytes ?? "",
    `${ratioOf(answers, "us", base).toFixed(2)} ×`,
  ]);
  return [heading, ...cells];
}

function json(options) {
  return JSON.stringify(options);
}

// How long does it take to resume a session with a snapshot, current or behind, against its size, against SQLite and
// against the bare system calls?
import { fstatSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { open as openFile } from "node:fs/promises";
import { join } from "node:path";
import { library } from "./lib/dist.mjs";
import { growSession } from "./lib/grow-session.mjs";
import { leastResume } from "./lib/least-resume.mjs";
import { digestOf, medianOf, ratioOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { snapshotOf, tailOf, withSnapshots } from "./lib/prepared.mjs";
import { profiling } from "./lib/profiling.mjs";
import { ask } from "./lib/question.mjs";
import { openPlain } from "./lib/sqlite.mjs";

/** Calls of about a millisecond in processes of their own: the more the better. */
const rounds = 21;
/** As many in each size, so that the sizes differ in nothing else. */
const commits = 200;
/** As in a session of 256 MB with 3,600 events. */
const commitsPerMb = 14;
const megabyte = 2 ** 20;
const leastName = "only what no reader can leave out";

await ask(
  import.meta.filename,
  "How long does it take to resume a session?",
  { open, least, pread, preadAsync, sqlite },
  compare,
);

/** The first call of a process that has loaded the library; so are all below. */
async function open(file) {
  const { openJournal } = await library();
  const endProfile = await profiling();
  const start = performance.now();
  const { version, state } = await openJournal(file, { readonly: true });
  const ms = performance.now() - start;
  await endProfile();
  return { ms, version, digest: digestOf(state) };
}

async function least(file) {
  const { state, ...answer } = await leastResume(file, snapshotOf(file));
  return { ...answer, digest: digestOf(state) };
}

function pread(file) {
  const bytes = Buffer.alloc(65_536);
  const start = performance.now();
  const descriptor = openSync(file, "r");
  const { size } = fstatSync(descriptor);
  readSync(descriptor, bytes, 0, bytes.length, Math.max(0, size - bytes.length));
  return { ms: performance.now() - start };
}

async function preadAsync(file) {
  const bytes = Buffer.alloc(65_536);
  const start = performance.now();
  const handle = await openFile(file, "r");
  const { size } = await handle.stat();
  await handle.read(bytes, 0, bytes.length, Math.max(0, size - bytes.length));
  return { ms: performance.now() - start };
}

/** The snapshot and the rows after it, each parsed, as `what` says: "lines" or "events". */
async function sqlite(file, what) {
  const { evolve } = await library();
  const start = performance.now();
  const database = openPlain(file, "NORMAL");
  const snapshot = database.prepare("SELECT version, state FROM snapshots ORDER BY version DESC LIMIT 1").get();
  let { version } = snapshot;
  let state = JSON.parse(snapshot.state);
  const rows = database.prepare(`SELECT ${what.slice(0, -1)} AS text FROM ${what} WHERE version > ?`).all(version);
  for (const { text } of rows) {
    const value = JSON.parse(text);
    for (const event of what === "events" ? [value] : (value.data?.events ?? [])) {
      state = evolve(state, event);
      version += 1;
    }
  }
  return { ms: performance.now() - start, version, digest: digestOf(state) };
}

async function compare(question) {
  current(question);
  await behind(question);
}

function current(question) {
  const sizes = [
    ["1 MB", megabyte, commits],
    ["500 MB", 500 * megabyte, commits],
    ["500 MB, 7000 commits", 500 * megabyte, 500 * commitsPerMb],
  ].map(([name, sizeBytes, count]) => {
    const grown = join(question.folder, "grown.jsonl");
    const expected = growSession(grown, sizeBytes, count);
    const fileOf = withSnapshots(join(question.folder, name), grown);
    rmSync(grown);
    return { name, expected, fileOf };
  });
  const [small] = sizes;
  const runs = question.interleave(
    [
      ...sizes.map(({ name, fileOf }) => ({ name, isOurs: true, words: (build) => ["open", fileOf(build)] })),
      { name: leastName, words: ["least", small.fileOf({ name: "new" })] },
      { name: "open + fstat + one pread", words: ["pread", small.fileOf({ name: "new" })] },
      { name: "the same with promises", words: ["preadAsync", small.fileOf({ name: "new" })] },
    ],
    rounds,
  );
  for (const { name, expected } of sizes) check(name, runs.get(name), expected);
  check(leastName, runs.get(leastName), small.expected);
  const bare = runs.get("open + fstat + one pread");
  question.table(`With a current snapshot; ${commits} commits unless it says otherwise; the bare calls read 64 KB.`, [
    ["first call of a process", "ms", "against the bare calls"],
    ...rowsOf(runs, bare),
  ]);
  question.gate("size", ratioOf(runs.get("500 MB"), "ms", runs.get("1 MB")));
  for (const { name } of sizes) rmSync(join(question.folder, name), { recursive: true });
}

async function behind(question) {
  const grown = join(question.folder, "grown.jsonl");
  const expected = growSession(grown, 20 * megabyte, 20 * commitsPerMb);
  const fileOf = withSnapshots(question.folder, grown, megabyte);
  const database = join(question.folder, "session.db");
  await fill(database, grown);
  const runs = question.interleave(
    [
      { name: "session-journal", isOurs: true, words: (build) => ["open", fileOf(build)] },
      { name: leastName, words: ["least", fileOf({ name: "new" })] },
      { name: "SQLite, a row a line", words: ["sqlite", database, "lines"] },
      { name: "SQLite, a row an event", words: ["sqlite", database, "events"] },
    ],
    rounds,
  );
  for (const [name, answers] of runs) check(name, answers, expected);
  const lines = runs.get("SQLite, a row a line");
  question.table("With 1 MB of messages and commits after the snapshot; the last row is SQLite without the messages.", [
    ["first call of a process", "ms", "against SQLite, a row a line"],
    ...rowsOf(runs, lines),
  ]);
  question.gate("tail", ratioOf(runs.get("session-journal"), "ms", lines));
}

/** A snapshot of all but the last MB, and what comes after it: as the session's lines, and as events alone. */
async function fill(database, file) {
  const { evolve, initialState } = await library();
  const connection = openPlain(database, "NORMAL");
  connection.exec("CREATE TABLE lines (version INTEGER NOT NULL, line TEXT NOT NULL)");
  const [addLine, addEvent] = ["lines", "events"].map((table) =>
    connection.prepare(`INSERT INTO ${table} VALUES (?, ?)`),
  );
  const tail = tailOf(file, megabyte).toString();
  let state = initialState;
  let version = 0;
  for (const line of readFileSync(file, "utf8").split("\n").filter(isCommit)) {
    for (const event of JSON.parse(line).data.events) state = evolve(state, event);
    version += 1;
  }
  connection.prepare("INSERT INTO snapshots VALUES (?, ?)").run(version, JSON.stringify(state));
  for (const line of tail.trimEnd().split("\n")) {
    addLine.run(version + 1, line);
    if (!isCommit(line)) continue;
    version += 1;
    addEvent.run(version, JSON.stringify(JSON.parse(line).data.events[0]));
  }
  connection.close();
}

function isCommit(line) {
  return line.includes('"customType":"openclaw:scratchpad:events"');
}

function check(name, answers, expected) {
  const wrong = answers.find(({ version, digest }) => version !== expected.version || digest !== expected.digest);
  if (wrong !== undefined) throw new Error(`${name}: resumed wrongly: ${JSON.stringify(wrong)}`);
}

function rowsOf(runs, base) {
  return [...runs].map(([name, answers]) => [
    name,
    milliseconds(medianOf(answers, "ms")),
    `${ratioOf(answers, "ms", base).toFixed(2)} ×`,
  ]);
}

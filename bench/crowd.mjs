// How do 32 processes fare that write to one journal, on a session file, on SQLite and on JetStream?
import { fork } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { bareWriter, makeBare } from "./lib/bare-broker.mjs";
import { library } from "./lib/dist.mjs";
import { medianOf, ratioOf } from "./lib/measure.mjs";
import { startBroker } from "./lib/nats-server.mjs";
import { fairness, milliseconds, quantile } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 1;
/** Longer than the longest wait that is allowed. */
const forMs = 4000;
const warmUpMs = 1000;
/** Eight processes on two processors need so long until each has run what it does often enough to be compiled. */
const longWarmUpMs = 12_000;

await ask(import.meta.filename, "How do 32 processes fare that write to one journal?", { together, write }, compare);

/** Each appends the next as soon as the one before is done. */
async function together(address, count, warmUp = `${warmUpMs}`) {
  const where = address.replace("{pid}", `p${process.pid}`);
  const bare = bareOf(where);
  if (bare !== undefined) await makeBare(...bare);
  else await (await (await library()).openJournal(where)).close();
  const words = ["write", where, count, warmUp];
  const writers = Array.from({ length: Number(count) }, () =>
    fork(import.meta.filename, words, { stdio: ["ignore", "ignore", "inherit", "ipc"] }),
  );
  await Promise.all(writers.map(message));
  const startMs = Date.now() + 200;
  for (const writer of writers) writer.send({ startMs });
  const written = await Promise.all(writers.map(message));
  const waits = written.flatMap((each) => each.waits);
  return {
    perSecond: (waits.length * 1000) / forMs,
    fairness: fairness(written.map((each) => each.waits.length)),
    longestMs: Math.max(...waits),
    p99: quantile(waits, 0.99),
    errors: written.reduce((sum, { errors }) => sum + errors, 0),
  };
}

function message(child) {
  return new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", (code) => reject(new Error(`a writer ended with ${code}`)));
  });
}

/** Without the library: the server, and the name of a stream. */
function bareOf(where) {
  return where.startsWith("bare:") ? where.slice("bare:".length).split("/") : undefined;
}

async function writerOf(where, isAlone) {
  const bare = bareOf(where);
  if (bare !== undefined) return bareWriter(...bare, isAlone);
  const journal = await (await library()).openJournal(where);
  return {
    append: (index) => journal.notes.set(`finding ${index}: ${"x".repeat(200)}`),
    close: () => journal.close(),
  };
}

/** What fails is counted, and asked for again. */
async function write(where, count, warmUp) {
  const writer = await writerOf(where, count === "1");
  process.send("ready");
  const { startMs } = await message(process);
  await sleep(startMs - Date.now());
  const start = performance.now() + Number(warmUp);
  const waits = [];
  let errors = 0;
  for (let index = 0; performance.now() < start + forMs; index++) {
    const askedMs = performance.now();
    try {
      await writer.append(index);
    } catch (error) {
      if (errors === 0) console.error(error.message);
      errors += 1;
      continue;
    }
    if (askedMs >= start) waits.push(performance.now() - askedMs);
  }
  await writer.close();
  await new Promise((resolve) => process.send({ waits, errors }, resolve));
  process.disconnect();
}

async function compare(question) {
  const { folder } = question;
  const broker = await startBroker(folder);
  try {
    measure(question, [
      ["a session file", join(folder, "{pid}.jsonl")],
      ["SQLite", `sqlite:${join(folder, "{pid}.db")}#s`],
      ["JetStream", `nats://${broker.server}/{pid}#s`],
      ["bare clients of NATS", `bare:${broker.server}/{pid}`],
    ]);
  } finally {
    await broker.stop();
  }
}

function measure(question, [...places]) {
  const [bareName, bare] = places.pop();
  const [brokerName, broker] = places.at(-1);
  const long = `${longWarmUpMs}`;
  const pair = (name, where, ...more) =>
    ["8", "1"].map((count) => ({
      name: `${name}, ${count}`,
      isOurs: where !== bare,
      words: ["together", where, count, ...more],
    }));
  const later = `${brokerName} after ${longWarmUpMs / 1000} s`;
  const runs = question.interleave(
    [
      ...places.map(([name, where]) => ({ name: `${name}, 32`, isOurs: true, words: ["together", where, "32"] })),
      ...pair(brokerName, broker),
      ...pair(later, broker, long),
      ...pair(bareName, bare),
    ],
    rounds,
  );
  question.table("Durable, the next one as soon as the one before is done, for four seconds after the first one.", [
    ["writers", "events a second", "fairness", "p99 ms", "longest", "errors"],
    ...[...runs].map(([name, found]) => [
      name,
      medianOf(found, "perSecond").toFixed(0),
      medianOf(found, "fairness").toFixed(3),
      ...["p99", "longestMs"].map((field) => milliseconds(medianOf(found, field))),
      medianOf(found, "errors"),
    ]),
  ]);
  const share = (name, one = name) => ratioOf(runs.get(`${name}, 8`), "perSecond", runs.get(`${one}, 1`));
  question.table(
    "Eight processes against one. A bare client appends behind the newest record, and parses what it reads.",
    [
      ["eight writers", "against one of its kind", `against one of ${brokerName}`],
      ...[brokerName, later, bareName].map((name) => [
        name,
        share(name).toFixed(2),
        share(name, brokerName).toFixed(2),
      ]),
    ],
  );
  const crowds = places.map(([name]) => runs.get(`${name}, 32`));
  question.gate("errors", Math.max(...crowds.map((found) => medianOf(found, "errors"))));
  question.gate("fairness", Math.min(...crowds.map((found) => medianOf(found, "fairness"))));
  question.gate("wait", Math.max(...crowds.map((found) => medianOf(found, "longestMs"))) / 1000);
  question.gate("broker", share(brokerName));
  question.gate("warm broker", share(later));
}

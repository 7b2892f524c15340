// How long after an append does a follower show it, against a bare fs.watch that reads the new bytes? And does it ever
// stay behind?
import { fork } from "node:child_process";
import fs from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { library } from "./lib/dist.mjs";
import { medianOf, ratioOf } from "./lib/measure.mjs";
import { milliseconds, quantile } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 7;
/** Milliseconds between two appends, and how many there are in a round. */
const spacings = [
  [100, 40],
  [10, 200],
];
/** Not counted, a millisecond apart: it takes an engine some thousand calls to compile what it runs. */
const warmUps = 1500;
const warm = "warming up";
const bursts = 20;
/** Longer than any follower may take. */
const settleMs = 500;

/** On one machine the same clock in every process. */
function nowMs() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Milliseconds from each append to its being seen; each is seen once. */
async function follow(folder, who, spacingMs, count) {
  const file = sessionIn(folder);
  const times = [];
  const stop = await followers[who](file, (text) => {
    if (text !== warm) times.push(nowMs() - Number(text));
  });
  await sleep(300);
  const child = fork(import.meta.filename, ["append", file, spacingMs, count], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  await new Promise((resolve) => child.once("exit", resolve));
  await sleep(settleMs);
  await stop();
  return { seen: times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

/** As another runtime would, each with the time of its append. */
async function append(file, spacingMs, count) {
  for (let index = 0; index < warmUps; index++) {
    await sleep(1);
    fs.appendFileSync(file, lineOf(`w${index}`, warm));
  }
  await sleep(settleMs);
  for (let index = 0; index < Number(count); index++) {
    await sleep(Number(spacingMs));
    fs.appendFileSync(file, lineOf(index, String(nowMs())));
  }
}

/** After two appends at once, with nothing after them to wake anybody: how many of so many have not seen the second. */
async function stale(folder, who) {
  const file = sessionIn(folder);
  let newest = "";
  const stop = await followers[who](file, (text) => {
    newest = text;
  });
  let count = 0;
  for (let burst = 0; burst < bursts; burst++) {
    await sleep(50 + Math.random() * 100);
    fs.appendFileSync(file, lineOf(burst * 2, `first ${burst}`));
    fs.appendFileSync(file, lineOf(burst * 2 + 1, `second ${burst}`));
    await sleep(settleMs);
    if (newest !== `second ${burst}`) count += 1;
  }
  await stop();
  return { stale: count };
}

function sessionIn(folder) {
  const file = join(folder, `${process.pid}.jsonl`);
  const header = { type: "session", version: 3, id: "bench", timestamp: new Date(), cwd: "/" };
  fs.writeFileSync(file, `${JSON.stringify(header)}\n`);
  return file;
}

function lineOf(index, data) {
  const entry = { type: "custom", customType: "openclaw:scratchpad:notes", data, id: `${index}`, parentId: null };
  return `${JSON.stringify(entry)}\n`;
}

const followers = {
  async "fs.watch"(file, seen) {
    const descriptor = fs.openSync(file, "r");
    let position = fs.statSync(file).size;
    const watcher = fs.watch(file, () => {
      const bytes = Buffer.alloc(fs.fstatSync(descriptor).size - position);
      position += fs.readSync(descriptor, bytes, 0, bytes.length, position);
      for (const line of bytes.toString().split("\n").slice(0, -1)) seen(JSON.parse(line).data);
    });
    return () => {
      watcher.close();
      fs.closeSync(descriptor);
    };
  },

  async "session-journal"(file, seen) {
    const { openJournal } = await library();
    const journal = await openJournal(file, { readonly: true, follow: true });
    journal.onChange(({ state }) => seen(state.notes));
    return () => journal.close();
  },
};

function compare(question) {
  const rows = [["spacing", "follower", "seen", "p50 ms", "p99 ms", "p50 against fs.watch", "p99"]];
  const ratios = { p50: [], p99: [] };
  const each = (words) =>
    Object.keys(followers).map((who) => ({ name: who, isOurs: who === "session-journal", words: words(who) }));
  for (const [spacingMs, count] of spacings) {
    const runs = question.interleave(
      each((who) => ["follow", question.folder, who, String(spacingMs), String(count)]),
      rounds,
    );
    const bare = runs.get("fs.watch");
    for (const [name, answers] of runs) {
      const least = Math.min(...answers.map(({ seen }) => seen));
      if (least !== count && name !== "fs.watch") throw new Error(`${name} has shown ${least} of ${count}`);
      const [p50, p99] = ["p50", "p99"].map((field) => ratioOf(answers, field, bare));
      const times = ["p50", "p99"].map((field) => milliseconds(medianOf(answers, field)));
      rows.push([`${spacingMs} ms`, name, `${least}/${count}`, ...times, `${p50.toFixed(2)} ×`, `${p99.toFixed(2)} ×`]);
      if (answers === bare) continue;
      ratios.p50.push(p50);
      ratios.p99.push(p99);
    }
  }
  question.table("Lines as another runtime writes them.", rows);
  question.gate("p50", Math.max(...ratios.p50));
  question.gate("p99", Math.max(...ratios.p99));

  const bursts = question.interleave(
    each((who) => ["stale", question.folder, who]),
    1,
  );
  question.table("Readers that are behind half a second after two appends at once, of 20.", [
    ["follower", "stale"],
    ...[...bursts].map(([name, [{ stale }]]) => [name, stale]),
  ]);
  question.gate("stale", bursts.get("session-journal")[0].stale);
}

await ask(
  import.meta.filename,
  "How long after an append does a follower show it?",
  { follow, append, stale },
  compare,
);

// What does a session cost on a broker, and how many live ones does it bear? The constants of docs/scale.md:
// `node bench/scale.mjs [sessions [seconds]]`, 2000 and 10 unless said otherwise; the page's own were 100000 and 60.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openJournals } from "session-journal";
import { loadAverage, machine, printTable, withFolder } from "./lib/measure.mjs";
import { startBroker, usage } from "./lib/nats-server.mjs";
import { median, milliseconds } from "./lib/numbers.mjs";

const [sessions = 2000, seconds = 10] = process.argv.slice(2).map(Number);
/** Actions at once: agents that act at the same moment, in one process. */
const lanes = 32;
/** What an agent does before it is left alone again. */
const actionsMax = 3;
const content = (index) =>
  `finding ${index}: the token expires at once west of Greenwich; see src/auth/token.ts, line 88`;

async function main(folder) {
  console.log(`${machine()}; load ${loadAverage().join(" ")}`);
  const broker = await startBroker(folder);
  try {
    const journals = await openJournals(`nats://${broker.server}/scale`);
    const followers = await openJournals(`nats://${broker.server}/scale`);
    const begun = await measured(broker, folder, () => everySession(journals));
    const listedSeconds = await listed(followers);
    const ending = new AbortController();
    const told = follow(followers, ending.signal);
    await sleep(1000 + listedSeconds * 2000);
    const lived = await measured(broker, folder, () => randomSessions(journals));
    ending.abort();
    print(begun, lived, folder);
    console.log(`listing all took ${listedSeconds.toFixed(1)} s`);
    console.log(`a follower of all had been told ${await told} of ${lived.actions} live actions when they ended`);
    await journals.close();
    await followers.close();
  } finally {
    await broker.stop();
  }
}

/** A first action in each. */
async function everySession(journals) {
  let next = 0;
  return inLanes(async (acted) => {
    if (next >= sessions) return false;
    await act(journals, next++, 1, acted);
    return true;
  });
}

/** Sessions anywhere among all wake up, act and sleep, as fast as the machine bears it. */
async function randomSessions(journals) {
  const deadline = performance.now() + seconds * 1000;
  return inLanes(async (acted) => {
    if (performance.now() >= deadline) return false;
    await act(journals, Math.floor(Math.random() * sessions), 1 + Math.floor(Math.random() * actionsMax), acted);
    return true;
  });
}

async function inLanes(step) {
  const latencies = { wake: [], act: [] };
  const acted = (kind, from) => latencies[kind].push(performance.now() - from);
  const lane = async () => {
    while (await step(acted));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return latencies;
}

async function act(journals, session, actions, acted) {
  const opening = performance.now();
  const journal = await journals.open(`agent-${session}`);
  acted("wake", opening);
  for (let index = 0; index < actions; index++) {
    const acting = performance.now();
    await journal.apply({ action: "append_notes", content: content(index) });
    acted("act", acting);
  }
  await journal.close();
}

/** Seconds. */
async function listed(journals) {
  const start = performance.now();
  for await (const _ of journals.list());
  return (performance.now() - start) / 1000;
}

/** Counts what a follower of all sessions is told. */
async function follow(journals, signal) {
  let told = 0;
  for await (const change of journals.follow({ signal })) told += change.type === "event" ? 1 : 0;
  return told;
}

async function measured(broker, folder, work) {
  const before = { ...usage(broker.pid), bytes: bytesIn(folder), own: process.cpuUsage(), at: performance.now() };
  const { wake, act: acts } = await work();
  const after = usage(broker.pid);
  const own = process.cpuUsage(before.own);
  return {
    elapsedSeconds: (performance.now() - before.at) / 1000,
    actions: acts.length,
    wake,
    acts,
    residentMb: after.residentMb,
    brokerCpuSeconds: after.cpuSeconds - before.cpuSeconds,
    ownCpuSeconds: (own.user + own.system) / 1e6,
    bytes: bytesIn(folder) - before.bytes,
  };
}

function print(begun, lived, folder) {
  const row = (name, cell) => [name, cell(begun), cell(lived)];
  const at = (times, part) => milliseconds(times.sort((a, b) => a - b)[Math.floor(times.length * part)]);
  printTable([
    [`${sessions} sessions, ${lanes} at once`, "first action", "live"],
    row("actions a second", ({ actions, elapsedSeconds }) => (actions / elapsedSeconds).toFixed(0)),
    row("opening, median and p99 ms", ({ wake }) => `${milliseconds(median(wake))} ${at(wake, 0.99)}`),
    row("action, median and p99 ms", ({ acts }) => `${milliseconds(median(acts))} ${at(acts, 0.99)}`),
    row("broker CPU µs an action", ({ brokerCpuSeconds, actions }) => ((brokerCpuSeconds * 1e6) / actions).toFixed(0)),
    row("own CPU µs an action", ({ ownCpuSeconds, actions }) => ((ownCpuSeconds * 1e6) / actions).toFixed(0)),
    row("bytes on the broker's disk an action", ({ bytes, actions }) => (bytes / actions).toFixed(0)),
    row("broker resident MB", ({ residentMb }) => residentMb.toFixed(0)),
  ]);
  console.log(
    `own resident MB ${(process.memoryUsage().rss / 1048576).toFixed(0)}; ${(bytesIn(folder) / 1048576).toFixed(0)} MB on disk`,
  );
}

function bytesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
}

await withFolder(main);

/**
 * Everything at a low rate, for as long as it is told: `soak FILE WRITER DURATION_MS PAUSE_MS SEED`. Two writers, one of
 * them another process, a host that tears and rewrites, followers, readers that come and go, snapshots. Prints what it
 * counted, and how much memory and how many descriptors it held at rest.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openJournal } from "../../src/open/open-journal.ts";
import { hostLine, hostOn } from "../fixtures/zoo.ts";
import { newRandom } from "./random.ts";
import type { Sample, Soaked } from "./soaked.ts";

const [file, writerFile, durationMs, pauseMs, seed] = process.argv.slice(2) as [string, string, string, string, string];
const random = newRandom(Number(seed));
const samples: Sample[] = [];
const samplesMax = Math.min(40, Math.ceil(Number(durationMs) / 1000));
const counts = { rewrites: 0, tears: 0, opens: 0, hostLines: 0, late: 0 };
const acknowledged: string[] = [];

const journal = await openJournal(file, { actor: "a" });
const follower = await openJournal(file, { readonly: true, follow: true });
const listener = await openJournal(file, { readonly: true });
const heard = { version: 0 };
const unlisten = listener.onChange(({ version }) => {
  heard.version = version;
});
const other = spawn(process.execPath, [writerFile, file, String(2 * Number(pauseMs))], {
  stdio: ["pipe", "pipe", "inherit"],
});
let printed = "";
other.stdout.setEncoding("utf8").on("data", (piece: string) => {
  printed += piece;
});

const begun = Date.now();
const endsAt = begun + Number(durationMs);
let sampleAt = begun;
for (let cycle = 0; Date.now() < endsAt; cycle++) {
  await live(cycle);
  if (Date.now() >= sampleAt) {
    sampleAt += Number(durationMs) / samplesMax;
    samples.push(await sample());
  }
  await sleep(Number(pauseMs));
}
const closed = once(other, "close");
other.stdin.end();
await closed;
await journal.apply({ action: "set_plan", content: "the end" }, { command: "a-end" });
await seen("the end");
samples.push(await sample());
const versions = [journal, follower, listener].map(({ version }) => version);
const soaked: Soaked = {
  acknowledged: [acknowledged, printed.trimEnd().split("\n")],
  samples,
  versions: [...versions, heard.version],
  exitCode: other.exitCode,
  ...counts,
};
unlisten();
await Promise.all([journal.close(), follower.close(), listener.close()]);
process.stdout.write(JSON.stringify(soaked));

async function live(cycle: number): Promise<void> {
  const command = `a-${cycle}`;
  const content = `${command} ${"x".repeat(random.below(300))}`;
  await journal.apply({ action: "set_notes", content }, { command });
  acknowledged.push(command);
  await talk();
  if (cycle % 7 === 3) await look();
  if (cycle % 11 === 5) await journal.snapshot();
  if (cycle % 20 === 10) await rewrite(cycle % 40 === 10);
}

/** What a host does all the time. */
async function talk(): Promise<void> {
  const host = hostOn(file);
  const line = hostLine(host, random.below(300));
  counts.hostLines += 1;
  if (random.chance(80)) {
    fs.appendFileSync(file, `${line}\n`);
    return;
  }
  counts.tears += 1;
  fs.appendFileSync(file, line.slice(0, 40));
  await sleep(random.below(40));
  fs.appendFileSync(file, `${line.slice(40)}\n`);
}

/** Somebody opens the session, follows it for a moment and goes. */
async function look(): Promise<void> {
  counts.opens += 1;
  const visitor = await openJournal(file, { readonly: true });
  const stop = new AbortController();
  const changes = visitor.changes({ from: Math.max(0, visitor.version - 3), signal: stop.signal });
  await changes.next();
  stop.abort();
  await visitor.lost();
  await visitor.close();
}

/** From memory that may be behind the file: `stale` takes our newest lines away. */
async function rewrite(stale: boolean): Promise<void> {
  counts.rewrites += 1;
  const { memory } = hostOn(file);
  const kept = stale ? memory.slice(0, -6) : memory;
  const text = kept.map((line) => `${line}\n`).join("");
  if (stale) fs.writeFileSync(file, text);
  else {
    fs.writeFileSync(`${file}.tmp`, text);
    fs.renameSync(`${file}.tmp`, file);
  }
}

async function seen(plan: string): Promise<void> {
  for (const deadline = Date.now() + 10_000; Date.now() < deadline; await sleep(20)) {
    if (follower.state.plan === plan && listener.state.plan === plan) return;
  }
  counts.late += 1;
}

/** At rest: after a collection, with nothing asked. */
async function sample(): Promise<Sample> {
  await journal.refresh();
  await sleep(50);
  for (let times = 0; times < 3; times++) {
    globalThis.gc?.();
    await sleep(10);
  }
  const { heapUsed, rss } = process.memoryUsage();
  return { ms: Date.now() - begun, events: journal.version, heapUsed, rss, descriptors: descriptors() };
}

/** Of this process; 0 where the system does not say. */
function descriptors(): number {
  try {
    return fs.readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}

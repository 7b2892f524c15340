/** Eight writers, a host that tears lines, signals at any moment: what a storm is made of. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Program } from "../store/process/spawn.ts";
import type { Random } from "./random.ts";

export interface Storm {
  readonly file: string;
  readonly mode: "always" | "off";
  readonly durability: "fsync" | "os";
  readonly kills: number;
  readonly writers: number;
  /** The least that the lock's stale time can be: a stop is longer. */
  readonly staleMs: number;
}

export interface Weather {
  /** By writer, in its order. */
  readonly acknowledged: readonly (readonly string[])[];
  readonly kills: number;
  readonly stops: number;
  readonly hostLines: number;
  readonly hostTears: number;
}

/** Runs until all kills are done. `meanwhile` is called again and again. */
export async function storm(program: Program, plan: Storm, random: Random, meanwhile: () => Promise<void>) {
  const count = { kills: 0, stops: 0, hostLines: 0, hostTears: 0 };
  let over = false;
  const host = (async () => {
    while (!over) await talk(plan.file, count, random);
  })();
  const looks = (async () => {
    while (!over) {
      await meanwhile();
      await sleep(20 + random.below(60));
    }
  })();
  const slots = Array.from({ length: plan.writers }, (_, index) => live(program, plan, `w${index}`, count, random));
  try {
    const acknowledged = await Promise.all(slots);
    const weather: Weather = { acknowledged, ...count };
    return weather;
  } finally {
    over = true;
    await Promise.all([host, looks]);
  }
}

type Count = { kills: number; stops: number; hostLines: number; hostTears: number };

let entries = 0;

/** Whole, in two writes with a pause that may be longer than anyone waits, or never to its end. */
async function talk(file: string, count: Count, random: Random): Promise<void> {
  entries += 1;
  const id = entries.toString(16).padStart(8, "0");
  const message = { role: random.chance(50) ? "user" : "assistant", content: "x".repeat(random.below(400)) };
  const line = `${JSON.stringify({ type: "message", id, parentId: null, timestamp: "2026-11-21T21:00:00.000Z", message })}\n`;
  if (random.chance(70)) fs.appendFileSync(file, line);
  else {
    const cut = 1 + random.below(line.length - 2);
    fs.appendFileSync(file, line.slice(0, cut));
    count.hostTears += 1;
    await sleep(random.below(45));
    if (random.chance(70)) fs.appendFileSync(file, line.slice(cut));
  }
  count.hostLines += 1;
  await sleep(random.below(25));
}

/** Writes until it is killed, a random while after its first acknowledgement, and starts again where it was. */
async function live(program: Program, plan: Storm, name: string, count: Count, random: Random): Promise<string[]> {
  const acknowledged: string[] = [];
  while (count.kills < plan.kills) {
    count.kills += 1;
    const { child, first, lines } = begin(program, plan, name, acknowledged.length);
    const closed = once(child, "close");
    await Promise.race([first, closed]);
    if (child.exitCode !== null) throw new Error(`${name} ended by itself: ${child.exitCode}`);
    await sleep(random.below(150));
    if (random.chance(plan.kills > 50 ? 10 : 20)) {
      child.kill("SIGSTOP");
      count.stops += 1;
      await sleep(plan.staleMs + 200 + random.below(400));
      // Some die while they are stopped, the others wake with what they believed.
      if (random.chance(75)) {
        child.kill("SIGCONT");
        await sleep(random.below(60));
      }
    }
    child.kill("SIGKILL");
    await closed;
    acknowledged.push(...lines());
  }
  return acknowledged;
}

function begin(program: Program, plan: Storm, name: string, from: number) {
  const { file, mode, durability, staleMs } = plan;
  const given = [file, name, String(from), "1000000", mode, durability, String(staleMs)];
  const child: ChildProcess = spawn(process.execPath, [program.file, ...given], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  const first = new Promise<void>((resolve) => {
    child.stdout?.setEncoding("utf8").on("data", (piece: string) => {
      text += piece;
      resolve();
    });
  });
  return { child, first, lines: () => text.split("\n").slice(0, -1) };
}

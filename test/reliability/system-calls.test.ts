/**
 * Each system call fails at its n-th time, once and for ever, with everything that a disk answers; then all of them fail at
 * random. Nothing is acknowledged that is not there, nothing is thrown that is not documented, and once the fault is gone
 * everything can be written. On the built package, in processes of their own; `failing-calls.strace.test.ts` has the
 * kernel do the failing.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { newRandom, type Random } from "./random.ts";
import { isFull, recordResult } from "./results.ts";

const suite = "reliability/system-calls.test.ts";
const calls = ["open", "read", "write", "fdatasync", "fsync", "stat", "fstat", "rename", "mkdir", "unlink", "close"];
const errors = ["ENOSPC", "EIO", "EINTR", "EMFILE", "EACCES"];
const processes = isFull ? 4 : 2;
const nthMax = isFull ? 16 : 6;

interface Case {
  readonly name: string;
  readonly stage: "create" | "append";
  readonly durability: "fsync" | "os";
  readonly lock: "always" | "off";
  readonly fault: object;
}

interface Outcome {
  readonly name: string;
  /** How often the disk's failure was told. */
  readonly failures: number;
  readonly violations: readonly string[];
}

function orders(): Case[] {
  const all: Case[] = [];
  for (const stage of ["create", "append"] as const)
    for (const call of calls)
      for (const error of call === "write" ? [...errors, "SHORT"] : errors)
        for (let nth = 1; nth <= nthMax; nth++)
          for (const times of [1, 3, undefined]) {
            const durability = call.includes("sync") || all.length % 3 > 0 ? "fsync" : "os";
            const lock = all.length % 5 > 0 ? "always" : "off";
            const name = `${stage}, ${durability}, lock ${lock}: ${call} ${error} from ${nth} on, ${times ?? "ever"}`;
            all.push({ name, stage, durability, lock, fault: { call, error, nth, times } });
          }
  return all;
}

/** Dealt in turn, the strongest first: weak ones alone may not meet a failure that anybody is told. */
const probabilities = [0.6, 0.2, 0.05, 0.01];

function storms(count: number, random: Random): Case[] {
  return Array.from({ length: count }, (_, at) => {
    const seed = random.below(2 ** 31);
    const probability = probabilities[at % probabilities.length];
    const name = `storm ${seed}, ${probability}`;
    const fault = { seed, probability, errors: [...errors, "SHORT"] };
    return {
      name,
      stage: random.chance(30) ? "create" : "append",
      durability: "fsync",
      lock: "always",
      fault,
    } as const;
  });
}

function sample<Item>(all: readonly Item[], count: number, random: Random): Item[] {
  return Array.from({ length: count }, () => all[random.below(all.length)] as Item);
}

/** Dealt out to processes. */
async function run(cases: readonly Case[]): Promise<Outcome[]> {
  const hands = Array.from({ length: processes }, (_, hand) => cases.filter((_, at) => at % processes === hand));
  const outcomes = await Promise.all(hands.filter((hand) => hand.length > 0).map(runInProcess));
  return outcomes.flat();
}

async function runInProcess(cases: readonly Case[]): Promise<Outcome[]> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, "fault-cases.mjs")]);
  child.stdin.end(cases.map((each) => JSON.stringify(each)).join("\n"));
  const [printed, said, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  expect({ code, said }).toEqual({ code: 0, said: "" });
  const outcomes = printed.trim().split("\n");
  expect(outcomes.length).toBe(cases.length);
  return outcomes.map((line) => JSON.parse(line) as Outcome);
}

function failuresIn(outcomes: readonly Outcome[]): number {
  expect(outcomes.filter(({ violations }) => violations.length > 0)).toEqual([]);
  const failures = outcomes.reduce((sum, each) => sum + each.failures, 0);
  expect(failures).toBeGreaterThan(0);
  return failures;
}

const random = newRandom();

/** These were violations once: what had been written was said not to be, for its size could not be asked for. */
const found: readonly Case[] = [
  { durability: "os", fault: { call: "fstat", error: "ENOSPC", nth: 5, times: 1 } } as const,
  { durability: "fsync", fault: { call: "fstat", error: "EMFILE", nth: 1, times: 3 } } as const,
].map((each) => ({ name: `found, ${each.durability}`, stage: "append", lock: "always", ...each }));

test(`whichever system call fails, once or for ever (seed ${random.seed})`, async () => {
  const all = orders();
  const cases = isFull ? all : [...found, ...sample(all, 12, random)];
  const failures = failuresIn(await run(cases));
  recordResult({
    suite,
    claim: "a system call that fails costs nothing that was acknowledged",
    size: `${cases.length} cases: ${calls.length} calls, ${errors.length} errors and short writes, at the first ${nthMax} times, once, three times and for ever`,
    seed: random.seed,
    outcome: `${failures} failures told, 0 violations`,
  });
}, 1_800_000);

test(`when any system call may fail (seed ${random.seed})`, async () => {
  const cases = storms(isFull ? 600 : 4, random);
  const failures = failuresIn(await run(cases));
  recordResult({
    suite,
    claim: "system calls that fail at random cost nothing that was acknowledged",
    size: `${cases.length} storms of 1 to 60 % failures`,
    seed: random.seed,
    outcome: `${failures} failures told, 0 violations`,
  });
}, 1_800_000);

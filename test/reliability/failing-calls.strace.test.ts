/**
 * The kernel itself lets system calls on a session and its side files fail, at the n-th time, once and for ever, by way of
 * strace. Otherwise as `system-calls.test.ts`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { hasTool } from "./loop-images.ts";
import { OrderedWriter, type Report } from "./ordered-writer.ts";
import { newRandom } from "./random.ts";
import { isFull, recordResult } from "./results.ts";

const calls = {
  open: "openat",
  read: "read,pread64",
  write: "write,pwrite64",
  fdatasync: "fdatasync",
  fsync: "fsync",
  stat: "statx,?fstat,?newfstatat",
  rename: "?rename,?renameat,?renameat2",
  mkdir: "?mkdir,?mkdirat",
} as const;
const errors = ["ENOSPC", "EIO", "EINTR", "EMFILE", "EACCES"];
const commands = ["c1", "c2", "c3"];
const random = newRandom();

interface Case {
  readonly call: string;
  readonly error: string;
  /** Which times of a thread, as strace has it. */
  readonly when: string;
}

/** No system call is interrupted for ever. */
const cases: Case[] = Object.values(calls).flatMap((call) =>
  errors.flatMap((error) =>
    ["1", "2", error === "EINTR" ? "1..9" : "1+", error === "EINTR" ? "3..9" : "3+"].map((when) => ({
      call,
      error,
      when,
    })),
  ),
);

let folder = "";
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

async function failing({ call, error, when }: Case, pid: number, places: readonly string[]): Promise<ChildProcess> {
  const filter = ["-e", `trace=${call}`, "-e", `inject=${call}:error=${error}:when=${when}`];
  const named = places.flatMap((place) => ["-P", place]);
  const tracer = spawn("strace", ["-f", "-o", "/dev/null", ...filter, ...named, "-p", String(pid)]);
  const [said] = (await Promise.race([once(tracer.stderr, "data"), once(tracer, "close")])) as [unknown];
  if (!String(said).includes("attached")) throw new Error(`strace: ${said}`);
  return tracer;
}

async function run(given: Case, name: string): Promise<Report> {
  const file = path.join(folder, `${name}.jsonl`);
  const side = path.join(folder, ".session-journal", path.basename(file));
  const writer = new OrderedWriter(file);
  try {
    await writer.write("c0");
    const places = [file, path.dirname(side), `${side}.lock`, `${side}.snapshot.json`, `${side}.snapshot.json.tmp`];
    const tracer = await failing(given, writer.pid, [folder, ...places]);
    await writer.write(...commands);
    await writer.order({ do: "snapshot" });
    await writer.order({ do: "close" });
    await writer.write("c4");
    const ended = once(tracer, "close");
    tracer.kill("SIGINT");
    await ended;
    return await writer.recover(["c0", ...commands, "c4"]);
  } finally {
    await writer.end();
  }
}

/** To be asked for by trying: containers often grant strace nothing. */
async function whyNot(): Promise<string | undefined> {
  if (!hasTool("strace")) return "strace";
  const sleeper = spawn("sleep", ["60"]);
  try {
    const tracer = await failing({ call: "fsync", error: "EIO", when: "1" }, sleeper.pid as number, []);
    const ended = once(tracer, "close");
    tracer.kill("SIGINT");
    await ended;
    return undefined;
  } catch {
    return "leave to trace";
  } finally {
    sleeper.kill();
  }
}

const missing = await whyNot();
if (missing !== undefined) {
  test(`the kernel is not made to fail, for want of ${missing}`, async () => {
    expect(await whyNot()).toBe(missing);
  });
} else {
  test(`whatever the kernel answers costs nothing that was acknowledged (seed ${random.seed})`, async () => {
    const tried = isFull ? cases : [cases[random.below(cases.length)] as Case];
    let failures = 0;
    for (const [index, each] of tried.entries()) {
      const report = await run(each, `session-${index}`);
      const unsettled = Object.entries(report.fates).filter(([, fate]) => fate !== "acknowledged");
      expect({ ...each, violations: report.violations, unsettled }).toEqual({ ...each, violations: [], unsettled: [] });
      failures += report.failures;
    }
    if (isFull) expect(failures).toBeGreaterThan(0);
    recordResult({
      suite: "reliability/failing-calls.strace.test.ts",
      claim: "a system call that the kernel lets fail costs nothing that was acknowledged",
      size: `${tried.length} cases: ${Object.keys(calls).length} calls, ${errors.length} errors, once and for ever`,
      seed: random.seed,
      outcome: `${failures} failures told, 0 violations`,
    });
  }, 1_800_000);
}

/**
 * The lock keeps writers out of each other's way. It cannot exclude them for certain, and need not: which commits count is decided by the
 * format. So a lock that does not come in time is left behind, and the writer goes on without.
 */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { because, type LockTrace, locking, traced } from "../../diagnostics.ts";
import { LockTimeoutError } from "../../errors.ts";
import { isLink, makeSideFolder, type SidePaths } from "./session-path.ts";

/** These are the options of the lock of a session file. */
export interface LockOptions {
  /** "off" never takes it. */
  readonly mode: "always" | "off";
  /** This is how long to wait for it. */
  readonly waitMs: number;
  /** After so long without a sign of life, its holder counts as dead. The value is at least 2000. */
  readonly staleMs: number;
  /** Throw {@link LockTimeoutError} instead of going on without it. */
  readonly required: boolean;
}

export const defaultLock: LockOptions = { mode: "always", waitMs: 250, staleMs: 5000, required: false };

export type Release = () => Promise<void>;

const staleMsMin = 2000;
const pauseMsMax = 8;
/** Older OpenClaw runtimes take their lock file for dead after so long. */
const hostStaleMs = 30 * 60 * 1000;

/** It is loaded with the first lock, and not before. */
let lock: typeof import("proper-lockfile").lock | undefined;

/** What the library does to the lock's folder, at once: a turn through the pool of threads takes longer than any of it. */
const promptFs = {
  mkdir: prompt(fs.mkdirSync),
  realpath: prompt(fs.realpathSync),
  rmdir: prompt(fs.rmdirSync),
  stat: prompt(fs.statSync),
  utimes: prompt(fs.utimesSync),
};

type Callback = (error: unknown, result?: unknown) => void;

function prompt<Arguments extends unknown[]>(call: (...parts: Arguments) => unknown) {
  return (...parts: [...Arguments, Callback]): void => {
    const callback = parts.pop() as Callback;
    let result: unknown;
    try {
      result = call(...(parts as unknown as Arguments));
    } catch (error) {
      callback(error);
      return;
    }
    callback(null, result);
  };
}

/**
 * `random` gives numbers from 0 to 1: writers that wait must not wake in step. `meanwhile` is called after each try that failed: what can
 * be done before the lock is there does not keep others from it. The result is undefined if no lock is wanted, and nobody has to be waited
 * for.
 */
export function takeLock(
  file: string,
  paths: SidePaths,
  options: LockOptions,
  random: () => number,
  meanwhile: () => Promise<void> = idle,
): Promise<Release> | undefined {
  const task = (trace?: LockTrace) => waitForLock(file, paths, options, random, meanwhile, trace);
  if (options.mode !== "off") return traced(locking, () => ({ where: file }), task);
  if (!hostHolds(paths.hostLock)) return undefined;
  return waitForHost(file, paths, options, performance.now() + options.waitMs, random).then(() => noRelease);
}

async function waitForLock(
  file: string,
  paths: SidePaths,
  options: LockOptions,
  random: () => number,
  meanwhile: () => Promise<void>,
  trace: LockTrace = { where: file },
): Promise<Release> {
  // Not the time of day, which may be set back meanwhile.
  const start = performance.now();
  const deadline = start + options.waitMs;
  let isHeld = false;
  if (hostHolds(paths.hostLock)) await waitForHost(file, paths, options, deadline, random);
  trace.isTaken = false;
  if (isLink(paths.folder)) return withoutBehindLink(file, paths.folder, options);
  /** Once in a row: a link that leads nowhere is neither a folder nor can it become one. */
  let mayMakeFolder = true;
  for (let tries = 1; ; tries++) {
    try {
      lock ??= (await import("proper-lockfile")).default.lock;
      const release = await lock(file, {
        fs: promptFs,
        lockfilePath: paths.lock,
        realpath: false,
        retries: 0,
        stale: Math.max(options.staleMs, staleMsMin),
        onCompromised: ignoreLoss,
      });
      trace.isTaken = true;
      sayWait(file, isHeld, start);
      return () => release().catch(ignoreLoss);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" && mayMakeFolder && makeSideFolder(paths.folder) === undefined) {
        mayMakeFolder = false;
        continue;
      }
      mayMakeFolder = true;
      if (code !== "ELOCKED" || performance.now() >= deadline) return without(file, options, error);
    }
    isHeld = true;
    // A lock is held for about a millisecond: only where many wait for it, longer pauses spare the processor.
    await Promise.all([meanwhile(), sleep(1 + random() * Math.min(tries, pauseMsMax - 1))]);
  }
}

function sayWait(file: string, isHeld: boolean, start: number): void {
  if (!isHeld) return;
  because("%s: waited %d ms for the lock, which another writer held", file, Math.round(performance.now() - start));
}

async function idle(): Promise<void> {
  // Nothing can be done.
}

async function noRelease(): Promise<void> {
  // No lock was taken.
}

/** A lost lock needs no handling: what was written without it is accepted or refused by the format. */
function ignoreLoss(): void {}

function without(file: string, options: LockOptions, cause: unknown): Release {
  because("%s: no lock after %d ms (%s)", file, options.waitMs, (cause as Error).message);
  if (!options.required) return noRelease;
  throw new LockTimeoutError(
    `the lock on ${file} did not come within ${options.waitMs} ms: another writer holds it; try again, raise lock.waitMs, or leave lock.required off`,
    { file },
    { cause },
  );
}

function withoutBehindLink(file: string, folder: string, { required }: LockOptions): Release {
  if (!required) return noRelease;
  const message = `no lock on ${file}: ${folder} is a symbolic link, behind which nothing is made; remove the link, or leave lock.required off`;
  throw new LockTimeoutError(message, { file: folder });
}

async function waitForHost(
  file: string,
  paths: SidePaths,
  options: LockOptions,
  deadline: number,
  random: () => number,
): Promise<void> {
  while (hostHolds(paths.hostLock)) {
    if (performance.now() >= deadline) {
      without(file, options, new Error(`${paths.hostLock} is there`));
      return;
    }
    await sleep(1 + random() * (pauseMsMax - 1));
  }
}

/** A lock FILE beside the session: fresh, and its process alive where it names one. */
function hostHolds(hostLock: string): boolean {
  // Nearly always nothing is there, which this finds out in the shortest time.
  if (!fs.existsSync(hostLock)) return false;
  try {
    const stats = fs.statSync(hostLock, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || Date.now() - stats.mtimeMs > hostStaleMs) return false;
    const { pid } = JSON.parse(fs.readFileSync(hostLock, "utf8")) as { pid?: unknown };
    return typeof pid !== "number" || isAlive(pid);
  } catch (error) {
    return error instanceof SyntaxError;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

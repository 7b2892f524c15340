/**
 * A lock keeps writers out of each other's way, and so does that they go one after the other. Neither can exclude them for
 * certain, and need not: which commits count is decided by the format. So a lock that does not come in time is left behind,
 * and the writer goes on without.
 */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { locking } from "../../channels.ts";
import { because, type LockTrace, traced } from "../../diagnostics.ts";
import { LockTimeoutError } from "../../errors.ts";
import { linkFault, makeSideFolder, type SidePaths } from "./session-path.ts";

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

export type Release = () => Promise<void>;

const staleMsMin = 2000;
const pauseMsMax = 8;
/** The first random digit of an entry id stands there. */
const markAt = 20;
/** Older OpenClaw runtimes take their lock file for dead after so long. */
const hostStaleMs = 30 * 60 * 1000;

/** It is loaded with the first lock, and not before. */
let lock: typeof import("proper-lockfile").lock | undefined;

/** What the library does to the lock's folder, at once: a turn through the pool of threads takes longer than any of it. */
const promptFs = {
  mkdir: prompt(fs.mkdirSync),
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

/** The result is undefined if no lock is wanted, and nobody has to be waited for. */
export function takeLock(file: string, paths: SidePaths, options: LockOptions): Promise<Release> | undefined {
  const task = (trace?: LockTrace) => waitForLock(file, paths, options, trace);
  if (options.mode !== "off") return traced(locking, () => ({ where: file }), task);
  if (!hostHolds(paths.hostLock)) return undefined;
  return waitForHost(file, paths, options, performance.now() + options.waitMs).then(() => nothing);
}

async function waitForLock(
  file: string,
  paths: SidePaths,
  options: LockOptions,
  trace: LockTrace = { where: file },
): Promise<Release> {
  // Not the time of day, which may be set back meanwhile.
  const start = performance.now();
  const deadline = start + options.waitMs;
  let isHeld = false;
  if (hostHolds(paths.hostLock)) await waitForHost(file, paths, options, deadline);
  trace.isTaken = false;
  const link = linkFault(paths.folder);
  if (link !== undefined) return without(file, options, link);
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
        onCompromised: nothing,
      });
      const folder = opened(paths.lock);
      trace.isTaken = true;
      const waitedMs = Math.round(performance.now() - start);
      if (isHeld) because("%s: waited %d ms for the lock, which another writer held", file, waitedMs);
      return async () => {
        await release().catch(nothing);
        if (folder !== undefined) closeLater(folder);
      };
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
    await pause(Math.min(tries, pauseMsMax - 1));
  }
}

/** Some file systems wait until the disk knows which block became free: that of an open folder does when it is closed. */
function opened(folder: string): number | undefined {
  try {
    return process.platform === "linux" ? fs.openSync(folder, fs.constants.O_RDONLY) : undefined;
  } catch {
    return undefined;
  }
}

/** Calls that let nothing else run would hold a descriptor for each lock that was let go. */
const closingMax = 16;
let closing = 0;

function closeLater(folder: number): void {
  if (closing < closingMax) {
    closing += 1;
    setImmediate(fs.close, folder, () => closing--);
  } else fs.close(folder, nothing);
}

/** Who comes back sooner than this after its last commit lets others go first, as long as they come as soon. */
const soonMs = 4;
/** Commits of others in a longer time say nothing of what they do now. */
const longMs = 1000;
/** The writers of so many commits are remembered. */
const metMax = 32;

/**
 * The other writers of a file, as their commits in it tell: each has a mark of its own in the entry ids that it makes. Who
 * has just written lets most of them go first. They all do, so they go one after the other, and none works in vain.
 */
export class OtherWriters {
  readonly mark: string;
  readonly #now: () => number;
  /** These are the marks of the newest commits of others, while there are such between any two of its own. */
  #met: string[] = [];
  /** How many there were since this writer's last one, and when that was. */
  #since = 0;
  #wroteMs = Number.NEGATIVE_INFINITY;

  constructor(mark: string, now = () => performance.now()) {
    this.mark = mark;
    this.#now = now;
  }

  get areMet(): boolean {
    return this.#met.length > 0;
  }

  met(entryId: string | undefined): void {
    const mark = entryId?.slice(markAt, markAt + this.mark.length) ?? "";
    if (mark === this.mark) return;
    this.#since += 1;
    if (this.#met.push(mark) > metMax) this.#met.shift();
  }

  wrote(): void {
    if (!this.areMet) return;
    const now = this.#now();
    if (this.#since === 0 || now - this.#wroteMs > longMs) this.#met = [];
    this.#since = 0;
    this.#wroteMs = now;
  }

  /** `read` tells of those that have come. The result is undefined if nobody has to be waited for. */
  goFirst(read: () => Promise<void>): Promise<void> | undefined {
    return this.areMet && this.#now() - this.#wroteMs < soonMs ? this.#wait(read) : undefined;
  }

  async #wait(read: () => Promise<void>): Promise<void> {
    const enough = Math.ceil(new Set(this.#met).size * 0.8);
    let quietSince = this.#now();
    // Looks count, too: a test may have stopped the clock.
    for (let quietLooks = 0; quietLooks <= soonMs; quietLooks++) {
      if (quietLooks > 0) await sleep(1);
      const before = this.#since;
      await read();
      if (this.#since !== before) [quietSince, quietLooks] = [this.#now(), 0];
      if (this.#since >= enough || this.#now() - quietSince >= soonMs) return;
    }
  }
}

/** A lock that was not taken, or is lost, needs no handling: the format accepts or refuses what was written without it. */
async function nothing(): Promise<void> {}

/** Writers that wait must not wake in step. */
function pause(msMax: number): Promise<void> {
  return sleep(1 + Math.random() * msMax);
}

/** `cause` has a code of the system if nobody holds the lock, and it cannot be made. */
function without(file: string, { waitMs, required }: LockOptions, cause: unknown): Release {
  const { code = "ELOCKED", message } = cause as NodeJS.ErrnoException;
  const isHeld = code === "ELOCKED";
  if (isHeld) because("%s: no lock after %d ms (%s)", file, waitMs, message);
  else because("%s: no lock can be made (%s)", file, message);
  if (!required) return nothing;
  const fault = isHeld
    ? `did not come within ${waitMs} ms: another writer holds it; try again`
    : `cannot be made (${message}): check its folder and the disk`;
  const said = `${isHeld ? ", raise lock.waitMs" : ""}, or leave lock.required off`;
  const advice = { option: "waitMs", said } as const;
  throw new LockTimeoutError(`the lock on ${file} ${fault}${said}`, { file }, { cause, advice });
}

async function waitForHost(file: string, paths: SidePaths, options: LockOptions, deadline: number): Promise<void> {
  while (hostHolds(paths.hostLock)) {
    if (performance.now() >= deadline) {
      without(file, options, new Error(`${paths.hostLock} is there`));
      return;
    }
    await pause(pauseMsMax - 1);
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

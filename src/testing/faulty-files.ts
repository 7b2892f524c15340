/** This file makes a disk that fails on order, for the whole process: functions of `node:fs` throw what the operating system would. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { requireChoice, requireOptions } from "../options.ts";

/** The functions behind which each system call is. */
const functionsOf = {
  open: ["openSync"],
  read: ["readSync", "readFileSync"],
  write: ["writeSync", "writeFileSync"],
  fdatasync: ["fdatasync", "fdatasyncSync"],
  fsync: ["fsync", "fsyncSync"],
  stat: ["statSync", "lstatSync"],
  fstat: ["fstatSync"],
  rename: ["renameSync"],
  mkdir: ["mkdirSync"],
  unlink: ["rmSync", "unlinkSync", "rmdirSync"],
  utimes: ["utimesSync"],
  close: ["closeSync"],
} as const;

/** This names a call of the file system. */
export type SystemCall = keyof typeof functionsOf;

/** This says which calls of the file system fail, and how. */
export interface FileFailure {
  readonly on: SystemCall;
  /**
   * This is the code that the operating system would give, such as `ENOSPC`, `EIO` or `EACCES`. "SHORT": a write writes the
   * first half.
   */
  readonly error: string;
  /** The failures begin with this call, counted from 1. The default is 1. */
  readonly call?: number;
  /** This is how many calls fail. The default is 1. */
  readonly times?: number;
  /** Only calls fail whose first argument is a path that ends like this. Calls on an open file have no path, and always count. */
  readonly path?: string;
}

type Function = (...values: unknown[]) => unknown;
const functions = fs as unknown as Record<string, Function>;

/**
 * Makes calls of `node:fs` fail in the whole process, until the returned function is called. So the test should do nothing
 * else meanwhile.
 *
 * @param failures Which calls fail, of which files, and how.
 * @returns A function that ends the failures.
 * @throws TypeError if the failures before have not been ended, and for an option or a call that does not exist.
 * @example
 * const end = faultyFiles([{ on: "write", error: "ENOSPC" }]);
 */
export function faultyFiles(failures: readonly FileFailure[]): () => void {
  if (isFaulty) throw new TypeError("faultyFiles is in force already: end it before");
  for (const failure of failures) {
    requireOptions(failure, "on", "error", "call", "times", "path");
    requireChoice(Object.keys(functionsOf), failure.on, "on");
  }
  isFaulty = true;
  const counted = failures.map((failure) => ({ ...failure, count: 0 }));
  const errorOf = (on: SystemCall, path: unknown): string | undefined => {
    for (const each of counted) {
      if (each.on !== on || (each.path !== undefined && typeof path === "string" && !path.endsWith(each.path)))
        continue;
      each.count += 1;
      const { call = 1, times = 1 } = each;
      if (each.count >= call && each.count < call + times) return each.error;
    }
    return undefined;
  };
  const real = new Map<string, Function>();
  for (const [on, names] of Object.entries(functionsOf)) {
    for (const name of names) {
      const original = functions[name] as Function;
      real.set(name, original);
      const failing = (...given: unknown[]) => failed(on as SystemCall, name, original, given, errorOf);
      functions[name] = Object.assign(failing, original);
    }
  }
  syncBuiltinESMExports();
  return () => {
    for (const [name, original] of real) functions[name] = original;
    syncBuiltinESMExports();
    isFaulty = false;
  };
}

let isFaulty = false;

function failed(
  on: SystemCall,
  name: string,
  original: Function,
  given: unknown[],
  errorOf: (on: SystemCall, path: unknown) => string | undefined,
): unknown {
  const code = errorOf(on, given[0]);
  if (code === undefined) return original(...given);
  if (code === "SHORT") return name === "writeSync" ? short(original, given) : original(...given);
  // A descriptor is closed, whatever the system says.
  if (on === "close") original(...given);
  const error = Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: on });
  const done = given.at(-1);
  if (typeof done !== "function") throw error;
  setImmediate(() => done(error));
  return undefined;
}

function short(write: Function, [descriptor, data, offset]: unknown[]): unknown {
  const bytes =
    typeof data === "string" ? Buffer.from(data) : (data as Buffer).subarray(typeof offset === "number" ? offset : 0);
  return write(descriptor, bytes, 0, Math.floor(bytes.length / 2));
}

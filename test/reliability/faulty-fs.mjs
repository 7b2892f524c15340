/**
 * A disk that fails on order: `node:fs` with functions that throw what the operating system would. To be imported before
 * everything that uses `node:fs`.
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";

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
};

const real = { ...fs };

/** No system call is interrupted for ever. */
const interruptionsMax = 20;

/** Asked at each call; answers the code of the error to fail with, or "SHORT". */
let decide = () => undefined;

export const systemCalls = Object.keys(functionsOf);

/** `call` fails from its `nth` time on (from 1), so many `times`. */
export function failAt({ call, error, nth, times }) {
  const end = nth + (error === "EINTR" ? Math.min(times, interruptionsMax) : times);
  let count = 0;
  decide = (name) => {
    if (name !== call) return undefined;
    count += 1;
    return count >= nth && count < end ? error : undefined;
  };
}

/** Each call fails with `probability`; `random` gives numbers from 0 to 1. */
export function failAtRandom({ probability, errors, random }) {
  decide = () => (random() < probability ? errors[Math.floor(random() * errors.length)] : undefined);
}

export function failNoMore() {
  decide = () => undefined;
}

/** What `task` does succeeds. Synchronous tasks and asynchronous ones that nothing else runs beside. */
export async function withoutFailing(task) {
  const before = decide;
  decide = () => undefined;
  try {
    return await task();
  } finally {
    decide = before;
  }
}

function failure(code, name) {
  return Object.assign(new Error(`${code}: injected, ${name}`), { code, syscall: name });
}

/** From Node 24 on, modules are read by the same functions. What loads them is not under test. */
function isOfLoader() {
  return new Error("asked by").stack.includes("node:internal/modules/esm/load:");
}

function failing(call, name) {
  const original = real[name];
  return (...args) => {
    const error = decide(call);
    if (error === undefined || isOfLoader()) return original(...args);
    if (error === "SHORT") return name === "writeSync" ? short(original, args) : original(...args);
    if (call === "close") original(...args);
    const done = args.at(-1);
    if (typeof done !== "function") throw failure(error, name);
    setImmediate(done, failure(error, name));
    return undefined;
  };
}

/** The first half is written. */
function short(write, [descriptor, data, ...rest]) {
  const bytes = typeof data === "string" ? Buffer.from(data) : data.subarray(rest[0] ?? 0);
  return write(descriptor, bytes, 0, Math.floor(bytes.length / 2));
}

for (const [call, names] of Object.entries(functionsOf)) {
  for (const name of names) fs[name] = Object.assign(failing(call, name), real[name]);
}
syncBuiltinESMExports();

/**
 * Who has session files open for writing, as Linux tells it of every process of the same user: nothing has to be noted for
 * it, and a process that was killed has nothing open any more. Elsewhere nobody is known.
 */

import fs from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import type { OpenWriter, OpenWriters } from "../../event/open-writers.ts";
import { given } from "../../options.ts";
import { sidePaths } from "../session-file/session-path.ts";

/** The writers are indexed by the path of the file, with every link resolved. */
export type WritersByFile = ReadonlyMap<string, readonly OpenWriter[]>;

const ticksPerSecond = 100;

/** The result has the writers of the files below `folder`, or of one file. It changes nothing. */
export function writersBelow(place: string): WritersByFile {
  const found = new Map<string, OpenWriter[]>();
  const real = realOf(place);
  for (const pid of namesIn("/proc").filter((name) => /^\d+$/.test(name))) {
    const files = new Set(filesWrittenBy(pid, real));
    if (files.size === 0) continue;
    const writer = describedBy(pid);
    for (const file of files) found.set(file, [...(found.get(file) ?? []), writer]);
  }
  return found;
}

/** `now` is in milliseconds since 1970. */
export function openWriters(file: string, staleMs: number, now: number): OpenWriters {
  const writers = writersBelow(file).get(realOf(file)) ?? [];
  const touched = touchedAt(sidePaths(file).lock);
  if (touched === undefined) return { writers };
  return { writers, lock: { touched: new Date(touched).toISOString(), isStale: now - touched > staleMs } };
}

export function writersOf(file: string, below: WritersByFile): readonly OpenWriter[] {
  return below.size === 0 ? [] : (below.get(realOf(file)) ?? []);
}

function filesWrittenBy(pid: string, place: string): string[] {
  return namesIn(`/proc/${pid}/fd`).flatMap((descriptor) => {
    const file = unless(() => fs.readlinkSync(`/proc/${pid}/fd/${descriptor}`));
    const isThere = file === place || file?.startsWith(`${place}${path.sep}`);
    return file !== undefined && isThere && isWriting(pid, descriptor) ? [file] : [];
  });
}

/** The last two bits of the flags say how a file was opened. */
function isWriting(pid: string, descriptor: string): boolean {
  const info = unless(() => fs.readFileSync(`/proc/${pid}/fdinfo/${descriptor}`, "utf8")) ?? "";
  const flags = /^flags:\s+(\d+)$/m.exec(info)?.[1];
  return flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0;
}

function describedBy(pid: string): OpenWriter {
  const words = (unless(() => fs.readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? "").split("\0");
  const program = words.slice(0, 2).map((word) => path.basename(word));
  const since = beganAt(pid);
  return {
    pid: Number(pid),
    host: hostname(),
    ...given({ since }),
    ...(program[0] === "" || program[0] === undefined ? {} : { program: program.join(" ").trim() }),
  };
}

/** The 22nd field counts ticks since the machine began; the second one may hold spaces and brackets. */
function beganAt(pid: string): string | undefined {
  const fields = unless(() => fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
    ?.split(") ")
    .at(-1)
    ?.split(" ");
  const booted = /^btime (\d+)$/m.exec(unless(() => fs.readFileSync("/proc/stat", "utf8")) ?? "")?.[1];
  const ticks = Number(fields?.[19]);
  if (booted === undefined || !Number.isFinite(ticks)) return undefined;
  return new Date((Number(booted) + Math.floor(ticks / ticksPerSecond)) * 1000).toISOString();
}

function touchedAt(lock: string): number | undefined {
  return unless(() => fs.statSync(lock, { throwIfNoEntry: false }))?.mtimeMs;
}

function realOf(place: string): string {
  return unless(() => fs.realpathSync(place)) ?? place;
}

function namesIn(folder: string): string[] {
  return unless(() => fs.readdirSync(folder)) ?? [];
}

/** The result is undefined for processes that end meanwhile, and for those of others: nothing is known about them. */
function unless<Result>(read: () => Result): Result | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

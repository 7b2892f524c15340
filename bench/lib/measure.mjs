// What every bench needs: contenders in processes of their own, taken in turns, and a table with ratios.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { median } from "./numbers.mjs";

export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs each contender once a round, in turns, so that all meet the same disturbances. Answers what each printed, by name.
 * A contender is `{ name, words, node?, env? }`, which runs `script words…` and prints one JSON object, or
 * `{ name, command }`, any program, whose output is `printed`. `wallMs` is the whole process.
 * One that fails is not asked again: `{ failed }`.
 */
export function interleave(script, contenders, rounds) {
  const runs = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contender of turned(contenders, round)) {
      const before = runs.get(contender.name);
      if (before.every(({ failed }) => failed === undefined)) before.push(runOnce(script, contender));
    }
  }
  return runs;
}

/** Each round begins with another one: what is first after a pause must not always be the same. */
function turned(contenders, round) {
  const first = round % contenders.length;
  return [...contenders.slice(first), ...contenders.slice(0, first)];
}

function runOnce(script, { words, node = process.execPath, command, env = {} }) {
  const [program, ...rest] = command ?? [node, "--expose-gc", script, ...words];
  const start = performance.now();
  const { status, signal, stdout, stderr } = spawnSync(program, rest, {
    encoding: "utf8",
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  const wallMs = performance.now() - start;
  if (status === 0) return command ? { wallMs, printed: stdout.trim() } : { wallMs, ...JSON.parse(stdout) };
  const reason = /^\w*Error.*$|^FATAL ERROR:.*$/m.exec(stderr)?.[0] ?? signal ?? `exit ${status}`;
  return { failed: reason.slice(0, 60) };
}

/** Runs a program that must succeed, and answers what it printed. */
export function run(program, words) {
  const { status, signal, stdout, stderr } = spawnSync(program, words, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${signal ?? status}: ${stderr}`);
  return stdout;
}

/** The median of the rounds' own ratios, in which what disturbs a whole round cancels out. NaN where a side failed. */
export function ratioOf(over, overField, under, underField = overField) {
  if ([...over, ...under].some(({ failed }) => failed !== undefined)) return Number.NaN;
  return median(over.map((run, round) => run[overField] / under[round][underField]));
}

export function medianOf(runs, field) {
  return median(runs.map((run) => run[field]));
}

/** Rows of cells; the first row is the heading, the first column is left-aligned. */
export function printTable(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => String(row[column] ?? "").length)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 0 ? String(cell).padEnd(widths[column]) : String(cell).padStart(widths[column]),
    );
    console.log(cells.join("   ").trimEnd());
  }
}

export function machine() {
  const memoryGb = Math.round(totalmem() / 2 ** 30);
  return `${process.platform} ${process.arch}, ${cpus().length} × ${cpus()[0]?.model.trim()}, ${memoryGb} GB, node ${process.version}`;
}

export function loadAverage() {
  return loadavg().map((value) => Number(value.toFixed(2)));
}

/** Short, of any value that JSON holds. */
export function digestOf(value) {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

/**
 * The most memory that this process has had, in MB. Not `resourceUsage().maxRSS`, which on Linux begins with that of the
 * process that started this one.
 */
export function peakMb() {
  if (process.platform !== "linux") return process.resourceUsage().maxRSS / 1024;
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]) / 1024;
}

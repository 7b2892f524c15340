// What every bench needs: contenders in processes of their own, taken in turns, and a table with ratios.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";

export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

export async function withFolder(work) {
  const folder = mkdtempSync(join(tmpdir(), "session-journal-bench-"));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Runs `script words…` once a round for each contender, in turns, so that all meet the same disturbances.
 * A contender is `{ name, words, node? }` and prints one JSON object. One that fails is not asked again: `{ failed }`.
 */
export function interleave(script, contenders, rounds) {
  const runs = new Map(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, words, node = process.execPath } of contenders) {
      const before = runs.get(name);
      if (before.every(({ failed }) => failed === undefined)) before.push(runOnce(node, script, words));
    }
  }
  return runs;
}

function runOnce(node, script, words) {
  const { status, signal, stdout, stderr } = spawnSync(node, [script, ...words], { encoding: "utf8" });
  if (status === 0) return JSON.parse(stdout);
  const reason = /^\w*Error.*$|^FATAL ERROR:.*$/m.exec(stderr)?.[0] ?? signal ?? `exit ${status}`;
  return { failed: reason.slice(0, 60) };
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

export function printSurroundings() {
  const load = loadavg().map((value) => value.toFixed(1));
  console.log(`node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load.join(" ")}`);
}

export function milliseconds(value) {
  return value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}

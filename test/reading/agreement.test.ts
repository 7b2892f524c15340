/**
 * Every reader tells the same of every file, also of one that somebody has prepared: the version, the head, the turn and
 * the state that an oracle made of `JSON.parse` and the rules of the format tells. A disagreement is minimised and printed
 * as a file.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { newRandom } from "../reliability/random.ts";
import { isFull, recordResult } from "../reliability/results.ts";
import { preparedSession } from "./damaged-sessions.ts";
import { minimised } from "./minimise.ts";
import { type Case, caseOf, disagrees, readers, readInPython, readWith, type Told } from "./readers.ts";

const filesMax = Number(process.env["SESSION_JOURNAL_FILES"] ?? (isFull ? 20_000 : 50));
const batchMax = 100;
const reportsMax = Number(process.env["SESSION_JOURNAL_REPORTS"] ?? 5);
const timeMs = 7_200_000;
/** What is synced there costs nothing: what a reader says is looked at, not what a disk keeps. */
const memory = "/dev/shm";
const root = fs.mkdtempSync(path.join(fs.existsSync(memory) ? memory : os.tmpdir(), "session-journal-readers-"));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

function casesFrom(first: number, count: number): Case[] {
  return Array.from({ length: count }, (_, index) => {
    const folder = path.join(root, `${first + index}`);
    fs.mkdirSync(folder);
    return caseOf(first + index, folder, preparedSession(first + index));
  });
}

async function readAll(cases: readonly Case[]): Promise<Told[]> {
  const told = readInPython(cases);
  for (const each of cases) for (const reader of Object.keys(readers)) told.push(await readWith(reader, each));
  return told;
}

/** As it can be pasted into a test. */
async function reportOf({ reader, of, told: found }: Told): Promise<string> {
  const again = (bytes: Buffer): Promise<Told> => readWith(reader, caseOf(of.seed, of.folder, { ...of, bytes }));
  const bytes = await minimised(of.bytes, async (some) => {
    const each = await again(some);
    return disagrees(each) && "error" in each.told === "error" in found;
  });
  const { told, expected } = await again(bytes);
  const text = bytes.toString("utf8");
  const key = of.key === undefined ? "" : `, read with the key ${JSON.stringify(of.key)}`;
  return [
    `${reader} disagrees with the oracle on the file of seed ${of.seed}${key}:`,
    Buffer.from(text).equals(bytes) ? sourceOf(text) : `base64 ${bytes.toString("base64")}`,
    `told     ${JSON.stringify(told)}`,
    `expected ${JSON.stringify(expected)}`,
  ].join("\n");
}

/** Nobody wants to see a million times the same. */
function sourceOf(text: string): string {
  return JSON.stringify(text).replaceAll(
    /([^\\"])\1{63,}/g,
    (run, each: string) => `" + "${each}".repeat(${run.length}) + "`,
  );
}

test(
  "every reader tells the same of every file",
  async () => {
    const { seed } = newRandom();
    const reports: string[] = [];
    let readings = 0;
    let shown = 0;
    for (let at = 0; at < filesMax && reports.length < reportsMax; at += batchMax) {
      const cases = casesFrom(seed + at, Math.min(batchMax, filesMax - at));
      const told = await readAll(cases);
      for (const each of told.filter(disagrees).slice(0, reportsMax)) reports.push(await reportOf(each));
      readings += told.length;
      shown += cases.filter(({ expected }) => Number(expected["version"]) > 0).length;
      for (const { folder } of cases) fs.rmSync(folder, { recursive: true, force: true });
    }
    expect(reports.join("\n\n")).toBe("");
    expect(shown, "files in which something counts").toBeGreaterThan(filesMax / 2);
    recordResult({
      suite: "reading/agreement.test.ts",
      claim: "every reader tells the same of every file, damaged or prepared: version, head, turn and state",
      size: `${filesMax} files, ${Object.keys(readers).length + 1} readers`,
      seed,
      outcome: `${readings} readings as the oracle's, of ${shown} files in which something counts and ${filesMax - shown} in which nothing does`,
    });
  },
  timeMs,
);

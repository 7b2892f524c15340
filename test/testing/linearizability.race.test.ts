/** Several processes on the same sessions: what they saw can have happened in one order. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import { allOf } from "../../src/journal/readings.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { findAnomalies } from "../../src/testing/linearizability.ts";
import type { Operation } from "../../src/testing/operations.ts";
import { isFull, recordResult } from "../reliability/results.ts";
import { type Program, program } from "../store/process/spawn.ts";

const processes = ["a", "b", "c"];
/** Of each process on each session; every eighth is asked twice. Few, so that the files stay short. */
const operationsEach = isFull ? 104 : 40;
const operationsPerSession = (processes.length * operationsEach * 9) / 8;
const operationsMin = isFull ? 200_000 : 600;
const times = isFull ? 25 : 1 / 5;

let folder = "";
let worker: Program;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-operations-"));
  worker = await program("../../testing/operate.ts");
});
afterAll(() => {
  worker.remove();
  fs.rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly name: string;
  readonly mode: "always" | "off";
  /** Calls at a time. */
  readonly width: number;
  /** A session costs the more, the more its writers are in each other's way. */
  readonly sessions: number;
}

const runs: readonly Run[] = [
  { name: "with the lock, one call at a time", mode: "always", width: 1, sessions: 5 },
  { name: "with the lock, calls that share commits", mode: "always", width: 8, sessions: 10 },
  { name: "without a lock, one call at a time", mode: "off", width: 1, sessions: 4 },
  { name: "without a lock, calls that share commits", mode: "off", width: 8, sessions: 5 },
];

describe("every operation has its place in one order", () => {
  test.each(runs)("$name", { timeout: 1_200_000 }, async ({ name, mode, width, sessions }) => {
    const home = fs.mkdtempSync(path.join(folder, "run-"));
    const count = Math.ceil(sessions * times);
    const files = Array.from({ length: count }, (_, index) => path.join(home, `${index}.jsonl`));
    for (let first = 0; first < files.length; first += sessions) {
      const some = files.slice(first, first + sessions);
      const given = [String(operationsEach), String(width), mode, ...some];
      await Promise.all(processes.map((name) => worker.run(name, ...given)));
    }
    for (const file of files) {
      const operations = recordOf(file);
      expect(operations).toHaveLength(operationsPerSession);
      expect(findAnomalies(await historyOf(file), operations)).toEqual([]);
    }
    recordResult({
      suite: "testing/linearizability.race.test.ts",
      claim: `every operation has its place in one order, ${name}`,
      size: `${count * operationsPerSession} operations of ${processes.length} processes`,
      outcome: "0 anomalies",
    });
  });

  test("they are as many as were promised", () => {
    const sessions = runs.reduce((sum, run) => sum + Math.ceil(run.sessions * times), 0);
    expect(sessions * operationsPerSession).toBeGreaterThanOrEqual(operationsMin);
  });
});

function recordOf(file: string): Operation[] {
  return processes.flatMap((name) => {
    const lines = fs.readFileSync(`${file}.${name}.ndjson`, "utf8").trimEnd().split("\n");
    return lines.map((line) => JSON.parse(line) as Operation);
  });
}

async function historyOf(file: string): Promise<RecordedEvent[]> {
  const journal = await openJournal(file, { readonly: true });
  const events = await allOf(journal.history());
  await journal.close();
  return events;
}

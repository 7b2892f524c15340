/**
 * Every state in which a crash may leave a session that is made, written to and kept in snapshots, as far as the calls to
 * the file system allow: it opens, holds what had been acknowledged, and takes what comes next. With the syncs left out of
 * the calls there must be states that do not, or the suite could not see any.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { crashStates } from "./crash-states.ts";
import { CrashTrial } from "./crash-trial.ts";
import { newRandom } from "./random.ts";
import { isFull, recordResult } from "./results.ts";

const suite = "reliability/crash-states.test.ts";
const statesMax = isFull ? Number.POSITIVE_INFINITY : 5;
const timeMs = 3_600_000;
const random = newRandom();

let folder = "";
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** All of them, or so many in random order. */
function some<Item>(all: readonly Item[], max: number): Item[] {
  const left = [...all];
  return Array.from({ length: Math.min(max, all.length) }, () => left.splice(random.below(left.length), 1)).flat();
}

test.each([
  ["that was made", "new"],
  ["of a host", "of-a-host"],
  ["that a host put in the place of another", "replaced-by-a-host"],
])(
  `whatever a crash leaves of a session %s holds what was acknowledged (seed ${random.seed})`,
  async (which, story) => {
    const trial = new CrashTrial(folder, story);
    const states = crashStates(trial.calls);
    const tried = some(states, statesMax);
    let refused = 0;
    const violations: string[] = [];
    for (const [index, state] of tried.entries()) {
      const judgement = await trial.judge(state, index % 2 === 1);
      if (judgement.refused) refused += 1;
      violations.push(...judgement.violations);
    }
    expect(violations).toEqual([]);
    recordResult({
      suite,
      claim: `whatever a crash leaves of a session ${which} holds what was acknowledged and is written on`,
      size: `${tried.length} of the ${states.length} states after ${trial.calls.length} calls`,
      seed: random.seed,
      outcome: `0 violations; ${refused} without a whole header and anything acknowledged are refused as no session`,
    });
  },
  timeMs,
);

test.each([
  ["the syncs of files", "sync", "new"],
  ["the syncs of folders", "sync-folder", "replaced-by-a-host"],
])(
  "without %s something is lost",
  async (what, call, story) => {
    const trial = new CrashTrial(folder, story);
    const end = trial.calls.findIndex((each) => each.call === "acknowledged" && each.command === "call-1");
    const states = crashStates(trial.calls.slice(0, end + 1).filter((each) => each.call !== call));
    const late = states.filter(({ acknowledged }) => acknowledged.length > 1);
    let tried = 0;
    let found: readonly string[] = [];
    for (const state of some(late, 200)) {
      tried += 1;
      ({ violations: found } = await trial.judge(state, false));
      if (found.length > 0) break;
    }
    expect(found).not.toEqual([]);
    recordResult({
      suite,
      claim: `control: without ${what} a crash takes what was acknowledged`,
      size: `${tried} of ${states.length} states`,
      seed: random.seed,
      outcome: found[0] ?? "",
    });
  },
  timeMs,
);

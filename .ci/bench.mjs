// Runs bench/*.mjs, each in a process of its own, and says what holds: `node .ci/bench.mjs [--against REV] [--rounds N] [question…]`.
// A run of everything, or `--page`, makes docs/performance.md of what the questions have left. `--profile question role…`
// shows where a contender spends its time.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { printTable } from "../bench/lib/measure.mjs";
import { printVerdicts, resultsFolder } from "../bench/lib/question.mjs";
import { withBuildOf } from "./bench-against.mjs";
import { gather, writePage } from "./bench-page.mjs";
import { profileOf } from "./bench-profile.mjs";

const folder = resolve(import.meta.dirname, "..", "bench");
const [, , ...words] = process.argv;
const isProfile = words[0] === "--profile";
const at = words.indexOf("--against");
const [, revision] = at === -1 ? [] : words.splice(at, 2);
const roundsAt = words.indexOf("--rounds");
const [, rounds] = roundsAt === -1 ? [] : words.splice(roundsAt, 2);
const asIs = rounds === undefined ? {} : { SESSION_JOURNAL_ROUNDS: rounds };
const isPage = words.includes("--page");
const asked = words.filter((word) => word !== "--page");
const questions = readdirSync(folder)
  .filter((file) => file.endsWith(".mjs"))
  .map((file) => file.slice(0, -".mjs".length));
const unknown = asked.filter((name) => !questions.includes(name));

if (isProfile) {
  printTable([["function", "own ms", ""], ...(await profileOf(words.slice(1)))]);
} else if (unknown.length > 0) {
  console.error(`no question ${unknown.join(", ")}: there are ${questions.join(", ")}`);
  process.exitCode = 2;
} else if (isPage && asked.length === 0) {
  writePage(await gather(resultsFolder, profileOf));
} else if (revision === undefined) {
  answer(asked, asIs);
  if (asked.length === 0 || isPage) writePage(await gather(resultsFolder, profileOf, asked));
} else {
  withBuildOf(revision, (dist) => answer(asked, { ...asIs, SESSION_JOURNAL_AGAINST: dist }));
}

/** One after the other; those that fail are told in the end, and do not keep the others from being asked. */
function answer(chosen, env) {
  const failed = [];
  const answered = [];
  for (const name of chosen.length === 0 ? questions : chosen) {
    console.log(`\n${name}`);
    const script = join(folder, `${name}.mjs`);
    const { status } = spawnSync(process.execPath, ["--expose-gc", script], {
      stdio: "inherit",
      env: { ...process.env, ...env },
    });
    if (status === 0) answered.push(...verdictsOf(name, env));
    else failed.push(name);
  }
  console.log("");
  printVerdicts(answered.sort((a, b) => a.number - b.number));
  if (failed.length === 0) return;
  console.error(`failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}

/** Some questions go beyond the gates. */
function verdictsOf(name, { SESSION_JOURNAL_AGAINST: against }) {
  try {
    return JSON.parse(readFileSync(join(resultsFolder, `${name}${against ? ".against" : ""}.json`), "utf8")).gates;
  } catch {
    return [];
  }
}

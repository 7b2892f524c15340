// How long does it take to open a session whose snapshot is of no use, against one that never had any?
import { appendFileSync, copyFileSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { library } from "./lib/dist.mjs";
import { growSession } from "./lib/grow-session.mjs";
import { digestOf, medianOf, ratioOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { snapshotOf, withSnapshots } from "./lib/prepared.mjs";
import { ask, builds } from "./lib/question.mjs";

const rounds = 9;
const sizeBytes = 64 * 2 ** 20;
const commits = 900;

/** What becomes of the file and its snapshot, and how much of the file came after it. */
const cases = {
  "no snapshot": { harm: (file) => rmSync(snapshotOf(file)) },
  "a damaged one": {
    harm: (file) => writeFileSync(snapshotOf(file), readFileSync(snapshotOf(file), "utf8").replace(/\d/, "x")),
  },
  "one of another file": { harm: replace },
  "one ahead of the file": { harm: (file) => truncateSync(file, readFileSync(file).lastIndexOf("\n", -2) + 1) },
  "one from halfway, then a commit that does not count": {
    harm: (file) => appendFileSync(file, firstCommitIn(file)),
    unseenBytes: sizeBytes / 2,
  },
};

await ask(import.meta.filename, "How long does it take to open a session whose snapshot is lost?", { open }, compare);

async function open(file) {
  const { openJournal } = await library();
  const start = performance.now();
  const { version, state } = await openJournal(file, { readonly: true });
  return { ms: performance.now() - start, version, digest: digestOf(state) };
}

/** The same bytes in another inode. */
function replace(file) {
  copyFileSync(file, `${file}.next`);
  renameSync(`${file}.next`, file);
}

/** Again, so that it is a duplicate: whoever goes on from a snapshot must read everything to refuse it. */
function firstCommitIn(file) {
  const bytes = readFileSync(file);
  const start = bytes.lastIndexOf("\n", bytes.indexOf('"customType":"openclaw:scratchpad:events"')) + 1;
  return bytes.subarray(start, bytes.indexOf("\n", start) + 1);
}

function compare(question) {
  const grown = join(question.folder, "grown.jsonl");
  const expected = growSession(grown, sizeBytes, commits);
  const contenders = Object.entries(cases).map(([name, { harm, unseenBytes }]) => {
    const fileOf = withSnapshots(join(question.folder, name), grown, unseenBytes);
    return { name, isOurs: true, words: (build) => ["open", fileOf(build)], harm, fileOf };
  });
  for (const { harm, fileOf } of contenders) for (const build of builds) harm(fileOf(build));
  const runs = question.interleave(contenders, rounds);
  for (const [name, answers] of runs) {
    const wrong = answers.find(({ version, digest }) => version !== expected.version || digest !== expected.digest);
    if (wrong !== undefined) throw new Error(`${name}: opened wrongly: ${JSON.stringify(wrong)}`);
  }
  const [cold, ...others] = [...runs.values()];
  question.table("A session of 64 MB with 900 commits, first call of a process.", [
    ["the snapshot", "ms", "against a cold fold"],
    ...[...runs].map(([name, answers]) => [
      name,
      milliseconds(medianOf(answers, "ms")),
      `${ratioOf(answers, "ms", cold).toFixed(2)} ×`,
    ]),
  ]);
  question.gate("lost", Math.max(...others.map((answers) => ratioOf(answers, "ms", cold))));
}

// Where one contender spends its time: runs it under Node's CPU profiler, and adds up the samples of each function.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { library } from "../bench/lib/dist.mjs";
import { growSession } from "../bench/lib/grow-session.mjs";
import { withFolder } from "../bench/lib/measure.mjs";

const root = resolve(import.meta.dirname, "..");
const sampleUs = 100;
const rowsMax = 12;
const sessionMb = 64;
const commitsPerMb = 14;

/**
 * `words`: a question, one of its roles and that one's words. `{session}` among them is a new session of 64 MB,
 * `{resumable}` one with its snapshot, `{folder}` an empty folder. Answers rows: function, milliseconds of its own, part of all.
 */
export function profileOf([question, ...words]) {
  return withFolder(async (folder) => {
    const session = join(folder, "session.jsonl");
    const isResumed = words.includes("{resumable}");
    if (isResumed || words.includes("{session}")) growSession(session, sessionMb * 2 ** 20, sessionMb * commitsPerMb);
    if (isResumed) await takeSnapshot(session);
    const work = join(folder, "work");
    mkdirSync(work);
    const filled = words.map((word) => word.replace(/\{session\}|\{resumable\}/, session).replace("{folder}", work));
    const profiler = ["--cpu-prof", `--cpu-prof-dir=${folder}`, `--cpu-prof-interval=${sampleUs}`];
    const script = join(root, "bench", `${question}.mjs`);
    const { status } = spawnSync(process.execPath, ["--expose-gc", ...profiler, script, ...filled], {
      stdio: ["ignore", "ignore", "inherit"],
    });
    const file = readdirSync(folder).find((name) => name.endsWith(".cpuprofile"));
    if (status !== 0 || file === undefined) throw new Error(`no profile of ${question} ${words.join(" ")}`);
    return rowsOf(JSON.parse(readFileSync(join(folder, file), "utf8")));
  });
}

async function takeSnapshot(session) {
  const { openJournal } = await library();
  const journal = await openJournal(session);
  await journal.snapshot();
  await journal.close();
}

function rowsOf({ nodes, samples, timeDeltas }) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const ownMs = new Map();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id);
    ownMs.set(name, (ownMs.get(name) ?? 0) + timeDeltas[index] / 1000);
  }
  const totalMs = [...ownMs.values()].reduce((sum, ms) => sum + ms, 0);
  return [...ownMs]
    .sort(([, a], [, b]) => b - a)
    .slice(0, rowsMax)
    .map(([name, ms]) => [name, ms.toFixed(1), `${((ms * 100) / totalMs).toFixed(1)} %`]);
}

function nameOf({ functionName, url, lineNumber }) {
  const name = functionName || "(anonymous)";
  return url === "" ? name : `${name} ${basename(url)}:${lineNumber + 1}`;
}

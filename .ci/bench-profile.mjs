// Where one contender spends its time: has it profile what it measures, and adds up the samples of each function.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { library } from "../bench/lib/dist.mjs";
import { growSession, respaced } from "../bench/lib/grow-session.mjs";
import { withFolder } from "../bench/lib/measure.mjs";
import { tailOf } from "../bench/lib/prepared.mjs";

const root = resolve(import.meta.dirname, "..");
const rowsMax = 12;
/** Its own start and end. */
const ofProfiler = "dispatch";
const sessionMb = 64;
const commitsPerMb = 14;

/** What stands for a new session of 64 MB, and what is particular about it. */
const places = {
  "{session}": {},
  "{resumable}": { unseenBytes: 0 },
  "{behind}": { unseenBytes: 2 ** 20 },
  "{respaced}": { print: respaced },
};

/**
 * `words`: a question, one of its roles and that one's words. `{session}` among them is a new session of 64 MB,
 * `{resumable}` one with its snapshot, `{behind}` one with a snapshot from before its last megabyte, `{respaced}` one with
 * white space between the tokens, `{folder}` an empty folder. Answers rows: function, milliseconds of its own, part of all.
 */
export function profileOf([question, ...words]) {
  return withFolder(async (folder) => {
    const session = join(folder, "session.jsonl");
    const place = Object.keys(places).find((name) => words.includes(name));
    if (place !== undefined) await makeSession(session, places[place]);
    const work = join(folder, "work");
    mkdirSync(work);
    const filled = words.map((word) => (word === place ? session : word.replace("{folder}", work)));
    const profile = join(folder, "measured.cpuprofile");
    const script = join(root, "bench", `${question}.mjs`);
    const { status } = spawnSync(process.execPath, ["--expose-gc", script, ...filled], {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, SESSION_JOURNAL_PROFILE: profile },
    });
    if (status !== 0 || !existsSync(profile)) throw new Error(`no profile of ${question} ${words.join(" ")}`);
    return rowsOf(JSON.parse(readFileSync(profile, "utf8")));
  });
}

async function makeSession(file, { print, unseenBytes }) {
  growSession(file, sessionMb * 2 ** 20, sessionMb * commitsPerMb, { print });
  if (unseenBytes === undefined) return;
  const tail = tailOf(file, unseenBytes);
  const { openJournal } = await library();
  const journal = await openJournal(file);
  await journal.snapshot();
  await journal.close();
  appendFileSync(file, tail);
}

function rowsOf({ nodes, samples, timeDeltas }) {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const ownMs = new Map();
  for (const [index, id] of samples.entries()) {
    const name = names.get(id);
    if (name === ofProfiler) continue;
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

// How long do `verify` and `report` take on 500 MB, against reading it?
import { join } from "node:path";
import { timeCommand } from "./lib/command.mjs";
import { growSession } from "./lib/grow-session.mjs";
import { leastFold } from "./lib/least-fold.mjs";
import { leastReport } from "./lib/least-report.mjs";
import { medianOf, peakMb, ratioOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 3;
const sizeBytes = 500 * 2 ** 20;
const commits = 7000;
const parsing = "parsing every line alone";
const least = "what no report can leave out, in one function";

await ask(import.meta.filename, "How long do verify and report take on 500 MB?", { command, parse, bare }, compare);

async function command(...words) {
  const { ms, peakMb, errors } = await timeCommand(...words);
  return { ms, peakMb, tellsProgress: errors.includes("at work") };
}

/** No more than reading the file and parsing every line of it, in a process that has begun. */
function parse(file) {
  const { ms } = leastFold(file, "parsingAll");
  return { ms, peakMb: peakMb(), tellsProgress: false };
}

/** In a process that has begun, too. */
async function bare(file, target) {
  const { ms, events } = await leastReport(file, target);
  if (events !== commits) throw new Error(`${events} events are printed`);
  return { ms, peakMb: peakMb(), tellsProgress: false };
}

/** `show` without a snapshot is a cold fold. */
function compare(question) {
  const file = join(question.folder, "session.jsonl");
  growSession(file, sizeBytes, commits);
  const runs = question.interleave(
    [
      { name: "show, a cold fold", isOurs: true, words: ["command", "show", file] },
      { name: "verify", isOurs: true, words: ["command", "verify", file] },
      { name: "report", isOurs: true, words: ["command", "report", file, "-o", join(question.folder, "report.html")] },
      { name: parsing, words: ["parse", file] },
      { name: least, words: ["bare", file, join(question.folder, "least.json")] },
    ],
    rounds,
  );
  const [fold, verify, report] = [...runs.values()];
  question.table(`A session of 500 MB with ${commits} commits; whole processes.`, [
    ["", "ms", "against a cold fold", "peak MB", "tells its progress"],
    ...[...runs].map(([name, answers]) => [
      name,
      milliseconds(medianOf(answers, "ms")),
      `${ratioOf(answers, "ms", fold).toFixed(2)} ×`,
      medianOf(answers, "peakMb").toFixed(0),
      [parsing, least].includes(name)
        ? ""
        : answers.every(({ ms, tellsProgress }) => tellsProgress || ms < 1500)
          ? "yes"
          : "no",
    ]),
  ]);
  question.gate("verify", ratioOf(verify, "ms", fold));
  question.gate("report", ratioOf(report, "ms", fold));
}

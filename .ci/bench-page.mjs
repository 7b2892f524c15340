// Makes docs/performance.md of bench/results.json, which holds what every question found, and of
// bench/explanations.json: why a gate is missed.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gates } from "../bench/lib/gates.mjs";
import { withUnit } from "../bench/lib/numbers.mjs";

const root = resolve(import.meta.dirname, "..");
const results = join(root, "bench", "results.json");

/**
 * For each number of a gate that may be missed: `{ title, why, tried?, profile? }`. `why` has paragraphs, `tried` what gained nothing or
 * cost too much, and `profile` the words of `--profile`.
 */
const explanations = JSON.parse(readFileSync(join(root, "bench", "explanations.json"), "utf8"));

/** What the questions with gates have left in a folder, and profiles of what is missed. Those that were not asked here stay as they were. */
export async function gather(folder, profileOf, asked = []) {
  const known = readFound();
  const isNew = (question) => (asked.length === 0 || asked.includes(question)) && existsSync(fileOf(folder, question));
  const questions = [...new Set(gates.map(({ question }) => question))].map((question) => {
    if (isNew(question)) return JSON.parse(readFileSync(fileOf(folder, question), "utf8"));
    const before = known.questions.find((each) => each.question === question);
    if (before === undefined) throw new Error(`${question} has not been asked yet: npm run bench -- ${question}`);
    return before;
  });
  const missed = questions.flatMap(({ question, gates: answered }) =>
    answered.filter(({ verdict }) => verdict === "missed").map(({ number }) => ({ question, number })),
  );
  const numbers = [...new Set(missed.map(({ number }) => number))].sort((a, b) => a - b);
  const profiles = [];
  for (const number of numbers) {
    const words = explanations[number]?.profile;
    if (words === undefined) continue;
    const before = known.profiles.find((each) => each.number === number);
    const isOld = before !== undefined && !missed.some((each) => each.number === number && isNew(each.question));
    profiles.push({ number, words, rows: isOld ? before.rows : await profileOf(words) });
  }
  return { questions, profiles };
}

function fileOf(folder, question) {
  return join(folder, `${question}.json`);
}

export function writePage(found) {
  writeFileSync(results, `${JSON.stringify(found, null, 1)}\n`);
  writeFileSync(join(root, "docs", "performance.md"), pageOf(found));
}

export function readFound() {
  return JSON.parse(readFileSync(results, "utf8"));
}

export function pageOf({ questions, profiles }) {
  const all = questions.flatMap((question) => question.gates).sort((a, b) => a.number - b.number);
  const missed = [...new Set(all.filter(({ verdict }) => verdict === "missed").map(({ number }) => number))];
  return `${[
    ...introduction,
    table([["", "measured", "gate", "verdict"], ...all.map(verdictRow)]),
    ...(missed.length === 0 ? [] : ["## What is missed, and why"]),
    ...missed.flatMap((number) => missedSection(number, profiles)),
    ...again,
    ...questions.flatMap(questionSection),
  ].join("\n\n")}\n`;
}

const introduction = [
  "# Performance",
  `\`npm run bench\` makes this page; nobody types a number. The contenders of a question take turns in one run, each in a process of its own. A ratio is
the median of the ratios of all rounds. Read the ratios rather than the times, because the times are those of one machine.

A gate is the limit that we set for a figure: it holds or it is missed. The table lists every gate with its number and its question. Each question has a
section below, which shows who was compared, and when and where it was measured.

A *cold fold* reads a session from its first byte, without a snapshot. Half of the times are below *p50*, and 99 of 100 are below *p99*. *Fairness* is
Jain's index: 1 if all writers came equally often, and 1/n if one of n had everything.`,
];

const again = [
  "## Again",
  `\`\`\`sh
npm run bench                                       # every question, and this page
npm run bench -- append refresh                     # two of them
npm run bench -- --rounds 1 append                  # a quick look
npm run bench -- --page append                      # and this page; the other questions keep their results
npm run bench -- --against HEAD~1 append            # the previous build and this one take turns: old, new, new / old
npm run bench -- --profile cold-open open {session} # where one contender spends its time
\`\`\``,
  `Every contender is a process, \`node bench/<question>.mjs <role> <words>\`. Its roles are the second argument of \`ask\` in that file. \`--profile\` runs
a role that opens, resumes, appends, refreshes or contends under Node's profiler, and adds up the time that each function took itself during the
measurement. These words stand for files that it creates: \`{session}\` is a new session of 64 MB, \`{resumable}\` one with its snapshot, \`{behind}\` one
with a snapshot from before its last megabyte, \`{respaced}\` one with white space between the tokens, and \`{folder}\` an empty folder. To see the whole
profile, run the contender yourself and open the file in a browser's developer tools:
\`SESSION_JOURNAL_PROFILE=open.cpuprofile node --expose-gc bench/cold-open.mjs open session.jsonl\`.`,
];

function missedSection(number, profiles) {
  const { title, why, tried = [] } = explanations[number] ?? { title: "", why: ["Not explained yet."] };
  const profile = profiles.find((one) => one.number === number);
  return [
    `### Gate ${number}${title && `: ${title}`}`,
    ...why,
    ...(tried.length === 0 ? [] : ["What was tried:", tried.map((each) => `- ${each}`).join("\n")]),
    ...(profile === undefined ? [] : profileSection(profile)),
  ];
}

function profileSection({ words, rows }) {
  const command = `\`npm run bench -- --profile ${words.map(shellWord).join(" ")}\``;
  return [`Where the time goes, by ${command}:`, table([["function", "own ms", ""], ...rows])];
}

function shellWord(word) {
  return /^[\w.{}/-]+$/.test(word) ? word : `'${word}'`;
}

function questionSection({ title, at, machine, load, tables, gates: answered }) {
  const numbers = [...new Set(answered.map(({ number }) => number))].join(", ");
  const loads = load.map(([minute]) => minute).join(" to ");
  return [
    `## ${title}`,
    `Gate ${numbers}. ${at.slice(0, 16).replace("T", " ")} UTC, ${machine}, load ${loads}.`,
    ...tables.flatMap(({ heading, rows }) => [heading, table(rows)]),
  ];
}

function verdictRow({ number, question, ratio, gate, verdict }) {
  const value = ratio === null ? "–" : gate === "a table" ? "below" : withUnit(gate, ratio);
  return [`${number}: ${question}`, value, gate, verdict === "holds" ? verdict : `**${verdict}**`];
}

/** The first row is the heading; the first column is on the left. */
function table([heading, ...rows]) {
  const lines = [heading, heading.map((_, column) => (column === 0 ? "---" : "---:")), ...rows];
  return lines.map((cells) => `| ${cells.map((cell) => `${cell}`.replaceAll("|", "\\|")).join(" | ")} |`).join("\n");
}

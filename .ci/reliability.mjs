// Makes docs/reliability.md of the results that are kept in fixtures/reliability: `node .ci/reliability.mjs [keep] [--print]`.
// keep: takes over first what the suites found in their last runs on this machine.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const cache = join(root, "node_modules", ".cache", "session-journal", "reliability");
const kept = join(root, "fixtures", "reliability");
const suites = readJson(join(root, "test", "reliability", "suites.json"));

if (process.argv.includes("keep")) keep();
const text = page(readJson(join(kept, "results.json")), readJson(join(kept, "mutants.json")));
if (process.argv.includes("--print")) process.stdout.write(text);
else writeFileSync(join(root, "docs", "reliability.md"), text);

/** The newest result of a suite, claim and size replaces the one that was kept. */
function keep() {
  if (!existsSync(cache)) return;
  const results = new Map(readJson(join(kept, "results.json")).map((result) => [keyOf(result), result]));
  for (const name of readdirSync(cache).filter((file) => /^(full|short)-.*\.json$/.test(file))) {
    const result = readJson(join(cache, name));
    results.set(keyOf(result), result);
  }
  const unknown = [...results.values()].filter(({ suite }) => !(suite in suites));
  for (const { suite } of unknown) console.error(`${suite} is not in test/reliability/suites.json: left out`);
  const known = [...results.values()].filter(({ suite }) => suite in suites);
  writeJson(
    "results.json",
    known.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
  );
  const mutants = join(cache, "mutants.json");
  if (existsSync(mutants)) writeJson("mutants.json", readJson(mutants));
}

function keyOf({ suite, claim, mode }) {
  return `${suite} ${claim} ${mode}`;
}

function page(results, mutants) {
  const promises = ["Nothing is lost", "Nothing is misread", "The file stays its host's", "Reading changes nothing"];
  return `# Reliability

For each [promise](../README.md#promises) there are suites of tests that try to break it. Every \`npm test\` runs them in a short form, except for
a few that take too long even so: the column "short" says "not run". This command runs them in full:

\`\`\`sh
npm run test:full
\`\`\`

\`node .ci/reliability.mjs\` makes this page from the numbers that the suites counted (\`fixtures/reliability\`). \`node .ci/reliability.mjs keep\` first
takes over the results of the last runs. If a suite needs root or a tool and does not have it, the name of its test says so.
\`SESSION_JOURNAL_SOAK_MINUTES=60\` makes the soak test last an hour. \`SESSION_JOURNAL_SEED\` repeats the random choices of a run, but not the timing
of its processes.

The column "short" says what a run with \`npm test\` covers, and the column "full" what the full run covers. The result is that of the full run, if
there was one. The column "run" says when that was, and of which commit: \`git log COMMIT.. -- src\` lists what has changed since. A "+" stands
behind a commit that had changes which were not committed yet.
${promises.map((promise, index) => promiseSection(`${index + 1}. ${promise}`, index + 1, results)).join("")}
## With a safeguard removed

A test that cannot fail proves nothing. So \`test/reliability/mutants.mjs\` removes one safeguard after the other from a copy of the sources. Each time, at
least one suite must fail.

${table(
  ["safeguard removed", "edit", "suite that failed", "its first failing test"],
  mutants.map(({ safeguard, edit, suite, test }) => [safeguard, edit, link(suite), test]),
)}
## Where it ran

${table(
  ["date", "size", "Node", "system", "machine"],
  unique(results.map(({ date, mode, node, kernel, machine }) => [date, mode, node, kernel, machine])),
)}`;
}

function promiseSection(title, promise, results) {
  const here = results.filter(({ suite }) => suites[suite].promise === promise);
  if (here.length === 0) return "";
  const claims = unique(here.map(({ suite, claim }) => [suite, claim]));
  const rows = claims.map(([suite, claim]) => {
    const of = (mode) => here.find((result) => keyOf(result) === keyOf({ suite, claim, mode }));
    const [short, full] = [of("short"), of("full")];
    const shown = full ?? short;
    const seed = shown.seed === undefined ? "" : String(shown.seed);
    const { isLong = false } = suites[suite];
    return [
      claim,
      link(suite),
      isLong ? "not run" : (short?.size ?? ""),
      full?.size ?? (isLong ? `${short.size}: a shorter form, run by itself` : "not run"),
      shown.outcome,
      seed,
      suites[suite].needs ?? "",
      `${shown.date}, ${shown.code}`,
    ];
  });
  return `\n## ${title}\n\n${table(["claim", "suite", "short", "full", "result", "seed", "needs", "run"], rows)}`;
}

/** The documents go with the package, the tests do not. */
function link(suite) {
  return `\`test/${suite}\``;
}

function table(head, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll("|", "\\|")).join(" | ")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

function unique(rows) {
  return [...new Map(rows.map((row) => [row.join("\0"), row])).values()];
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

function writeJson(name, items) {
  writeFileSync(join(kept, name), `[\n${items.map((item) => `  ${JSON.stringify(item)}`).join(",\n")}\n]\n`);
}

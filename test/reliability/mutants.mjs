// Takes one safeguard after the other out of a copy of the sources, and runs the suites that must turn red then:
// `node test/reliability/mutants.mjs [WORD]`, WORD being part of a safeguard's name. Leaves its table where
// `.ci/reliability.mjs keep` finds it. Ends with 1 where a mutant survives. `--list` prints the tagged lines and each
// mutant's edit and digest as JSON, and tries nothing.
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve, sep } from "node:path";
import { digestOf, guardsIn, without } from "./guards.mjs";

const root = resolve(import.meta.dirname, "../..");
const results = join(root, "node_modules", ".cache", "session-journal", "reliability");
const all = JSON.parse(readFileSync(join(import.meta.dirname, "mutants.json"), "utf8"));
const guards = guardsIn(root);
const word = process.argv[2] ?? "";
const mutants = all.filter(({ safeguard }) => safeguard.includes(word));

const copy = join(tmpdir(), `session-journal-mutants-${process.pid}`);
if (word === "--list") list();
else {
  mkdirSync(copy);
  try {
    tryAll();
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function list() {
  const edits = all.map((mutant) => {
    const guard = guardOf(mutant);
    const source = readFileSync(join(root, guard.file), "utf8");
    const after = without(source, guard, mutant.replace);
    return { ...mutant, line: guard.line, digest: digestOf(mutant, guard), source, after };
  });
  console.log(JSON.stringify({ tags: [...guards.keys()], edits }));
}

function tryAll() {
  if (mutants.length === 0) throw new Error(`no safeguard has ${JSON.stringify(word)} in its name: --list names them`);
  copyTree();
  const suites = [...new Set(mutants.flatMap((mutant) => mutant.suites))];
  const red = firstFailure(suites);
  if (red !== undefined) throw new Error(`red with every safeguard on: ${red.suite}, ${red.test}`);
  const rows = mutants.map(tryWithout);
  keep(rows);
  process.exitCode = rows.some(({ suite }) => suite === "") ? 1 : 0;
}

function guardOf({ tag }) {
  const guard = guards.get(tag);
  if (guard === undefined) throw new Error(`no source has the comment // @guard ${tag}`);
  return guard;
}

/** Of safeguards that were not tried now, the row of the last time stays, as long as it is of the same edit. */
function keep(rows) {
  const file = join(results, "mutants.json");
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const known = all.flatMap((mutant) => {
    const digest = digestOf(mutant, guardOf(mutant));
    return [...rows, ...before].find((row) => row.digest === digest) ?? [];
  });
  mkdirSync(results, { recursive: true });
  writeFileSync(file, JSON.stringify(known));
}

/** With a node_modules of its own, so that the copy's caches and results are its own, too. */
function copyTree() {
  const hosts = join(root, "test", "hosts", "node_modules");
  for (const name of ["src", "test", "fixtures", "package.json", "vitest.config.ts", "tsconfig.json"]) {
    const filter = (path) => path !== hosts && !path.startsWith(hosts + sep);
    cpSync(join(root, name), join(copy, name), { recursive: true, filter });
  }
  mkdirSync(join(copy, "node_modules"));
  for (const name of readdirSync(join(root, "node_modules")).filter((name) => !name.startsWith(".")))
    symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
}

function tryWithout(mutant) {
  const { safeguard, replace, suites } = mutant;
  const guard = guardOf(mutant);
  const { file, line } = guard;
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, without(source, guard, replace));
  try {
    const { suite, test } = firstFailure(suites) ?? { suite: "", test: "survived" };
    console.log(`${suite === "" ? "SURVIVED" : "killed"}: ${safeguard}\n    ${suite}: ${test}`);
    const edit = replace === "" ? `${file}: without \`${line}\`` : `${file}: \`${line}\` becomes \`${replace}\``;
    return { safeguard, digest: digestOf(mutant, guard), edit, suite, test };
  } finally {
    writeFileSync(path, source);
  }
}

/** Of the suites, run short; undefined where all are green. */
function firstFailure(suites) {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|SESSION_JOURNAL_)/.test(name)),
  );
  const vitest = join(root, "node_modules", "vitest", "vitest.mjs");
  const given = ["run", "--reporter=json", `--outputFile=${report}`, ...suites.map((suite) => join("test", suite))];
  const { status, stderr } = spawnSync(process.execPath, [vitest, ...given], { cwd: copy, env, encoding: "utf8" });
  if (status === 0) return undefined;
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  for (const { name, assertionResults } of testResults) {
    const failed = assertionResults.find((result) => result.status === "failed");
    if (failed !== undefined) return { suite: name.slice(join(copy, "test").length + 1), test: failed.fullName };
  }
  throw new Error(`no test of ${suites.join(", ")} could be run: ${stderr}`);
}

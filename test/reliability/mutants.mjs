// Takes one safeguard after the other out of a copy of the sources, and runs the suites that must turn red then:
// `node test/reliability/mutants.mjs [WORD]`, WORD being part of a safeguard's name. Leaves its table where
// `.ci/reliability.mjs keep` finds it. Ends with 1 where a mutant survives.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve, sep } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const results = join(root, "node_modules", ".cache", "session-journal", "reliability");
const all = JSON.parse(readFileSync(join(import.meta.dirname, "mutants.json"), "utf8"));
const word = process.argv[2] ?? "";
const mutants = all.filter(({ safeguard }) => safeguard.includes(word));

const copy = mkdtempSync(join(tmpdir(), "session-journal-mutants-"));
try {
  copyTree();
  const suites = [...new Set(mutants.flatMap((mutant) => mutant.suites))];
  const red = firstFailure(suites);
  if (red !== undefined) throw new Error(`red with every safeguard on: ${red.suite}, ${red.test}`);
  const rows = mutants.map(tryWithout);
  keep(rows);
  process.exitCode = rows.some(({ suite }) => suite === "") ? 1 : 0;
} finally {
  rmSync(copy, { recursive: true, force: true });
}

/** Of safeguards that were not tried now, the row of the last time stays. */
function keep(rows) {
  const file = join(results, "mutants.json");
  const before = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
  const known = all.flatMap(({ safeguard }) => [...rows, ...before].find((row) => row.safeguard === safeguard) ?? []);
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

function tryWithout({ safeguard, file, find, replace, suites }) {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  if (source.split(find).length !== 2) throw new Error(`${file} holds not exactly one ${find}`);
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    const { suite, test } = firstFailure(suites) ?? { suite: "", test: "survived" };
    console.log(`${suite === "" ? "SURVIVED" : "killed"}: ${safeguard}\n    ${suite}: ${test}`);
    return { safeguard, edit: `${file}: \`${find}\` becomes \`${replace}\``, suite, test };
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

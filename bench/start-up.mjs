// How long does a program take to start: the command line on a large session, the library, the MCP server?
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { clients } from "./lib/clients.mjs";
import { commandOf, dist, entryOf } from "./lib/dist.mjs";
import { growSession } from "./lib/grow-session.mjs";
import { digestOf, medianOf, ratioOf, run } from "./lib/measure.mjs";
import { median, milliseconds } from "./lib/numbers.mjs";
import { withSnapshots } from "./lib/prepared.mjs";
import { ask, builds } from "./lib/question.mjs";

const sizeBytes = 500 * 2 ** 20;
const commits = 3600;
/** Short ones: the more the better. */
const rounds = 31;
/** Other Nodes than the one that measures, one of each version: those of the real clients, and those that the variable names. */
const others = [
  ...new Map(
    [...clients.map(({ node }) => node), ...(process.env.SESSION_JOURNAL_NODES ?? "").split(delimiter)]
      .filter((node) => node !== "")
      .map((node) => [versionOf(node), node]),
  ).values(),
].filter((node) => versionOf(node) !== process.version);
const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "bench", version: "0" } },
};

await ask(import.meta.filename, "How long does a program take to start?", { untilAnswered }, compare);

/** From starting a server to the answer to its first request. */
async function untilAnswered(...command) {
  const start = performance.now();
  const server = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "inherit"] });
  server.stdin.write(`${JSON.stringify(initialize)}\n`);
  const [answer] = await once(server.stdout, "data");
  const ms = performance.now() - start;
  if (JSON.parse(answer).result?.serverInfo === undefined) throw new Error(`answered ${answer}`);
  server.stdin.end();
  await once(server, "exit");
  return { ms };
}

function compare(question) {
  const grown = join(question.folder, "session.jsonl");
  const expected = growSession(grown, sizeBytes, commits);
  const fileOf = withSnapshots(question.folder, grown);
  const main = ({ dist }) => commandOf(dist);
  const show = (build) => [process.execPath, main(build), "show", fileOf(build)];
  const importing = (file) => `import(${JSON.stringify(pathToFileURL(file).href)})`;
  const nothing = join(question.folder, "nothing.mjs");
  writeFileSync(nothing, "");

  // The command keeps what it compiled: here, not in the folder of whoever measures.
  process.env.XDG_CACHE_HOME = join(question.folder, "caches");
  const runs = question.interleave(
    [
      { name: "node -e 0", command: [process.execPath, "-e", "0"] },
      { name: "session-journal show", isOurs: true, command: show },
      ...others.flatMap((node) => [
        { name: `node -e 0, ${versionOf(node)}`, command: [node, "-e", "0"] },
        {
          name: `session-journal show, ${versionOf(node)}`,
          isOurs: true,
          command: (build) => [node, ...show(build).slice(1)],
        },
      ]),
      {
        name: 'import("session-journal")',
        isOurs: true,
        command: (build) => [process.execPath, "-e", importing(entryOf(build.dist))],
      },
      { name: "the code that show loads, not run", command: [process.execPath, unrun(question.folder, "cjs")] },
      {
        name: "importing the code of the library, not run",
        command: [process.execPath, "-e", importing(unrun(question.folder, "mjs"))],
      },
      { name: "importing nothing", command: [process.execPath, "-e", importing(nothing)] },
    ],
    rounds,
  );
  check(show, expected);
  const node = runs.get("node -e 0");
  const imported = runs.get('import("session-journal")');
  const shows = ["", ...others.map((other) => `, ${versionOf(other)}`)].map((under) =>
    overOf(runs.get(`session-journal show${under}`), runs.get(`node -e 0${under}`)),
  );
  question.table(
    `Whole processes, medians of ${rounds} rounds; the session has 500 MB, ${commits} commits and a snapshot.`,
    [["", "ms", "against node -e 0"], ...rowsOf(runs, "wallMs", node)],
  );
  question.gate("show", Math.max(...shows));
  question.gate("import", ratioOf(imported, "wallMs", node));

  const small = join(question.folder, "small.jsonl");
  growSession(small, 2 ** 20, 14);
  const alone = resolve(import.meta.dirname, "lib", "sdk-server.mjs");
  const servers = question.interleave(
    [
      { name: "the SDK alone", words: ["untilAnswered", alone] },
      { name: "session-journal mcp", isOurs: true, words: (build) => ["untilAnswered", main(build), "mcp", small] },
    ],
    rounds,
  );
  const [sdk, ours] = [...servers.values()];
  question.table("From starting an MCP server until it has answered `initialize`.", [
    ["", "ms", "against the SDK alone"],
    ...rowsOf(servers, "ms", sdk),
  ]);
  question.gate("mcp", ratioOf(ours, "ms", sdk));
}

/**
 * A file with all the code that `show` loads (cjs), or that importing the library loads (mjs), in a function that nobody
 * calls: no program that has so much code can start sooner.
 */
function unrun(folder, extension) {
  const loaded = extension === "cjs" ? /^(?:core|command)-/ : /^core-/;
  const from = dirname(extension === "cjs" ? commandOf(dist) : entryOf(dist));
  const texts = readdirSync(from)
    .filter((name) => loaded.test(name))
    .map((name) => readFileSync(join(from, name), "utf8").replace(/^(?:import|export) .*$/gm, ""));
  const file = join(folder, `unrun.${extension}`);
  const functions = texts.map((text, index) => `function unrun${index}() {\n${text}\n}`);
  writeFileSync(file, [...functions, extension === "cjs" ? "exports.made = unrun0;" : "export { unrun0 };"].join("\n"));
  return file;
}

/** The median of the rounds' own differences. */
function overOf(runs, base) {
  return median(runs.map(({ wallMs }, round) => wallMs - base[round].wallMs));
}

function versionOf(node) {
  return run(node, ["--version"]).trim();
}

function check(show, expected) {
  const [program, ...words] = show(builds[0]);
  const { version, state } = JSON.parse(run(program, [...words, "--json"]));
  if (version !== expected.version || digestOf(state) !== expected.digest) throw new Error("shown wrongly");
}

function rowsOf(runs, field, base) {
  return [...runs].map(([name, answers]) => [
    name,
    milliseconds(medianOf(answers, field)),
    `${ratioOf(answers, field, base).toFixed(2)} ×`,
  ]);
}

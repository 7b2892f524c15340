// How long does it take a new process to open a session, and how much memory, against the client that wrote it? With the
// snapshot that a writer leaves behind, and from the first byte.
// Sessions of 1 MB to 1 GB; `node bench/cold-open.mjs --quick` stops at 64 MB.
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openJournal } from "session-journal";
import { growSession } from "./lib/grow-session.mjs";
import { interleave, median, milliseconds, printSurroundings, printTable, withFolder } from "./lib/measure.mjs";

const hosts = resolve(import.meta.dirname, "../test/hosts");
const sizesMb = process.argv.includes("--quick") ? [1, 16, 64] : [1, 16, 64, 256, 1024];
const roundsFor = (sizeMb) => (sizeMb <= 64 ? 7 : sizeMb <= 256 ? 5 : 3);

if (process.argv[2] === "open") await open(process.argv[3], process.argv[4]);
else await withFolder(compare);

async function open(sessionManager, file) {
  const openSession = await opener(sessionManager);
  const rssBefore = process.memoryUsage.rss();
  const start = performance.now();
  const opened = await openSession(file);
  const ms = performance.now() - start;
  const peakMb = process.resourceUsage().maxRSS / 1024 - rssBefore / 1024 / 1024;
  console.log(JSON.stringify({ ms, peakMb: Math.max(0, peakMb), ...opened }));
}

async function opener(sessionManager) {
  if (sessionManager !== "ours") {
    const { SessionManager } = await import(sessionManager);
    return (file) => ({ entries: SessionManager.open(file).getEntries().length });
  }
  return async (file) => ({ version: (await openJournal(file, { readonly: true })).version });
}

async function compare(folder) {
  printSurroundings();
  console.log("median time, and memory at its peak beyond what the process had; × is how much longer a client takes:");
  console.log("than with a snapshot / than from the first byte\n");
  const clients = JSON.parse(readFileSync(resolve(hosts, "clients.json"), "utf8"));
  const ours = ["with a snapshot", "", "from the first byte", ""];
  const rows = [["size", "commits", ...ours, ...clients.flatMap(({ name }) => [name, "", "×"])]];
  for (const sizeMb of sizesMb) {
    const sized = resolve(folder, `${sizeMb}`);
    mkdirSync(sized);
    const bare = resolve(sized, "bare.jsonl");
    const file = resolve(sized, "session.jsonl");
    const commits = growSession(bare, sizeMb * 1024 * 1024, Math.min(500, 8 * sizeMb));
    copyFileSync(bare, file);
    await saveSnapshot(file);
    const contenders = [
      { name: "snapshot", words: ["open", "ours", file] },
      { name: "first byte", words: ["open", "ours", bare] },
      ...clients.map(({ name, sessionManager, node }) => ({
        name,
        words: ["open", pathToFileURL(resolve(hosts, sessionManager)).href, file],
        ...(node === null ? {} : { node: resolve(hosts, node) }),
      })),
    ];
    const runs = interleave(import.meta.filename, contenders, roundsFor(sizeMb));
    const [resumed, read, ...theirs] = contenders.map(({ name }) => runs.get(name));
    const wrong = [...resumed, ...read].find(({ version }) => version !== commits);
    if (wrong !== undefined) throw new Error(`opened wrongly: ${JSON.stringify(wrong)}`);
    const cells = [...timeAndMemory(resumed), ...timeAndMemory(read)];
    rows.push([`${sizeMb} MB`, commits, ...cells, ...theirs.flatMap((runs) => against(resumed, read, runs))]);
    rmSync(sized, { recursive: true });
  }
  printTable(rows);
}

async function saveSnapshot(file) {
  const journal = await openJournal(file);
  await journal.snapshot();
  await journal.close();
}

function medianOf(runs, what) {
  return median(runs.map((run) => run[what]));
}

function timeAndMemory(runs) {
  return [`${milliseconds(medianOf(runs, "ms"))} ms`, `${medianOf(runs, "peakMb").toFixed(0)} MB`];
}

function against(resumed, read, runs) {
  const failed = runs.find((run) => run.failed !== undefined);
  if (failed !== undefined) return ["cannot", "", failed.failed];
  const ratios = [resumed, read].map((ours) => (medianOf(runs, "ms") / medianOf(ours, "ms")).toFixed(1));
  return [...timeAndMemory(runs), `${ratios.join(" / ")} ×`];
}

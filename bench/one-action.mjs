// What does one durable action cost, against the client's own append of a custom entry, which is neither read back nor synced?
import { copyFileSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { openJournal } from "session-journal";
import { interleave, median, printSurroundings, printTable, withFolder } from "./lib/measure.mjs";

const hosts = resolve(import.meta.dirname, "../test/hosts");
const fixture = resolve(import.meta.dirname, "../fixtures/sessions/pi-0.73.1.jsonl");
const actions = 300;
const rounds = 5;

if (process.argv[2] === "append") await append(process.argv[3], process.argv[4]);
else await withFolder(compare);

async function append(who, folder) {
  const file = resolve(folder, `${process.pid}.jsonl`);
  copyFileSync(fixture, file);
  const appendOne = await appender(who, file);
  const times = [];
  for (let index = 0; index < actions; index++) {
    const text = `finding ${index}: ${"x".repeat(200)}`;
    const start = performance.now();
    await appendOne(text);
    times.push((performance.now() - start) * 1000);
  }
  times.sort((a, b) => a - b);
  console.log(JSON.stringify({ median: median(times), p99: times[Math.floor(times.length * 0.99)] }));
}

async function appender(who, file) {
  if (who === "fsync" || who === "os") {
    const journal = await openJournal(file, { durability: who });
    return (content) => journal.apply({ action: "set_notes", content });
  }
  const { SessionManager } = await import(who);
  const session = SessionManager.open(file);
  return (content) => session.appendCustomEntry("openclaw:scratchpad:notes", content);
}

function compare(folder) {
  printSurroundings();
  const clients = JSON.parse(readFileSync(resolve(hosts, "clients.json"), "utf8"));
  const contenders = [
    ...clients.map(({ name, sessionManager, node }) => ({
      name,
      words: ["append", pathToFileURL(resolve(hosts, sessionManager)).href, folder],
      ...(node === null ? {} : { node: resolve(hosts, node) }),
    })),
    { name: "durability: os", words: ["append", "os", folder] },
    { name: "durability: fsync", words: ["append", "fsync", folder] },
  ];
  const runs = interleave(import.meta.filename, contenders, rounds);
  const base = median(runs.get(contenders[0].name).map((run) => run.median));
  const rows = contenders.map(({ name }) => {
    const [middle, p99] = ["median", "p99"].map((what) => median(runs.get(name).map((run) => run[what])));
    return [name, middle.toFixed(0), p99.toFixed(0), `${(middle / base).toFixed(1)} ×`];
  });
  printTable([["one action", "median µs", "p99 µs", `against ${contenders[0].name}`], ...rows]);
}

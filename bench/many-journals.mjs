// What memory do a thousand open journals take, and a follower over ten thousand files?
import { copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { library } from "./lib/dist.mjs";
import { medianOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 7;
const journals = 1000;
const files = 10_000;

await ask(
  import.meta.filename,
  "What memory do many journals take?",
  { readers, writers, followers, folderFollower },
  compare,
);

async function readers(folder) {
  return opened(folder, { readonly: true });
}

async function followers(folder) {
  return opened(folder, { readonly: true, follow: true });
}

/** Each has appended once. */
async function writers(folder) {
  return opened(folder, { durability: "os" }, (journal) => journal.apply({ action: "set_notes", content: "one" }));
}

async function opened(folder, options, use = () => undefined) {
  const { openJournal } = await library();
  await use(await openJournal(join(folder, "first.jsonl"), options));
  const measured = measuring();
  const open = [];
  for (let index = 0; index < journals; index++) {
    const journal = await openJournal(join(folder, `${index}.jsonl`), options);
    await use(journal);
    open.push(journal);
  }
  const found = measured(journals);
  if (open.some(({ version }) => version === 0)) throw new Error("a journal is empty");
  return found;
}

async function folderFollower(folder) {
  const { openJournals } = await library();
  const all = await openJournals(folder);
  const measured = measuring();
  const ending = new AbortController();
  const changes = all.follow({ signal: ending.signal });
  const next = changes.next();
  await sleep(0);
  let isTold = false;
  void next.then(() => {
    isTold = true;
  });
  const writer = await (await library()).openJournal(join(folder, "1.jsonl"), { durability: "os" });
  while (!isTold) {
    await writer.apply({ action: "set_notes", content: `${performance.now()}` });
    await sleep(200);
  }
  const found = measured(files);
  ending.abort();
  return found;
}

/** Each of so many, in KB; with the descriptors and the time that they took together. */
function measuring() {
  const before = usage();
  const start = performance.now();
  return (count) => {
    const ms = performance.now() - start;
    const after = usage();
    const each = (field) => (after[field] - before[field]) / 1024 / count;
    return {
      totalMb: after.rss / 2 ** 20,
      eachKb: each("rss"),
      heapKb: each("heapUsed"),
      fds: after.fds - before.fds,
      ms,
    };
  };
}

function usage() {
  globalThis.gc();
  globalThis.gc();
  const { rss, heapUsed } = process.memoryUsage();
  return { rss, heapUsed, fds: readdirSync("/proc/self/fd").length };
}

/** Small, so that ten thousand are soon copied. */
async function makeSession(file) {
  const { openJournal } = await library();
  const journal = await openJournal(file, { durability: "os" });
  for (let index = 0; index < 5; index++) await journal.apply({ action: "set_notes", content: `finding ${index}` });
  await journal.close();
}

async function compare(question) {
  const grown = join(question.folder, "grown.jsonl");
  await makeSession(grown);
  const folder = join(question.folder, "all");
  mkdirSync(folder);
  for (let index = 0; index < files - 1; index++) copyFileSync(grown, join(folder, `${index}.jsonl`));
  copyFileSync(grown, join(folder, "first.jsonl"));
  const names = {
    readers: `${journals} journals, opened to read`,
    writers: `${journals} journals that have appended`,
    followers: `${journals} journals that follow`,
    folderFollower: `a follower of ${files} files`,
  };
  const contenders = Object.entries(names).map(([role, name]) => ({ name, isOurs: true, words: [role, folder] }));
  const runs = question.interleave(contenders, rounds);
  question.table(
    "Sessions of five commits, without messages. What one takes is what was resident more, divided by how many there are.",
    [
      ["", "process MB", "KB each", "KB each, heap", "descriptors", "s to get there"],
      ...[...runs].map(([name, answers]) => [
        name,
        medianOf(answers, "totalMb").toFixed(0),
        milliseconds(medianOf(answers, "eachKb")),
        milliseconds(medianOf(answers, "heapKb")),
        medianOf(answers, "fds"),
        (medianOf(answers, "ms") / 1000).toFixed(1),
      ]),
    ],
  );
  question.gate("memory", medianOf(runs.get(names.readers), "eachKb"));
}

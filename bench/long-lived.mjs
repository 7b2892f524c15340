// How much memory does a handle hold that has appended 100,000 times?
import { join } from "node:path";
import { library } from "./lib/dist.mjs";
import { medianOf } from "./lib/measure.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 1;
const warmUps = 5000;
const appends = 100_000;

await ask(import.meta.filename, "How much memory does a handle hold that appends for long?", { append }, compare);

/** What is held more after the last than after the warm-up, once what nobody needs is collected, MB. */
async function append(folder) {
  const { openJournal } = await library();
  const journal = await openJournal(join(folder, `${process.pid}.jsonl`), { durability: "os", lock: { mode: "off" } });
  const upTo = async (count) => {
    while (journal.version < count)
      await journal.notes.set(
        `step ${journal.version}: the test of the parser fails at line ${journal.version % 211}, see the log`,
      );
  };
  await upTo(warmUps);
  const before = held();
  await upTo(appends);
  return { mb: (held() - before) / 1e6, version: journal.version };
}

function held() {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function compare(question) {
  const runs = question.interleave([{ name: "a handle", isOurs: true, words: ["append", question.folder] }], rounds);
  const found = runs.get("a handle");
  if (found.some(({ version }) => version !== appends)) throw new Error("appends are missing");
  question.table(`Held after ${appends} appends, more than after ${warmUps}: on the heap and beside it.`, [
    ["", "MB"],
    ["a handle that appends alone", medianOf(found, "mb").toFixed(1)],
  ]);
  question.gate("held", medianOf(found, "mb"));
}

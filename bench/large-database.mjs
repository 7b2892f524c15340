// What does an SQLite store with a million events cost?
import { rmSync } from "node:fs";
import { join } from "node:path";
import { library } from "./lib/dist.mjs";
import { medianOf, peakMb } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 1;
const sizes = [10_000, 100_000, 1_000_000];
/** In each commit. */
const events = 100;

await ask(import.meta.filename, "What does an SQLite store with a million events cost?", { fill, read }, compare);

async function fill(database, count) {
  const { openJournal } = await library();
  const journal = await openJournal(`sqlite:${database}#s`, { durability: "os" });
  const start = performance.now();
  for (let version = 0; version < Number(count); version += events) {
    const actions = Array.from({ length: events }, (_, index) => ({
      action: "entries.write",
      key: `finding-${index}`,
      content: `step ${version + index}: the test of the parser fails, see the log of the run`,
    }));
    await journal.applyAll(actions);
  }
  const ms = performance.now() - start;
  await journal.close();
  return { ms };
}

async function read(database) {
  const { openJournal } = await library();
  const start = performance.now();
  const journal = await openJournal(`sqlite:${database}#s`, { readonly: true });
  const openMs = performance.now() - start;
  let count = 0;
  for await (const { version } of journal.history()) count = version;
  return { openMs, ms: performance.now() - start - openMs, count, peakMb: peakMb() };
}

function compare(question) {
  const rows = sizes.map((size) => {
    const database = join(question.folder, `${size}.db`);
    const filled = question.interleave([{ name: `fill ${size}`, words: ["fill", database, String(size)] }], rounds);
    const found = question
      .interleave([{ name: `read ${size}`, words: ["read", database] }], rounds)
      .get(`read ${size}`);
    if (found.some(({ count }) => count !== size)) throw new Error("events are missing");
    rmSync(database);
    const [fillMs] = filled.get(`fill ${size}`);
    const figures = [fillMs.ms, medianOf(found, "openMs"), medianOf(found, "ms")].map(milliseconds);
    return [size, ...figures, medianOf(found, "peakMb").toFixed(0)];
  });
  question.table(`Written ${events} at a time; opened with the snapshot that was kept; the whole history read.`, [
    ["events", "to write, ms", "to open, ms", "to read all, ms", "peak MB of reading"],
    ...rows,
  ]);
  question.gate("table", 1);
}

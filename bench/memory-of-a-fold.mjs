// How much memory does reading a session take at its peak, whatever its size, and is one enormous line slower than many?
import { rmSync } from "node:fs";
import { join } from "node:path";
import { library } from "./lib/dist.mjs";
import { growSession } from "./lib/grow-session.mjs";
import { digestOf, medianOf, peakMb, ratioOf } from "./lib/measure.mjs";
import { milliseconds } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 7;
const megabyte = 2 ** 20;
const commitsPerMb = 14;
const sizes = {
  "1 MB": { sizeBytes: megabyte },
  "256 MB": { sizeBytes: 256 * megabyte },
  "256 MB, 200 MB of it in one line": { sizeBytes: 256 * megabyte, longLineBytes: 200 * megabyte },
  "1 GB": { sizeBytes: 1024 * megabyte },
};

await ask(import.meta.filename, "How much memory does reading a session take?", { open, nothing }, compare);

/** The whole process, from its start. */
async function open(file) {
  const { openJournal } = await library();
  const start = performance.now();
  const { version, state } = await openJournal(file, { readonly: true });
  return { ms: performance.now() - start, peakMb: peakMb(), version, digest: digestOf(state) };
}

async function nothing() {
  await library();
  return { ms: 0, peakMb: peakMb() };
}

function compare(question) {
  const grown = Object.entries(sizes).map(([name, { sizeBytes, longLineBytes }]) => {
    const file = join(question.folder, `${name}.jsonl`);
    const expected = growSession(file, sizeBytes, (sizeBytes / megabyte) * commitsPerMb, { longLineBytes });
    return { name, sizeBytes, expected, contender: { name, isOurs: true, words: ["open", file] } };
  });
  const contenders = grown.map(({ contender }) => contender);
  const runs = question.interleave([{ name: "the library alone", words: ["nothing"] }, ...contenders], rounds);
  for (const { name, expected } of grown) {
    const wrong = runs
      .get(name)
      .find(({ version, digest }) => version !== expected.version || digest !== expected.digest);
    if (wrong !== undefined) throw new Error(`${name}: read wrongly: ${JSON.stringify(wrong)}`);
  }
  const small = runs.get("1 MB");
  question.table(`A cold fold, ${commitsPerMb} commits in each MB; resident memory of the whole process.`, [
    ["session", "peak MB", "against 1 MB", "ms"],
    ...[...runs].map(([name, answers]) => [
      name,
      medianOf(answers, "peakMb").toFixed(0),
      `${ratioOf(answers, "peakMb", small).toFixed(2)} ×`,
      milliseconds(medianOf(answers, "ms")),
    ]),
  ]);
  question.gate("peak", ratioOf(runs.get("1 GB"), "peakMb", small));
  question.gate("line", ratioOf(runs.get("256 MB, 200 MB of it in one line"), "ms", runs.get("256 MB")));
  for (const { contender } of grown) rmSync(contender.words[1]);
}

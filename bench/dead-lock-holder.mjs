// A process is killed while it holds the lock: how long until the next append of another is accepted?
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { library } from "./lib/dist.mjs";
import { medianOf } from "./lib/measure.mjs";
import { milliseconds, quantile } from "./lib/numbers.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 11;
const waitMs = 250;

await ask(import.meta.filename, "How long does a dead lock holder keep the others waiting?", { wait, write }, compare);

/** Kills a writer again and again until it dies with the lock in its hands. */
async function wait(folder) {
  const file = join(folder, `${process.pid}.jsonl`);
  const { openJournal } = await library();
  const journal = await openJournal(file, { lock: { waitMs } });
  const lock = join(dirname(file), ".session-journal", `${process.pid}.jsonl.lock`);
  let kills = 0;
  do {
    const holder = spawn(process.execPath, [import.meta.filename, "write", file], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => holder.stdout.once("data", resolve));
    await sleep(20 + Math.random() * 30);
    const ended = new Promise((resolve) => holder.once("exit", resolve));
    holder.kill("SIGKILL");
    await ended;
    kills += 1;
  } while (!existsSync(lock));
  const version = journal.version;
  const start = performance.now();
  const answer = await journal.apply({ action: "set_plan", content: "go on" });
  const first = performance.now() - start;
  const again = performance.now();
  await journal.apply({ action: "set_plan", content: "and on" });
  const second = performance.now() - again;
  const { ok } = await journal.verify();
  await journal.close();
  if (!answer.ok || !ok || journal.version <= version) throw new Error("the append was not accepted");
  return { first, second, kills };
}

async function write(file) {
  const { openJournal } = await library();
  const journal = await openJournal(file);
  process.stdout.write("writing\n");
  for (let index = 0; ; index++) {
    await Promise.all(
      Array.from({ length: 32 }, (_, one) => journal.apply({ action: "set_notes", content: `${index}.${one}` })),
    );
  }
}

function compare(question) {
  const runs = question.interleave(
    [{ name: "session-journal", isOurs: true, words: ["wait", question.folder] }],
    rounds,
  );
  const answers = runs.get("session-journal");
  const longest = (field) =>
    quantile(
      answers.map((answer) => answer[field]),
      1,
    );
  question.table(`The lock is waited for ${waitMs} ms, and ${rounds} of its holders were killed.`, [
    ["append after the kill", "median ms", "longest ms"],
    ...["first", "second"].map((field) => [
      field,
      milliseconds(medianOf(answers, field)),
      milliseconds(longest(field)),
    ]),
  ]);
  question.gate("wait", medianOf(answers, "first"));
}

// How long after an append does a follower show it, against a bare fs.watch that reads the new bytes?
import { fork } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openJournal } from "session-journal";

/** Milliseconds between two appends, and how many there are. */
const spacings = [
  [100, 100],
  [10, 500],
];

/** On one machine the same clock in every process. */
const nowMs = () => Number(process.hrtime.bigint()) / 1e6;

if (process.argv[2] === "append") await append(process.argv[3], Number(process.argv[4]), Number(process.argv[5]));
else await compare();

/** Appends value lines as another runtime would, each with the time of its append. */
async function append(file, spacingMs, count) {
  for (let index = 0; index < count; index++) {
    await sleep(spacingMs);
    const data = String(nowMs());
    const entry = { type: "custom", customType: "openclaw:scratchpad:notes", data, id: `${index}`, parentId: null };
    fs.appendFileSync(file, `${JSON.stringify(entry)}\n`);
  }
}

async function compare() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-bench-"));
  console.log("spacing   what           seen     median      p99   (ms; × is against fs.watch)");
  try {
    for (const [spacingMs, count] of spacings) {
      const bare = await measure(path.join(folder, `bare-${spacingMs}.jsonl`), spacingMs, count, followBare);
      const ours = await measure(path.join(folder, `ours-${spacingMs}.jsonl`), spacingMs, count, followOurs);
      for (const [name, times] of Object.entries({ "fs.watch": bare, onChange: ours })) {
        const ratio = name === "onChange" ? ` (${(at(times, 0.5) / at(bare, 0.5)).toFixed(1)}×)` : "";
        const cells = [at(times, 0.5), at(times, 0.99)].map((ms) => ms.toFixed(2).padStart(9));
        console.log(
          `${`${spacingMs} ms`.padEnd(10)}${name.padEnd(12)}${`${times.length}/${count}`.padStart(9)}${cells.join("")}${ratio}`,
        );
      }
    }
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

async function measure(file, spacingMs, count, follow) {
  fs.writeFileSync(
    file,
    `${JSON.stringify({ type: "session", version: 3, id: "bench", timestamp: new Date(), cwd: "/" })}\n`,
  );
  const times = [];
  const stop = await follow(file, (appendedAt) => times.push(nowMs() - appendedAt));
  await sleep(300);
  const child = fork(import.meta.filename, ["append", file, String(spacingMs), String(count)]);
  await new Promise((resolve) => child.once("exit", resolve));
  await sleep(1000);
  await stop();
  return times.sort((a, b) => a - b);
}

async function followBare(file, seen) {
  const descriptor = fs.openSync(file, "r");
  let position = fs.statSync(file).size;
  const watcher = fs.watch(file, () => {
    const bytes = Buffer.alloc(fs.fstatSync(descriptor).size - position);
    position += fs.readSync(descriptor, bytes, 0, bytes.length, position);
    for (const line of bytes.toString().split("\n").slice(0, -1)) seen(Number(JSON.parse(line).data));
  });
  return () => {
    watcher.close();
    fs.closeSync(descriptor);
  };
}

async function followOurs(file, seen) {
  const journal = await openJournal(file, { readonly: true, follow: true });
  journal.onChange(({ state }) => seen(Number(state.notes)));
  return () => journal.close();
}

function at(times, part) {
  return times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
}

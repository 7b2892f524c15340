// How long does it take to open a session, against the size of its file, with a snapshot and without?
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openJournal } from "session-journal";

const sizesMb = process.argv.includes("--large") ? [1, 10, 100, 1000] : [1, 10, 100];
const rounds = 5;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-bench-"));

console.log(
  "file      commits   snapshot      read bytes   no snapshot     with one     halfway   (median, ms; × is against reading the bytes)",
);
try {
  for (const sizeMb of sizesMb) await measure(sizeMb);
} finally {
  fs.rmSync(folder, { recursive: true });
}

async function measure(sizeMb) {
  const file = path.join(folder, `${sizeMb}.jsonl`);
  const snapshot = path.join(folder, ".session-journal", `${sizeMb}.jsonl.snapshot.json`);
  await grow(file, sizeMb / 2);
  await save(file);
  const halfway = fs.readFileSync(snapshot);
  const version = await grow(file, sizeMb / 2);
  await save(file);
  const current = fs.readFileSync(snapshot);

  const raw = await median(() => readBytes(file));
  fs.rmSync(snapshot);
  const cold = await median(() => open(file));
  fs.writeFileSync(snapshot, current);
  const warm = await median(() => open(file));
  fs.writeFileSync(snapshot, halfway);
  const half = await median(() => open(file));
  const cells = [cold, warm, half].map((ms) => `${ms.toFixed(1)} (${(ms / raw).toFixed(2)}×)`.padStart(14));
  const kilobytes = `${(current.length / 1024).toFixed(0)} KB`.padStart(8);
  console.log(
    `${`${sizeMb} MB`.padEnd(9)} ${String(version).padEnd(9)}${kilobytes} ${raw.toFixed(1).padStart(14)}${cells.join("")}`,
  );
  fs.rmSync(file);
}

/** A conversation in messages of 4 KB; one commit in 25 of them. */
async function grow(file, megabytes) {
  const journal = await openJournal(file, { durability: "os", mirror: false, lock: { mode: "off" } });
  const message = {
    role: "assistant",
    content: [{ type: "text", text: 'The test in "auth.ts" still fails: the token has expired by then.\n'.repeat(60) }],
  };
  const line = `${JSON.stringify({ type: "message", id: "0000beef", parentId: null, message })}\n`;
  const to = fs.statSync(file).size + megabytes * 2 ** 20;
  while (fs.statSync(file).size < to) {
    fs.appendFileSync(file, line.repeat(25));
    await journal.notes.set(`notes at ${fs.statSync(file).size}`);
  }
  await journal.close();
  return journal.version;
}

async function save(file) {
  const journal = await openJournal(file);
  await journal.snapshot();
  await journal.close();
}

async function open(file) {
  const journal = await openJournal(file, { readonly: true });
  await journal.close();
}

function readBytes(file) {
  const chunk = Buffer.allocUnsafe(64 * 1024);
  const descriptor = fs.openSync(file, "r");
  while (fs.readSync(descriptor, chunk) > 0);
  fs.closeSync(descriptor);
}

async function median(work) {
  const times = [];
  for (let round = 0; round < rounds; round++) {
    const start = performance.now();
    await work();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[rounds >> 1];
}

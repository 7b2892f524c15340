// What does it cost to read one new event, or to find that there is none, against reading the new bytes and parsing them?
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { openJournal } from "session-journal";

const rounds = 2000;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-bench-"));
const file = path.join(folder, "session.jsonl");

try {
  const journal = await openJournal(file, { durability: "os" });
  fs.appendFileSync(file, `${JSON.stringify({ type: "message", text: "x".repeat(4000) })}\n`.repeat(2500));
  await journal.refresh();
  const descriptor = fs.openSync(file, "r");
  let position = fs.fstatSync(descriptor).size;
  const bare = [];
  const one = [];
  const none = [];
  for (let round = 0; round < rounds; round++) {
    const entry = {
      type: "custom",
      customType: "openclaw:scratchpad:notes",
      data: `${round}`,
      id: `n${round}`,
      parentId: null,
    };
    fs.appendFileSync(file, `${JSON.stringify(entry)}\n`);
    bare.push(timed(() => readNew(descriptor)));
    one.push(await timedAsync(() => journal.refresh()));
    none.push(await timedAsync(() => journal.refresh()));
  }
  if (journal.state.notes !== `${rounds - 1}`) throw new Error("an event was missed");
  fs.closeSync(descriptor);
  await journal.close();
  console.log("what                        median      p99   (µs; × is against reading and parsing the bytes)");
  for (const [name, times] of Object.entries({
    "read and parse the bytes": bare,
    "refresh, one event": one,
    "refresh, nothing new": none,
  })) {
    times.sort((a, b) => a - b);
    const [median, p99] = [times[rounds >> 1], times[Math.floor(rounds * 0.99)]];
    const ratio = (median / bare[rounds >> 1]).toFixed(1);
    console.log(`${name.padEnd(26)}${median.toFixed(0).padStart(8)}${p99.toFixed(0).padStart(9)}   (${ratio}×)`);
  }

  function readNew(from) {
    const bytes = Buffer.allocUnsafe(fs.fstatSync(from).size - position);
    position += fs.readSync(from, bytes, 0, bytes.length, position);
    for (const line of bytes.toString().split("\n").slice(0, -1)) JSON.parse(line);
  }
} finally {
  fs.rmSync(folder, { recursive: true });
}

function timed(work) {
  const start = performance.now();
  work();
  return (performance.now() - start) * 1000;
}

async function timedAsync(work) {
  const start = performance.now();
  await work();
  return (performance.now() - start) * 1000;
}

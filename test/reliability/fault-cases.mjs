/**
 * Runs cases of a failing disk one after the other: NDJSON on standard input, a line of NDJSON for each on standard output.
 * A case: `{ name, stage, durability, lock, fault }` with `fault` as of `failAt`, or `{ seed, probability }`.
 */

import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { failAt, failAtRandom, failNoMore, withoutFailing } from "./faulty-fs.mjs";

const { DiskWriter } = await import("./disk-writer.mjs");
const { openJournal } = await import("../../dist/index.js");

/** No disk is needed to fail. */
const memory = "/dev/shm";
const folder = fs.mkdtempSync(path.join(fs.existsSync(memory) ? memory : os.tmpdir(), "session-journal-"));
process.on("exit", () => fs.rmSync(folder, { recursive: true, force: true }));

let stray = [];
for (const event of ["unhandledRejection", "uncaughtException"])
  process.on(event, (error) => stray.push(`${event}: ${error?.stack ?? error}`));

let count = 0;
for (const line of fs.readFileSync(0, "utf8").trim().split("\n")) {
  const given = JSON.parse(line);
  const outcome = await run(given, path.join(folder, `session-${count++}.jsonl`)).catch((error) => {
    failNoMore();
    return { name: given.name, failures: 0, violations: [`with the fault gone: ${error?.stack ?? error}`] };
  });
  process.stdout.write(`${JSON.stringify(outcome)}\n`);
}

async function run({ name, stage, durability, lock, fault }, file) {
  stray = [];
  const writer = new DiskWriter(file, { durability, lock: { mode: lock } });
  if (stage === "append") await begin(writer);
  arm(fault);
  await writer.write("c0");
  await writer.write("c1");
  await writer.snapshot();
  await withoutFailing(() => anotherWrites(file, stage));
  await writer.refresh();
  for (const command of ["c2", "c3", "c0", "c4"]) await writer.write(command);
  failNoMore();
  await writer.check("with the fault gone");
  // The handle that has seen the fault goes on, then one that has not.
  for (const command of [...writer.fates.keys(), "c5"]) if (command.startsWith("c")) await writer.write(command);
  await mustAcknowledge(writer, "c5");
  await writer.snapshot();
  await writer.close();
  await writer.write("c6");
  await mustAcknowledge(writer, "c6");
  await writer.check("after it");
  await writer.close();
  fs.rmSync(file, { force: true });
  return { name, failures: writer.failures, violations: [...writer.violations, ...stray] };
}

async function begin(writer) {
  for (const command of ["b0", "b1", "b2"]) await writer.write(command);
  await writer.snapshot();
}

/** More than one piece of reading. */
async function anotherWrites(file, stage) {
  if (stage !== "append") return;
  const other = await openJournal(file, { actor: "other", durability: "os" });
  for (const key of ["x", "y", "z"]) await other.entries.write(key, key.repeat(60_000));
  await other.close();
}

async function mustAcknowledge(writer, last) {
  for (const [command, fate] of writer.fates) {
    if (command <= last && command.startsWith("c") && fate !== "acknowledged")
      writer.violations.push(`${command} is still ${fate} when the fault is gone`);
  }
}

function arm(fault) {
  if (fault.seed === undefined) failAt({ ...fault, times: fault.times ?? Number.POSITIVE_INFINITY });
  else failAtRandom({ ...fault, random: mulberry(fault.seed) });
}

/** Random numbers from 0 to 1 that a seed repeats. */
function mulberry(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

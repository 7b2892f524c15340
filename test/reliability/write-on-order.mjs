/**
 * Writes to a session when told to: node write-on-order.mjs FILE DURABILITY. Orders are lines of JSON on standard input,
 * each is answered by a line: how many failures were told so far, and what must not have happened.
 */
import fs from "node:fs";
import { createInterface } from "node:readline";
import { DiskWriter } from "./disk-writer.mjs";

const [file, durability] = process.argv.slice(2);
const writer = new DiskWriter(file, { durability, actor: "agent" });
const hoard = [];
for (const event of ["unhandledRejection", "uncaughtException"])
  process.on(event, (error) => writer.violations.push(`${event}: ${error?.stack ?? error}`));
// Else the system ends a process that reaches the limit of a file's size.
process.on("SIGXFSZ", () => undefined);

const orders = {
  write: async ({ commands }) => {
    for (const command of commands) await writer.write(command);
  },
  snapshot: () => writer.snapshot(),
  refresh: () => writer.refresh(),
  check: ({ when }) => writer.check(when),
  close: () => writer.close(),
  /** Every descriptor that the process may have, but so many. */
  hoard: ({ but }) => {
    try {
      for (;;) hoard.push(fs.openSync("/dev/null", "r"));
    } catch {
      for (const descriptor of hoard.splice(hoard.length - but, but)) fs.closeSync(descriptor);
    }
  },
  release: () => {
    for (const descriptor of hoard.splice(0)) fs.closeSync(descriptor);
  },
};

let done = Promise.resolve();
createInterface({ input: process.stdin }).on("line", (line) => {
  const order = JSON.parse(line);
  done = done.then(async () => {
    await orders[order.do](order);
    const { failures, violations, fates } = writer;
    process.stdout.write(`${JSON.stringify({ failures, violations, fates: Object.fromEntries(fates) })}\n`);
  });
});

/** A writer of the soak: `soak-writer FILE PAUSE_MS`. Appends now and then, prints what was acknowledged, ends with its input. */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openJournal } from "../../src/open/open-journal.ts";

const [file, pauseMs] = process.argv.slice(2) as [string, string];
const journal = await openJournal(file, { actor: "b" });
let over = false;
process.stdin.on("end", () => {
  over = true;
});
process.stdin.resume();
for (let index = 0; !over; index++) {
  await write(`b-${index}`);
  await sleep(Number(pauseMs));
}
// The host has stopped: whatever it took away last is put back.
await journal.refresh();
await journal.close();

async function write(command: string): Promise<void> {
  await journal.apply({ action: "refs.add", ref: command }, { command });
  fs.writeSync(1, `${command}\n`);
}

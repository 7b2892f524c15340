/**
 * Appends notes, each under a command of its own, and prints the command once it is acknowledged. `from` is where it goes
 * on after it was killed: the command that was in doubt is sent again.
 */
import fs from "node:fs";
import { openJournal } from "../../../src/open/open-journal.ts";

const [where, writer, from, count, mode, durability = "os", staleMs = "5000"] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  "always" | "off",
  ("fsync" | "os")?,
  string?,
];
const journal = await openJournal(where, { durability, actor: writer, lock: { mode, staleMs: Number(staleMs) } });
for (let index = Number(from); index < Number(from) + Number(count); index++) {
  const command = `${writer}-${index}`;
  const answer = await journal.apply({ action: "append_notes", content: command }, { command });
  if (answer.code === "over_budget") await journal.apply({ action: "set_notes", content: command });
  // Synchronous: what was printed was acknowledged before a signal could come between.
  fs.writeSync(1, `${command}\n`);
}
await journal.close();

/** Opens a session, verifies it, appends to it, and prints what was found and the most memory that this took. */
import { openJournal } from "../../../src/open/open-journal.ts";

const [file] = process.argv.slice(2) as [string];
const journal = await openJournal(file, { durability: "os" });
const { version, turn } = journal;
const { ok, findings } = await journal.verify();
const answer = await journal.plan.set("after the long line");
const kinds = findings.map(({ kind, line }) => `${kind} ${line}`);
// In KiB.
const { maxRSS } = process.resourceUsage();
await journal.close();
process.stdout.write(JSON.stringify({ version, turn, ok, kinds, after: answer.version, megabytes: maxRSS / 1024 }));

/** Opens a session, verifies it, appends to it, and prints what was found and the most memory that this took. */
import { existsSync, readFileSync } from "node:fs";
import { openJournal } from "../../../src/open/open-journal.ts";

const status = "/proc/self/status";
const [file] = process.argv.slice(2) as [string];
const journal = await openJournal(file, { durability: "os" });
const { version, turn } = journal;
const { ok, findings } = await journal.verify();
const answer = await journal.plan.set("after the long line");
const kinds = findings.map(({ kind, line }) => `${kind} ${line}`);
// Not `maxRSS`, which on Linux begins with that of the process that started this one.
const peak = /VmHWM:\s+(\d+)/.exec(existsSync(status) ? readFileSync(status, "utf8") : "")?.[1];
const megabytes = Number(peak ?? process.resourceUsage().maxRSS) / 1024;
await journal.close();
process.stdout.write(JSON.stringify({ version, turn, ok, kinds, after: answer.version, megabytes }));

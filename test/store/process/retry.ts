/** Sends one command once more, as a process does that was started anew, and prints the answer. */
import { openJournal } from "../../../src/open/open-journal.ts";

const [where, content, command] = process.argv.slice(2) as [string, string, string];
const journal = await openJournal(where);
const answer = await journal.apply({ action: "append_notes", content }, { command });
await journal.close();
process.stdout.write(JSON.stringify(answer));

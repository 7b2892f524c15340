// A server on the session of the first argument, configured by the second.
import { openJournal } from "session-journal";
import { serveMcp } from "session-journal/mcp";

const [file, config] = process.argv.slice(2);
const journal = await openJournal(file);
await serveMcp(journal, { config, version: "1.2.3" });
await journal.close();

/** Makes in a folder everything that this package makes of itself, and leaves without closing it. */
import path from "node:path";
import { openCompanion } from "../../../src/host/sessions.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { openPad } from "../../../src/open/open-pad.ts";
import { assembleWorkingMemory } from "../../../src/workspace/working-memory.ts";

const [folder] = process.argv.slice(2) as [string];
const journal = await openJournal(path.join(folder, "session.jsonl"));
await journal.notes.set("secret");
await journal.snapshot();
await assembleWorkingMemory({ journal, file: path.join(folder, "SCRATCHPAD.md") });
const database = await openJournal(`sqlite:${path.join(folder, "journals.db")}#s`);
await database.notes.set("secret");
const pad = await openPad(path.join(folder, "pad"));
await pad.entries.write("plan", "secret");
const { journal: companion } = await openCompanion(path.join(folder, "companions"), "abc", openJournal);
await companion.notes.set("secret");
process.exit(0);

/** Reads a session as a user who may write nothing of it, and prints its notes. */
import { openJournal } from "../../../src/open/open-journal.ts";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";

// It loads the library while it still may.
await findDriver();
const [where] = process.argv.slice(2) as [string];
const nobody = 65534;
if (process.getuid?.() === 0) {
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}
const journal = await openJournal(where, { readonly: true });
const { ok } = await journal.verify();
await journal.close();
process.stdout.write(JSON.stringify([ok, journal.state.notes]));

/** Reads a session as a user who may write nothing of it, and prints its notes. */
import "libsql";
import { openJournal } from "../../../src/open/open-journal.ts";

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

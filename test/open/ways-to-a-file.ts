/** Every way in which one session becomes a new session file. */
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { redactJournal } from "../../src/open/redact-journal.ts";

export const ways: Readonly<Record<string, (from: string, to: string) => Promise<unknown>>> = {
  copy: copyJournal,
  redact: (from, to) => redactJournal(from, to, { text: "secret", key: "kept" }),
  fork: async (from, to) => {
    await using journal = await openJournal(from, { readonly: true });
    await (await journal.fork(to)).close();
  },
  spawn: async (from, to) => {
    await using journal = await openJournal(from, { readonly: true });
    await (await journal.spawn(to)).close();
  },
};

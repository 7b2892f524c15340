// A server on the session of the first argument, configured by the second, as `npx session-journal mcp` would start it.
import { openJournal, sessionFileStore } from "session-journal";
import { serveMcp } from "session-journal/mcp";

const [file, config] = process.argv.slice(2);
const store = sessionFileStore(file);
const journal = await openJournal(store);
const listeners = new Set();
const unwatch = await store.watch(async () => {
  const before = journal.version;
  await journal.refresh();
  if (journal.version !== before) for (const listener of listeners) listener();
});
journal.onChange = (listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
await serveMcp(journal, { config, version: "1.2.3" });
await unwatch();
await journal.close();
await store.close();

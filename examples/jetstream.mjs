import { openJournal } from "session-journal";
import { jetStreamStore } from "session-journal/jetstream";

const servers = (process.env.NATS_SERVERS ?? "nats-1:4222,nats-2:4222,nats-3:4222").split(",");
const store = jetStreamStore({ servers, prefix: "pads", session: "agent-7", replicas: servers.length });
const journal = await openJournal(store);
const { message } = await journal.apply({ action: "set_notes", content: "on any machine" });
console.log(message);
await journal.close();
await store.close();

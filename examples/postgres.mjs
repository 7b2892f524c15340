import { openJournal } from "session-journal";
import { postgresStore } from "session-journal/postgres";

const database = process.env.DATABASE_URL ?? "postgres://agents@db.example.com/journals";
const store = postgresStore({ database, session: "agent-7" });
const journal = await openJournal(store);
const { message } = await journal.apply({ action: "set_notes", content: "on any machine" });
console.log(message);
await journal.close();
await store.close();

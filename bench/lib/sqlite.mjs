// SQLite doing the job by hand, without our store: events as rows, in one table.
import Database from "libsql";

const schema = `
  CREATE TABLE IF NOT EXISTS events (version INTEGER PRIMARY KEY, event TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS snapshots (version INTEGER PRIMARY KEY, state TEXT NOT NULL);
`;

/** `synchronous`: FULL or NORMAL. Others are waited for, as long as it takes. */
export function openPlain(file, synchronous) {
  const database = new Database(file, { timeout: 60_000 });
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${synchronous}; ${schema}`);
  return database;
}

/** Answers a function that reads what is new, decides on it, and inserts one event, in a transaction. */
export function appender(database) {
  const begin = database.prepare("BEGIN IMMEDIATE");
  const commit = database.prepare("COMMIT");
  const news = database.prepare("SELECT version, event FROM events WHERE version > ?");
  const insert = database.prepare("INSERT INTO events VALUES (?, ?)");
  let known = 0;
  return (event) => {
    begin.run();
    for (const row of news.all(known)) {
      JSON.parse(row.event);
      known = row.version;
    }
    known += 1;
    insert.run(known, JSON.stringify(event));
    commit.run();
  };
}

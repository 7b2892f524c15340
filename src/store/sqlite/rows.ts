/** What is read from and written to the tables, one function each. */
import type { Version } from "../../event/event.ts";
import type { SessionSummary } from "../../stream/catalog.ts";
import type { KeptRecord } from "../kept-record.ts";
import { changeOf } from "../record-change.ts";
import { keepTexts, type SqliteDatabase, upsertSession } from "./schema.ts";

export function recordsAfter(
  database: SqliteDatabase,
  session: string,
  place: number,
  rowsMax = -1,
): readonly KeptRecord[] {
  const sql = `SELECT version AS place, record AS json FROM records
    WHERE session = ? AND version > ? ORDER BY version LIMIT ?`;
  return database.prepare(sql).all(session, place, rowsMax) as readonly KeptRecord[];
}

/** Inside a transaction. `version`: that of the stream after it. */
export function keepRecord(
  database: SqliteDatabase,
  session: string,
  { place, json }: KeptRecord,
  version: Version,
): void {
  database.prepare("INSERT INTO records (session, version, record) VALUES (?, ?, ?)").run(session, place, json);
  database.prepare(upsertSession).run(session, version, ...changeOf(json));
  keepTexts(database, session, version, json);
}

export function recordAt(database: SqliteDatabase, session: string, place: number): string | undefined {
  const sql = "SELECT record FROM records WHERE session = ? AND version = ?";
  return (database.prepare(sql).get(session, place) as { record: string } | undefined)?.record;
}

export function savedSnapshot(database: SqliteDatabase, session: string): unknown {
  const row = database.prepare("SELECT snapshot FROM snapshots WHERE session = ?").get(session);
  return (row as { snapshot: unknown } | undefined)?.snapshot;
}

export function saveSnapshot(database: SqliteDatabase, session: string, snapshot: string): void {
  const sql = "INSERT OR REPLACE INTO snapshots (session, snapshot) VALUES (?, ?)";
  database.prepare(sql).run(session, snapshot);
}

/** In the order of their ids, those after `after`. */
export function sessionsAfter(
  database: SqliteDatabase,
  after: string | undefined,
  rowsMax: number,
): readonly SessionSummary[] {
  const sql = "SELECT session, version, at, actor FROM sessions WHERE session > ? ORDER BY session LIMIT ?";
  const rows = database.prepare(sql).all(after ?? "", rowsMax) as readonly SessionRow[];
  return rows.map(({ session, version, at, actor }) => ({ session, version, ...(at === null ? {} : { at }), actor }));
}

interface SessionRow {
  readonly session: string;
  readonly version: number;
  readonly at: string | null;
  readonly actor: string;
}

/** Those that changed last. */
export function newestSessions(database: SqliteDatabase, rowsMax: number): readonly string[] {
  const sql = "SELECT session FROM sessions ORDER BY change DESC LIMIT ?";
  return (database.prepare(sql).all(rowsMax) as readonly { session: string }[]).map(({ session }) => session);
}

/** In the order of their changes. */
export function sessionsChangedAfter(
  database: SqliteDatabase,
  change: number,
): readonly { readonly session: string; readonly change: number }[] {
  const sql = "SELECT session, change FROM sessions WHERE change > ? ORDER BY change";
  return database.prepare(sql).all(change) as readonly { session: string; change: number }[];
}

export function newestChange(database: SqliteDatabase): number {
  const row = database.prepare("SELECT coalesce(max(change), 0) AS change FROM sessions").get();
  return (row as { change: number }).change;
}

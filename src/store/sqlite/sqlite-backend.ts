/**
 * This backend keeps the records of many sessions in the tables of one database. A transaction that begins by taking the write lock is the
 * guard: what is read in it is the newest, and deciding happens inside.
 */
import { isJournalError } from "../../errors.ts";
import type { Version } from "../../event/event.ts";
import type { AppendCall } from "../records/append-call.ts";
import { type Appending, type Backend, inPages, type ListedSession, markUnits, placed } from "../records/backend.ts";
import type { KeptRecord, RecordCursor } from "../records/record-cursor.ts";
import { changeOf } from "../records/record-texts.ts";
import type { Database } from "./database.ts";
import { deleteTexts, insertText, keepTexts, prepareRemovals, type SqliteValue, upsertSession } from "./schema.ts";
import { wakeWatchers, watchDatabase } from "./watch.ts";

const pageRows = 256;

interface Change {
  readonly session: string;
  readonly change: number;
}

export class SqliteBackend implements Backend {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async after(session: string, cursor: RecordCursor, max: number): Promise<readonly KeptRecord[] | undefined> {
    return this.#database.patiently(() => this.#after(session, cursor, max));
  }

  async append(session: string, call: AppendCall): Promise<void> {
    for (;;) {
      const kept = await this.#database.transaction(() => {
        const step = call.next(this.#after(session, call.at, pageRows), pageRows);
        return step.type === "append" ? this.#keep(session, call.at.place, step) : undefined;
      });
      if (kept === undefined) return;
      wakeWatchers(this.#database.handle);
      // What it asks for now is asked for again in the next transaction.
      if (call.next(kept).type !== "append") return;
    }
  }

  async loadCheckpoint(session: string, unitsMax: number): Promise<string | undefined> {
    const sql = "SELECT snapshot FROM snapshots WHERE session = ? AND length(snapshot) <= ?";
    const [row] = await this.#database.patiently(() => this.#rows<{ snapshot: unknown }>(sql, session, unitsMax));
    return typeof row?.snapshot === "string" ? row.snapshot : undefined;
  }

  async saveCheckpoint(session: string, text: string, over?: string): Promise<void> {
    const sql = `INSERT INTO snapshots (session, snapshot) VALUES (?, ?)
      ON CONFLICT (session) DO UPDATE SET snapshot = excluded.snapshot
      WHERE ? IS NULL OR substr(snapshots.snapshot, ${-markUnits}) = ?`;
    await this.#database.transaction(() => this.#run(sql, session, text, over ?? null, over ?? null));
  }

  async markCheckpoint(session: string): Promise<string> {
    const sql = `SELECT substr(snapshot, ${-markUnits}) AS mark FROM snapshots WHERE session = ?`;
    const [row] = await this.#database.patiently(() => this.#rows<{ mark: string }>(sql, session));
    return row?.mark ?? "";
  }

  /** The sessions come in the order of their ids. */
  list(): AsyncGenerator<ListedSession> {
    const sql = "SELECT session, version, at, actor FROM sessions WHERE session > ? ORDER BY session LIMIT ?";
    return inPages<ListedSession>(pageRows, (last) =>
      this.#database.patiently(() => this.#rows(sql, last?.session ?? "", pageRows)),
    );
  }

  async newestSessions(max: number): Promise<readonly string[]> {
    const sql = "SELECT session FROM sessions ORDER BY change DESC LIMIT ?";
    const rows = await this.#database.patiently(() => this.#rows<ListedSession>(sql, max));
    return rows.map(({ session }) => session);
  }

  remove(session: string, version: Version): Promise<boolean> {
    return this.#database.transaction(() => {
      const rows = this.#rows("SELECT 1 FROM sessions WHERE session = ? AND version = ?", session, version);
      if (rows.length === 0) return false;
      prepareRemovals(this.#database.handle);
      this.#run(deleteTexts, session);
      for (const table of ["snapshots", "records", "sessions"])
        this.#run(`DELETE FROM ${table} WHERE session = ?`, session);
      return true;
    });
  }

  async watch(wake: (session: string) => void, only?: string): Promise<() => Promise<void>> {
    if (only !== undefined) return watchDatabase(this.#database, () => wake(only));
    let newest = await this.#database.patiently(() => this.#newestChange());
    return watchDatabase(this.#database, () => {
      try {
        for (const change of this.#database.read(() => this.#changesAfter(newest))) {
          newest = change;
          wake(change.session);
        }
      } catch (error) {
        // Who reads this session is told what is wrong.
        if (newest !== undefined && !isJournalError(error, "lock_timeout")) wake(newest.session);
        throw error;
      }
    });
  }

  close(): void {
    this.#database.close();
  }

  #newestChange(): Change | undefined {
    return this.#rows<Change>("SELECT session, change FROM sessions ORDER BY change DESC LIMIT 1")[0];
  }

  /** Where the newest change is before `seen`, another database was copied over this one, or an older version removed sessions. */
  #changesAfter({ change: seen }: Pick<Change, "change"> = { change: 0 }): readonly Change[] {
    const sql = "SELECT session, change FROM sessions WHERE change > ? ORDER BY change";
    return this.#rows<Change>(sql, (this.#newestChange()?.change ?? 0) < seen ? 0 : seen);
  }

  /** What the cursor stands behind is looked at also if it was seen: a backup may have been put back into the open database. */
  #after(session: string, cursor: RecordCursor, max: number): readonly KeptRecord[] | undefined {
    const sql = `SELECT version AS place, record AS json FROM records
      WHERE session = ? AND version >= ? ORDER BY version LIMIT ?`;
    return cursor.behind(this.#rows<KeptRecord>(sql, session, cursor.place, max + (cursor.isBeginning ? 0 : 1)));
  }

  /** It is called inside a transaction. */
  #keep(session: string, after: number, step: Appending): readonly KeptRecord[] {
    const { handle } = this.#database;
    const kept = placed(step, after);
    const insert = handle.prepare("INSERT INTO records (session, version, record) VALUES (?, ?, ?)");
    const [texts, upsert] = [handle.prepare(insertText), handle.prepare(upsertSession)];
    for (const { place, json, version, record } of kept) {
      insert.run(session, place, json);
      upsert.run(session, version, ...changeOf(record));
      keepTexts(texts, session, version, record);
    }
    return kept;
  }

  #rows<Row>(sql: string, ...values: SqliteValue[]): readonly Row[] {
    return this.#database.handle.prepare(sql).all(...values) as readonly Row[];
  }

  #run(sql: string, ...values: SqliteValue[]): void {
    this.#database.handle.prepare(sql).run(...values);
  }
}

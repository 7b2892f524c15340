/**
 * A database file, attached to a connection that has no file of its own. Libsql and Bun close a connection only once every
 * statement of it was collected as garbage, however long that takes; what was attached they let go at once.
 */
import type { SqliteDatabase, SqliteStatement } from "./schema.ts";

export class AttachedDatabase implements SqliteDatabase {
  readonly schema = "attached";
  readonly #connection: SqliteDatabase;

  /** `place` is a path, or a `file:` URI. It throws as the library does. */
  constructor(connection: SqliteDatabase, place: string) {
    this.#connection = connection;
    try {
      connection.exec(`ATTACH '${place.replaceAll("'", "''")}' AS ${this.schema}`);
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  exec(sql: string): unknown {
    return this.#connection.exec(sql);
  }

  prepare(sql: string): SqliteStatement {
    return this.#connection.prepare(sql);
  }

  close(): void {
    try {
      this.#connection.exec(`DETACH ${this.schema}`);
    } catch {
      // It is let go when the connection is.
    }
    this.#connection.close();
  }
}

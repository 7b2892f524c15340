/** Opens a database through libsql, which needs no compiler; a caller may hand in one of another library instead. */
import { StorageError } from "../../errors.ts";
import { migrate, type SqliteDatabase } from "./schema.ts";

export interface OpenedDatabase {
  readonly database: SqliteDatabase;
  close(): void;
}

/** `given` is a path, or an open database that stays its caller's. */
export async function openDatabase(
  given: string | SqliteDatabase,
  synchronous: "full" | "normal",
): Promise<OpenedDatabase> {
  const database = typeof given === "string" ? await openPath(given) : given;
  const where = typeof given === "string" ? given : "the database";
  try {
    database.prepare("PRAGMA journal_mode = WAL").get();
    database.exec(`PRAGMA synchronous = ${synchronous}`);
    migrate(database, where);
  } catch (error) {
    if (typeof given === "string") database.close();
    throw error instanceof TypeError ? error : unusable(where, error);
  }
  return { database, close: () => (typeof given === "string" ? database.close() : undefined) };
}

async function openPath(path: string): Promise<SqliteDatabase> {
  const { default: Database } = await import("libsql").catch((cause: unknown) => {
    throw new TypeError("sqlite: needs the package libsql: run `npm install libsql`, or hand in an open database", {
      cause,
    });
  });
  try {
    return new Database(path, { timeout: openTimeoutMs });
  } catch (error) {
    throw unusable(path, error);
  }
}

const openTimeoutMs = 5000;

export function isBusy(error: unknown): boolean {
  return /SQLITE_BUSY|database is locked/.test(`${(error as { code?: unknown }).code} ${(error as Error).message}`);
}

export function unusable(where: string, cause: unknown, fate: "not-written" | "unknown" = "not-written"): StorageError {
  const { message } = cause as Error;
  return new StorageError(
    `cannot use the database ${where} (${message}): check the path and the disk`,
    fate,
    { file: where },
    cause,
  );
}

/** A session in the database of OpenCode, as lines in the form of its export: read whole and again at each look. */
import { NotASessionError } from "../../errors.ts";
import type { Fields } from "../../event/fields.ts";
import { wantedTools } from "../../lens/opencode-calls.ts";
import type { ByteSource, FileIdentity } from "../session-file/session-bytes.ts";
import { type Database, openToRead } from "../sqlite/database.ts";
import { schemaOf } from "../sqlite/schema.ts";
import { cutMark, linesOfParts, type Row } from "./opencode-lines.ts";

const wanted = wantedTools.map(
  (tool) => `p.data LIKE '{"type":"tool","tool":"${tool.replace("_", "\\_")}"%' ESCAPE '\\'`,
);

/** So much of a call that cannot matter says whose it is and how it ended. */
const beginning = "substr(p.data, 1, 400)";
const isCut = `p.data LIKE '{"type":"tool","tool":"%' AND NOT (${wanted.join(" OR ")})
  AND ${beginning} LIKE '%"state":{"status":"%"%'`;

/**
 * In one statement, for it is to be of one moment: the parts of a message, and the list as the client has it. Texts are
 * asked for as bytes: the library ends the process where a damaged database has a text that is no UTF-8.
 */
const rowsOfSession = `
  SELECT 1 AS kind, m.time_created AS message_time, CAST(m.id AS BLOB) AS message, CAST(m.data AS BLOB) AS info,
    p.time_created AS time, CAST(p.id AS BLOB) AS id, CAST(CASE
      WHEN p.data LIKE '{"type":"reasoning"%' THEN ''
      WHEN p.data LIKE '{"type":"text"%' AND m.data LIKE '%"role":"assistant"%' THEN ''
      WHEN ${isCut} THEN '${cutMark}' || ${beginning}
      ELSE p.data
    END AS BLOB) AS data
  FROM part p JOIN message m ON m.id = p.message_id WHERE p.session_id = ?1
  UNION ALL SELECT 2, position, x'', CAST(status AS BLOB), time_updated, x'', CAST(content AS BLOB)
  FROM todo WHERE session_id = ?1
  ORDER BY 1, 2, 3, 6`;

interface SessionRow {
  readonly id: string;
  readonly parentID: string;
  readonly directory: string;
  readonly version: string;
  readonly revert: string;
}

interface Named {
  readonly id: string;
  readonly directory: string;
  readonly title: string;
}

const sessionRows = `SELECT CAST(id AS BLOB) AS id, CAST(parent_id AS BLOB) AS parentID, CAST(directory AS BLOB) AS directory,
  CAST(version AS BLOB) AS version, CAST(revert AS BLOB) AS revert FROM session WHERE id = ?`;
const namedRows =
  "SELECT CAST(id AS BLOB) AS id, CAST(directory AS BLOB) AS directory, CAST(title AS BLOB) AS title FROM session";
const newestRows = `${namedRows} WHERE parent_id IS NULL ORDER BY time_updated DESC, id LIMIT 3`;
const newestInFolder = `${namedRows} WHERE parent_id IS NULL AND directory = ? ORDER BY time_updated DESC, id LIMIT 1`;
const ownTables = (schema: string) =>
  `SELECT count(*) AS count FROM ${schema}.sqlite_master WHERE type = 'table' AND name IN ('session', 'message', 'part', 'todo')`;

/** The result has texts instead of bytes, and "" for NULL. */
function ask(database: Database, sql: string, ...values: string[]): Fields[] {
  const rows = database.read(() => database.handle.prepare(sql).all(...values)) as Record<string, unknown>[];
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        value instanceof ArrayBuffer || ArrayBuffer.isView(value) ? textOf(value) : (value ?? ""),
      ]),
    ),
  );
}

function textOf(bytes: ArrayBuffer | ArrayBufferView): string {
  return ArrayBuffer.isView(bytes)
    ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
    : Buffer.from(bytes).toString("utf8");
}

export class OpenCodeBytes implements ByteSource {
  readonly identity: FileIdentity = { dev: 0, ino: 0 };
  #isOpen = true;
  readonly #database: Database;
  readonly #session: string;
  readonly #isWhole: boolean;
  #lines: readonly string[];
  #bytes: Buffer;

  private constructor(database: Database, session: string, isWhole: boolean) {
    this.#database = database;
    this.#session = session;
    this.#isWhole = isWhole;
    this.#lines = this.#read();
    this.#bytes = bytesOf(this.#lines);
  }

  /**
   * Without a session, the newest one of this process's folder is opened. If there is none, this throws NotASessionError. With `isWhole`,
   * the lines that change nothing are read as well; they would stand in the way of what follows later.
   */
  static async open(file: string, session: string | undefined, isWhole: boolean): Promise<OpenCodeBytes> {
    const database = await openToRead(file);
    try {
      requireTables(database);
      return new OpenCodeBytes(database, session ?? newestSession(database), isWhole);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  size(): number {
    return this.#bytes.length;
  }

  /** Looks at the database again. The result is undefined if what was told of it is not there any more, or has changed. */
  currentSize(): number | undefined {
    if (!this.#isOpen) return undefined;
    const now = this.#read();
    const before = new Set(this.#lines);
    const news = now.filter((line) => !before.has(line));
    if (news.length !== now.length - this.#lines.length) return undefined;
    // Parts of one message may end in another order than they are kept in: what is new stands last all the same.
    this.#lines = [...this.#lines, ...news];
    this.#bytes = bytesOf(this.#lines);
    return this.#bytes.length;
  }

  slice(start: number, end: number): Buffer {
    return this.#bytes.subarray(start, end);
  }

  pieces(start: number, end: number, take: (piece: Buffer) => void): number {
    const piece = this.#bytes.subarray(start, end);
    if (piece.length > 0) take(piece);
    return start + piece.length;
  }

  close(): void {
    this.#isOpen = false;
    this.#database.close();
  }

  #read(): string[] {
    const { id, parentID, directory, version, revert } = sessionRow(this.#database, this.#session);
    const rows = ask(this.#database, rowsOfSession, this.#session) as unknown as Row[];
    const info = { id, ...(parentID === "" ? {} : { parentID }), directory, version };
    const reverted = revert === "" ? "" : `,"revert":${revert}`;
    const list = rows.filter(({ kind }) => kind === 2);
    return [
      `{"info":${JSON.stringify(info).slice(0, -1)}${reverted}}}`,
      ...linesOfParts(
        rows.filter(({ kind, data }) => kind === 1 && data !== ""),
        list,
        this.#isWhole,
      ),
    ];
  }
}

function bytesOf(lines: readonly string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\n`).join(""));
}

function requireTables(database: Database): void {
  const { where } = database;
  if (ask(database, ownTables(schemaOf(database.handle)))[0]?.["count"] === 4) return;
  throw new NotASessionError(
    `${where} is a database, but not OpenCode's: a journal of ours is opened as sqlite:${where}#session`,
    { file: where },
  );
}

function sessionRow(database: Database, session: string): SessionRow {
  const [row] = ask(database, sessionRows, session) as unknown as SessionRow[];
  if (row !== undefined) return row;
  const { where } = database;
  throw new NotASessionError(`${where} holds no session ${session}: ${advice(database)}`, { file: where });
}

function newestSession(database: Database): string {
  const [row] = ask(database, newestInFolder, process.cwd()) as unknown as Named[];
  if (row !== undefined) return row.id;
  const { where } = database;
  throw new NotASessionError(`${where} holds no session of ${process.cwd()}: ${advice(database)}`, { file: where });
}

function advice(database: Database): string {
  const sessions = ask(database, newestRows) as unknown as Named[];
  if (sessions.length === 0) return "it is empty";
  const named = sessions.map(({ id, directory, title }) => `#${id} (${JSON.stringify(title)} in ${directory})`);
  return `add one to the path, the newest are ${named.join(", ")}`;
}

/** A session in the database of OpenCode, as lines in the form of its export: read whole and again at each look. */
import { NotASessionError } from "../../errors.ts";
import { type Fields, fields } from "../../event/fields.ts";
import { parsed } from "../../lens/fields.ts";
import { callIn, planTools, todosIn, todoText, wantedTools } from "../../lens/opencode-calls.ts";
import { given } from "../../options.ts";
import type { ByteSource, FileIdentity } from "../session-file/session-bytes.ts";
import { type Database, openToRead } from "../sqlite/database.ts";
import { schemaOf } from "../sqlite/schema.ts";

/** So much of a call that cannot matter says whose it is and how it ended. */
const shortLength = 400;
const shortPattern =
  /^\{"type":"tool","tool":"([^"\\]{1,128})","callID":"([^"\\]{1,256})","state":\{"status":"(\w{1,32})"/;

const toolBeginning = '{"type":"tool"';
const toolPattern = /^\{"type":"tool","tool":"([^"\\]{1,128})"/;

const wanted = wantedTools.map(
  (tool) => `p.data LIKE '{"type":"tool","tool":"${tool.replace("_", "\\_")}"%' ESCAPE '\\'`,
);

/**
 * In one statement, for it is to be of one moment: the parts of a message, and the list as the client has it. Texts are
 * asked for as bytes: the library ends the process where a damaged database has a text that is no UTF-8.
 */
const rowsOfSession = `
  SELECT 1 AS kind, m.time_created AS message_time, CAST(m.id AS BLOB) AS message, CAST(m.data AS BLOB) AS info,
    p.time_updated AS time, CAST(p.id AS BLOB) AS id, CAST(CASE
      WHEN p.data LIKE '{"type":"reasoning"%' THEN ''
      WHEN p.data LIKE '{"type":"text"%' AND m.data LIKE '%"role":"assistant"%' THEN ''
      WHEN p.data LIKE '{"type":"tool","tool":"%' AND NOT (${wanted.join(" OR ")})
        AND substr(p.data, 1, ${shortLength}) LIKE '%"state":{"status":"%' THEN substr(p.data, 1, ${shortLength})
      ELSE p.data
    END AS BLOB) AS data
  FROM part p JOIN message m ON m.id = p.message_id WHERE p.session_id = ?1
  UNION ALL SELECT 2, position, x'', CAST(status AS BLOB), time_updated, x'', CAST(content AS BLOB)
  FROM todo WHERE session_id = ?1
  ORDER BY 1, 2, 3, 6`;

interface Row {
  readonly kind: number;
  readonly message: string;
  readonly info: string;
  readonly time: number;
  readonly id: string;
  readonly data: string;
}

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
    const parts = inOrderOfEnds(withCalls(rows.filter(({ kind, data }) => kind === 1 && data !== "")));
    const [open, ended] = [parts.filter(isOpen), parts.filter((part) => !isOpen(part))];
    const isAsTold = open.some(isTodoCall) || listIn(rows) === lastListIn(ended);
    // There it stays, whatever follows: who looks whenever is told the same.
    const listed = listTime(rows) ?? 0;
    const place = ended.findLastIndex((part) => isTodoCall(part) || part.time <= listed) + 1;
    return [
      `{"info":${JSON.stringify(info).slice(0, -1)}${reverted}}}`,
      ...ended.slice(0, place).map(partLine),
      ...((this.#isWhole ? !open.some(isTodoCall) : !isAsTold) ? todoLines(rows) : []),
      ...ended.slice(place).map(partLine),
      ...(this.#isWhole ? open.map(partLine) : []),
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

/** The order of its fields changes while a tool runs. */
function isOpen({ data }: Row): boolean {
  if (!data.startsWith(toolBeginning)) return false;
  const [, , , short] = (data.length === shortLength ? shortPattern.exec(data) : null) ?? [];
  const status = short ?? fields(fields(parsed(data))["state"])["status"];
  return status === "pending" || status === "running";
}

interface Part extends Row {
  /** So many calls that are work were made before it. */
  readonly calls: number;
}

/** The parts stand in the order in which they were made. A call that is made counts: whether it has ended yet, those behind it must not say. */
function withCalls(parts: readonly Row[]): Part[] {
  let made = 0;
  return parts.map((part) => {
    const calls = made;
    if (isWork(part)) made += 1;
    return { ...part, calls };
  });
}

function isWork({ data }: Row): boolean {
  if (!data.startsWith(toolBeginning)) return false;
  const [, tool = "invalid"] = toolPattern.exec(data) ?? [];
  return !planTools.has(tool === "invalid" ? callIn(fields(parsed(data))).tool : tool);
}

/** Messages stay in order. */
function inOrderOfEnds(parts: readonly Part[]): Part[] {
  const messages = new Map<string, Part[]>();
  for (const part of parts) {
    const own = messages.get(part.message);
    if (own === undefined) messages.set(part.message, [part]);
    else own.push(part);
  }
  return [...messages.values()].flatMap((own) => own.sort((one, other) => one.time - other.time));
}

function partLine({ message, info, id, data, time, calls }: Part): string {
  const [, tool, callID, status] = (data.length === shortLength ? shortPattern.exec(data) : null) ?? [];
  const part =
    tool === undefined
      ? `{"id":${JSON.stringify(id)},${data.slice(data.indexOf("{") + 1)}`
      : JSON.stringify({ id, type: "tool", tool, callID, state: { status, time: { end: time } } });
  const before = data.startsWith(toolBeginning) ? `,"calls":${calls}` : "";
  return `{"info":${JSON.stringify(lastingInfo(message, info))},"parts":[${part}]${before}}`;
}

/** The result is without what is added to it while the model speaks, or later: what was read would not stand there any more. */
function lastingInfo(id: string, data: string): object {
  const { role, modelID, summary, time } = fields(parsed(data));
  const isSummary = summary === true ? { summary } : {};
  return { id, role, modelID, ...isSummary, time: { created: fields(time)["created"] } };
}

function isTodoCall({ data }: Row): boolean {
  return data.startsWith('{"type":"tool","tool":"todowrite"');
}

/** The result is the list that the last call set. */
function lastListIn(ended: readonly Row[]): string {
  for (const { data } of ended.filter(isTodoCall).reverse()) {
    const call = callIn(fields(parsed(data)));
    if (!call.hasFailed) return todoText(todosIn(call));
  }
  return "";
}

function listIn(rows: readonly Row[]): string {
  return todoText(todosOf(rows));
}

function todosOf(rows: readonly Row[]): { readonly content: string; readonly status: string }[] {
  return rows.flatMap(({ kind, data, info }) => (kind === 2 ? [{ content: data, status: info }] : []));
}

function todoLines(rows: readonly Row[]): string[] {
  return [JSON.stringify({ todo: todosOf(rows), ...given({ time: listTime(rows) }) })];
}

/** The client set its list then. An empty list has no time. */
function listTime(rows: readonly Row[]): number | undefined {
  const times = rows.flatMap(({ kind, time }) => (kind === 2 ? [time] : []));
  return times.length === 0 ? undefined : Math.max(...times);
}

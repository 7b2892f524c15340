/** The sessions in OpenCode's database, which is only read; where there is no SQLite, none are found. */
import fs from "node:fs";
import { planProgress } from "../audit/steps.ts";
import { startOfLine } from "../lens/checklist.ts";
import { todoText } from "../lens/opencode-calls.ts";
import { openToRead } from "../store/sqlite/database.ts";
import type { FoundSession } from "./found-session.ts";

/** A turn begins at a user's message that has a part which the client did not put there itself. */
const isOwn = `(p.data LIKE '{"type":"text"%' OR p.data LIKE '{"type":"subtask"%') AND p.data NOT LIKE '%"synthetic":true%'`;
const isOfUser = `m.session_id = s.id AND m.data LIKE '%"role":"user"%'`;
const messageUnitsMax = 200;
const rowsOfSessions = `
  SELECT id, parent_id AS parent, directory, title, version, time_updated AS time,
    (SELECT count(*) FROM message m WHERE ${isOfUser} AND EXISTS (
      SELECT 1 FROM part p WHERE p.message_id = m.id AND ${isOwn}
    )) AS turns,
    (SELECT CASE WHEN json_valid(p.data)
        THEN substr(coalesce(json_extract(p.data, '$.text'), json_extract(p.data, '$.prompt')), 1, ${5 * messageUnitsMax}) END
      FROM message m JOIN part p ON p.message_id = m.id WHERE ${isOfUser} AND ${isOwn}
      ORDER BY m.time_created, m.id, p.id LIMIT 1
    ) AS said
  FROM session s`;
const rowsOfTodos = "SELECT session_id AS session, content, status FROM todo ORDER BY session_id, position";

interface SessionRow {
  readonly id: string;
  readonly parent: string | null;
  readonly directory: string;
  readonly title: string;
  readonly version: string;
  readonly time: number;
  readonly turns: number;
  /** This is the beginning of what the person said first. It is null if nobody said anything. */
  readonly said: string | null;
}

interface Todo {
  readonly session: string;
  readonly content: string;
  readonly status: string;
}

export async function openCodeSessions(file: string): Promise<FoundSession[]> {
  if (!fs.existsSync(file)) return [];
  const database = await openToRead(file).catch(() => undefined);
  if (database === undefined) return [];
  try {
    const rows = database.read(() => database.handle.prepare(rowsOfSessions).all()) as SessionRow[];
    const todos = new Map<string, Todo[]>();
    for (const todo of database.read(() => database.handle.prepare(rowsOfTodos).all()) as Todo[]) {
      const list = todos.get(todo.session);
      if (list === undefined) todos.set(todo.session, [todo]);
      else list.push(todo);
    }
    return rows.map((row) => foundIn(file, row, todoText(todos.get(row.id) ?? [])));
  } catch {
    return [];
  } finally {
    database.close();
  }
}

/** The fault says why `openCodeSessions` finds nothing although the file exists. It is undefined if the file can be read. */
export async function openCodeFault(file: string): Promise<string | undefined> {
  if (!fs.existsSync(file)) return undefined;
  try {
    (await openToRead(file)).close();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function foundIn(file: string, row: SessionRow, plan: string): FoundSession {
  const progress = planProgress(plan);
  return {
    client: "opencode",
    title: "OpenCode",
    clientVersion: row.version,
    session: row.id,
    where: `${file}#${row.id}`,
    at: new Date(row.time).toISOString(),
    cwd: row.directory,
    turns: row.turns,
    ...(progress.total === 0 ? {} : { progress }),
    firstMessage: startOfLine(row.said || row.title, messageUnitsMax),
    ...(row.parent === null ? {} : { parent: row.parent }),
  };
}

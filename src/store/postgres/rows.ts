/** This file reads and writes the tables of one schema. */
import { hashText } from "../../line/chain.ts";
import type { SessionSummary } from "../../stream/catalog.ts";
import { type Appending, markUnits, placed } from "../records/backend.ts";
import type { KeptRecord, RecordCursor } from "../records/record-cursor.ts";
import { changeOf, searchedIn } from "../records/record-texts.ts";
import type { Query } from "./pool.ts";

/** A record of so many characters is sent once more to be compared. */
const comparedUnitsMax = 2048;

export class Rows {
  readonly #schema: string;
  readonly #after: Statement;
  readonly #begin: Statement;
  readonly #append: Statement;
  /** For a record with one text, as most are: a list of one would take the server a fifth longer. */
  readonly #appendOne: Statement;
  /** The same where the record before it is short: comparing it takes less than its digest, here and on the server. */
  readonly #appendOneBehind: Statement;

  constructor(schema: string) {
    this.#schema = `"${schema}"`;
    this.#after = statement(`SELECT place, record FROM ${this.#schema}.records
      WHERE session = $1 AND place >= $2 ORDER BY place LIMIT $3`);
    this.#begin = statement(this.#appending(begin(this.#schema), false));
    this.#append = statement(this.#appending(goOn(this.#schema, hasDigest), false));
    this.#appendOne = statement(this.#appending(goOn(this.#schema, hasDigest), true));
    this.#appendOneBehind = statement(this.#appending(goOn(this.#schema, "record = $11"), true));
  }

  /** The result has the records behind the cursor. It is undefined if the record that the cursor stands behind is not there any more. */
  async after(
    query: Query,
    session: string,
    cursor: RecordCursor,
    rowsMax: number,
  ): Promise<readonly KeptRecord[] | undefined> {
    const { text, name } = this.#after;
    const limit = cursor.isBeginning ? rowsMax : rowsMax + 1;
    const { rows } = await query(text, [session, cursor.place, limit], name);
    return cursor.behind(
      (rows as readonly RecordRow[]).map(({ place, record }) => ({ place: Number(place), json: record })),
    );
  }

  /**
   * Appends behind the record of the cursor, and only if that is the last: one statement, so all or nothing. Whoever comes
   * second waits for the first, finds another last record, and is answered undefined.
   */
  async append(
    query: Query,
    session: string,
    cursor: RecordCursor,
    step: Appending,
  ): Promise<readonly KeptRecord[] | undefined> {
    const kept = placed(step, cursor.place);
    const last = kept.at(-1);
    if (last === undefined) return [];
    const [at, actor] = changeOf(last.record).map((text) => text && withoutNul(text));
    const texts = kept.flatMap(({ record, version }) => searchedIn(record, version));
    const isOne = kept.length === 1 && texts.length === 1 && !cursor.isBeginning;
    const before = isOne && (cursor.json?.length ?? Number.NaN) <= comparedUnitsMax ? cursor.json : undefined;
    const ofOne = before === undefined ? this.#appendOne : this.#appendOneBehind;
    const { text, name } = cursor.isBeginning ? this.#begin : isOne ? ofOne : this.#append;
    const values: unknown[] = [session, last.place, last.version, at, actor];
    const [first] = texts;
    if (isOne && first !== undefined) values.push(last.place, last.json, first.version, withoutNul(first.text));
    else
      values.push(
        kept.map(({ place }) => place),
        kept.map(({ json }) => json),
        texts.map(({ version }) => version),
        texts.map(({ text }) => withoutNul(text)),
      );
    if (!cursor.isBeginning) values.push(cursor.place, before ?? cursor.toJSON().digest);
    const { rowCount } = await query(text, values, name);
    return rowCount === kept.length ? kept : undefined;
  }

  /** The row of the session is the guard. */
  #appending(guard: string, isOne: boolean): string {
    const rows = (number: string, text: string) =>
      isOne
        ? `SELECT $1, ${number}::bigint, ${text}::text FROM guard`
        : `SELECT $1, each.* FROM guard, unnest(${number}::bigint[], ${text}::text[]) AS each`;
    return `WITH guard AS (${guard}),
      found AS (INSERT INTO ${this.#schema}.texts ${rows("$8", "$9")})
      INSERT INTO ${this.#schema}.records ${rows("$6", "$7")}`;
  }

  async savedSnapshot(query: Query, session: string, unitsMax: number): Promise<string | undefined> {
    const sql = `SELECT snapshot FROM ${this.#schema}.snapshots WHERE session = $1 AND length(snapshot) <= $2`;
    const [row] = (await query(sql, [session, unitsMax])).rows;
    return (row as { snapshot: string } | undefined)?.snapshot;
  }

  async saveSnapshot(query: Query, session: string, snapshot: string, over?: string): Promise<void> {
    const sql = `INSERT INTO ${this.#schema}.snapshots AS kept VALUES ($1, $2)
      ON CONFLICT (session) DO UPDATE SET snapshot = excluded.snapshot
      WHERE $3::text IS NULL OR right(kept.snapshot, ${markUnits}) = $3`;
    await query(sql, [session, snapshot, over]);
  }

  async markOfSnapshot(query: Query, session: string): Promise<string> {
    const sql = `SELECT right(snapshot, ${markUnits}) AS mark FROM ${this.#schema}.snapshots WHERE session = $1`;
    const [row] = (await query(sql, [session])).rows;
    return (row as { mark: string } | undefined)?.mark ?? "";
  }

  /** The result has the sessions after `after`, in the order of their ids. */
  async sessionsAfter(query: Query, after: string, rowsMax: number): Promise<readonly SessionSummary[]> {
    const sql = `SELECT session, version, at, actor FROM ${this.#schema}.sessions
      WHERE session > $1 ORDER BY session LIMIT $2`;
    const { rows } = await query(sql, [after, rowsMax]);
    return (rows as readonly SessionRow[]).map(({ session, version, at, actor }) => ({
      session,
      version: Number(version),
      at: at ?? undefined,
      actor,
    }));
  }

  /** It removes all in one statement, or nothing. It is false if the session is at another version. */
  async removeSession(query: Query, session: string, version: number): Promise<boolean> {
    const from = (table: string) =>
      `DELETE FROM ${this.#schema}.${table} USING gone WHERE ${table}.session = gone.session`;
    const { rowCount } = await query(
      `WITH gone AS (DELETE FROM ${this.#schema}.sessions WHERE session = $1 AND version = $2 RETURNING session),
        kept AS (${from("records")}), found AS (${from("texts")}), cached AS (${from("snapshots")})
        SELECT session FROM gone`,
      [session, version],
    );
    return rowCount === 1;
  }

  /** These are the sessions that changed last. */
  async newestSessions(query: Query, rowsMax: number): Promise<readonly string[]> {
    const { rows } = await query(`SELECT session FROM ${this.#schema}.sessions ORDER BY change DESC LIMIT $1`, [
      rowsMax,
    ]);
    return (rows as readonly { session: string }[]).map(({ session }) => session);
  }
}

function begin(schema: string): string {
  return `INSERT INTO ${schema}.sessions VALUES ($1, $2, $3, $4, $5, pg_current_xact_id())
    ON CONFLICT (session) DO NOTHING RETURNING session`;
}

/**
 * That the last record is the right one is checked, too: where a server was replaced by one that had not heard the newest,
 * another may stand at its place.
 */
function goOn(schema: string, isRight: string): string {
  return `UPDATE ${schema}.sessions SET place = $2, version = $3, at = $4, actor = $5, change = pg_current_xact_id()
    WHERE session = $1 AND place = $10 AND EXISTS (SELECT FROM ${schema}.records WHERE session = $1 AND place = $10
      AND ${isRight}) RETURNING session`;
}

const hasDigest = "starts_with(encode(sha256(convert_to(record, 'UTF8')), 'hex'), $11)";

interface Statement {
  readonly text: string;
  readonly name: string;
}

/** The name tells its text: statements of two schemas, or of two versions of the package, may meet on one connection. */
function statement(text: string): Statement {
  return { text, name: hashText(text) };
}

interface RecordRow {
  /** The client gives what may be above 2⁵³ as a text. */
  readonly place: string;
  readonly record: string;
}

interface SessionRow {
  readonly session: string;
  readonly version: string;
  readonly at: string | null;
  readonly actor: string;
}

/** The server takes none in a text. Records have it escaped. */
function withoutNul(text: string): string {
  return text.replaceAll("\0", " ");
}

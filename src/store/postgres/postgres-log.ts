/**
 * Many journals in a PostgreSQL database. What is known is decided on first, and appended in one statement that checks
 * that nobody was faster. Where somebody was, the next ones take turns under a lock, so that each of many writers gets on.
 */
import type { CheckpointPlace, Cursor, Log, LogPage, LogRecord, Session, Step } from "../../stream/log.ts";
import { RecordCursor, readRecord } from "../../stream/record-entry.ts";
import { type StreamStore, streamStore } from "../../stream/stream-store.ts";
import { absentSession, namedMax } from "../absent-session.ts";
import type { KeptRecord } from "../kept-record.ts";
import { OpenedOnce } from "../opened-once.ts";
import { idInAddress } from "../session-id.ts";
import { Failure, type Fate } from "./failure.ts";
import { lockKey } from "./lock-key.ts";
import type { Query } from "./pool.ts";
import { type PostgresOptions, parsePostgresOptions, schemaDefault } from "./postgres-options.ts";
import { Rows } from "./rows.ts";
import { openServer, placeOf, type Server } from "./server.ts";

/** Nothing is connected before the first read. Throws a TypeError for a wrong option. */
export function postgresStore(options: PostgresOptions): StreamStore {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      "postgresStore takes { database, session }: where the database is, and the id of a session in it",
    );
  }
  const parsed = parsePostgresOptions(options);
  return streamStore(new PostgresLog(parsed, () => openServer(parsed), true), parsed);
}

/** A store on a server that is shared, and stays open when the store is closed. */
export function postgresStoreOn(server: () => Promise<Server>, options: PostgresOptions): StreamStore {
  return streamStore(new PostgresLog(options, server, false), options);
}

const pageRows = 256;

class PostgresLog implements Log {
  readonly where: string;
  readonly checkpoint: CheckpointPlace;
  readonly #options: PostgresOptions;
  readonly #server: OpenedOnce<Server>;
  readonly #ownsServer: boolean;
  readonly #rows: Rows;
  readonly #lock: bigint;
  readonly #unwatches = new Set<() => Promise<void>>();
  /** Somebody was faster the last time: the next one asks for its turn at once. */
  #isContended = false;

  constructor(options: PostgresOptions, open: () => Promise<Server>, ownsServer: boolean) {
    const { session, schema = schemaDefault } = options;
    this.#options = options;
    this.#ownsServer = ownsServer;
    this.#rows = new Rows(schema);
    this.#lock = lockKey(schema, session);
    this.where = `${placeOf(options)}#${idInAddress(session)}`;
    this.#server = new OpenedOnce(this.where, open);
    this.checkpoint = { where: `of ${this.where}`, load: () => this.#load(), save: (text) => this.#save(text) };
  }

  /** Who only reads may come before the first event: a session that nobody has written to yet leaves no trace. */
  async session(): Promise<Session> {
    const { session, create = true } = this.#options;
    if (create) return { id: session };
    const beginning = await this.#read((query) => this.#rows.after(query, session, start, 1));
    if (beginning?.length !== 0) return { id: session };
    throw absentSession(this.where, await this.#read((query) => this.#rows.newestSessions(query, namedMax)));
  }

  async *read(after: Cursor | undefined): AsyncGenerator<LogPage, undefined> {
    let cursor = cursorOf(after);
    for (let rows = pageRows; rows >= pageRows; ) {
      const page = await this.#read((query) => this.#pageAfter(query, cursor, pageRows));
      if (page === undefined) {
        cursor = start;
        yield this.#begin();
        continue;
      }
      rows = page.entries.length;
      cursor = page.cursor;
      if (rows > 0) yield page;
    }
  }

  async append(after: Cursor | undefined, next: (page: LogPage) => Step): Promise<void> {
    const server = await this.#server.get();
    const writing: Writing = { at: cursorOf(after), fate: "not-written" };
    if (!this.#isContended && (await this.#appendAtOnce(server, writing, next))) return;
    await server.patiently(() => this.#appendInTurn(server, writing, next), writing.fate);
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    const server = await this.#server.get();
    const unwatch = await server.notices.watch((session) => session === this.#options.session && wake());
    this.#unwatches.add(unwatch);
    wake();
    return async () => {
      this.#unwatches.delete(unwatch);
      await unwatch();
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#unwatches].map((unwatch) => unwatch()));
    await this.#server.close((server) => this.#ownsServer && server.close());
  }

  /**
   * Answers whether nothing more is asked for. Else somebody was faster, or no answer came: then the record may be there
   * or still come, but no longer once anything else stands in its place.
   */
  async #appendAtOnce(server: Server, writing: Writing, next: (page: LogPage) => Step): Promise<boolean> {
    let page: LogPage = { entries: [], cursor: writing.at };
    for (let isRead = false; ; isRead = true) {
      const step = next(page);
      if (step.type !== "append" && isRead) return true;
      const news =
        step.type === "append"
          ? await this.#appendBehind(server, writing, step.records)
          : ((await this.#read((query) => this.#pageAfter(query, writing.at))) ?? this.#begin());
      if (news === undefined) return false;
      page = news;
      writing.at = news.cursor;
    }
  }

  async #appendBehind(
    server: Server,
    writing: Writing,
    records: readonly LogRecord[],
  ): Promise<RecordPage | undefined> {
    try {
      const kept = await server.connected((query) => this.#keep(query, writing.at, records));
      if (kept === undefined) this.#isContended = true;
      else server.notices.announce(this.#options.session);
      return kept;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!error.isPassing) throw server.explained(error, error.fate);
      writing.fate = error.fate;
      return undefined;
    }
  }

  /** As long as nobody else was there meanwhile, the next one need not wait for its turn. */
  async #appendInTurn(server: Server, writing: Writing, next: (page: LogPage) => Step): Promise<void> {
    for (;;) {
      const appended = await server.alone(this.#lock, async (query) => {
        this.#isContended = false;
        for (;;) {
          const news = (await this.#pageAfter(query, writing.at)) ?? this.#begin();
          this.#isContended ||= news.entries.length > 0;
          writing.at = news.cursor;
          const step = next(news);
          if (step.type !== "append") return undefined;
          const kept = await this.#keep(query, writing.at, step.records);
          if (kept !== undefined) return kept;
        }
      });
      if (appended === undefined) return;
      server.notices.announce(this.#options.session);
      writing.at = appended.cursor;
      // What it asks for now is asked for again in the next turn.
      if (next(appended).type !== "append") return;
    }
  }

  async #read<Result>(ask: (query: Query) => Promise<Result>): Promise<Result> {
    const server = await this.#server.get();
    return server.patiently(() => server.connected(ask));
  }

  /** Undefined: another history is there now than the cursor is of. */
  async #pageAfter(query: Query, cursor: RecordCursor, rowsMax?: number): Promise<RecordPage | undefined> {
    const kept = await this.#rows.after(query, this.#options.session, cursor, rowsMax);
    return kept && pageOf(kept, cursor);
  }

  async #keep(query: Query, cursor: RecordCursor, records: readonly LogRecord[]): Promise<RecordPage | undefined> {
    const kept = await this.#rows.append(query, this.#options.session, cursor, records);
    return kept && pageOf(kept, cursor);
  }

  #begin(): RecordPage {
    return { entries: [{ kind: "begin", session: { id: this.#options.session } }], cursor: start };
  }

  #load(): Promise<string | undefined> {
    return this.#read((query) => this.#rows.savedSnapshot(query, this.#options.session));
  }

  #save(text: string): Promise<void> {
    return this.#read((query) => this.#rows.saveSnapshot(query, this.#options.session, text));
  }
}

type RecordPage = LogPage & { readonly cursor: RecordCursor };

/** How far one call of `append` is. */
interface Writing {
  at: RecordCursor;
  fate: Fate;
}

const start = new RecordCursor(0, undefined);

function cursorOf(after: Cursor | undefined): RecordCursor {
  if (after instanceof RecordCursor) return after;
  if (after === undefined) return start;
  const { place, digest } = after as { readonly place: number; readonly digest: string };
  return new RecordCursor(place, undefined, digest);
}

function pageOf(kept: readonly KeptRecord[], before: RecordCursor): RecordPage {
  const last = kept.at(-1);
  return {
    entries: kept.map(({ place, json }) => readRecord(json, place)),
    cursor: last === undefined ? before : new RecordCursor(last.place, last.json),
  };
}

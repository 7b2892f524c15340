/**
 * This backend keeps the records of many sessions in the tables of one schema. What is known is decided on first, and appended in one
 * statement that checks that nobody was faster. If somebody was, the next ones take turns under a lock, so that each of many writers gets
 * on.
 */
import type { Fate } from "../../errors.ts";
import type { Version } from "../../event/event.ts";
import type { SessionSummary } from "../../stream/catalog.ts";
import type { AppendCall } from "../records/append-call.ts";
import { type Appending, type Backend, inPages } from "../records/backend.ts";
import type { KeptRecord, RecordCursor } from "../records/record-cursor.ts";
import { Failure } from "./failure.ts";
import { lockKey } from "./lock-key.ts";
import type { Query } from "./pool.ts";
import { Rows } from "./rows.ts";
import type { Server } from "./server.ts";

const pageRows = 256;

export class PostgresBackend implements Backend {
  readonly #server: Server;
  readonly #rows: Rows;
  /** Sessions in which somebody was faster the last time: the next one asks for its turn at once. */
  readonly #contended = new Set<string>();

  constructor(server: Server) {
    this.#server = server;
    this.#rows = new Rows(server.schema);
  }

  after(session: string, cursor: RecordCursor, max: number): Promise<readonly KeptRecord[] | undefined> {
    return this.#ask((query) => this.#rows.after(query, session, cursor, max));
  }

  async append(session: string, call: AppendCall): Promise<void> {
    const fate = this.#contended.has(session) ? "not-written" : await this.#appendAtOnce(session, call);
    if (fate !== undefined) await this.#server.patiently(() => this.#appendInTurn(session, call), fate);
  }

  loadCheckpoint(session: string, unitsMax: number): Promise<string | undefined> {
    return this.#ask((query) => this.#rows.savedSnapshot(query, session, unitsMax));
  }

  saveCheckpoint(session: string, text: string, over?: string): Promise<void> {
    return this.#ask((query) => this.#rows.saveSnapshot(query, session, text, over));
  }

  markCheckpoint(session: string): Promise<string> {
    return this.#ask((query) => this.#rows.markOfSnapshot(query, session));
  }

  /** The sessions come in the order of their ids. */
  list(): AsyncGenerator<SessionSummary> {
    return inPages<SessionSummary>(pageRows, (last) =>
      this.#ask((query) => this.#rows.sessionsAfter(query, last?.session ?? "", pageRows)),
    );
  }

  newestSessions(max: number): Promise<readonly string[]> {
    return this.#ask((query) => this.#rows.newestSessions(query, max));
  }

  remove(session: string, version: Version): Promise<boolean> {
    return this.#ask((query) => this.#rows.removeSession(query, session, version));
  }

  watch(wake: (session: string) => void, only?: string): Promise<() => Promise<void>> {
    return this.#server.notices.watch(wake, only);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /**
   * The result is undefined when nothing more is asked for. Otherwise somebody was faster, or no answer came: then, with fate "unknown",
   * the record may be there or still come, but no longer once anything else stands in its place.
   */
  async #appendAtOnce(session: string, call: AppendCall): Promise<Fate | undefined> {
    let step = call.next([]);
    for (let isRead = false; !isRead || step.type === "append"; isRead = true) {
      if (step.type === "append") {
        const kept = await this.#keepAtOnce(session, call.at, step);
        if (typeof kept === "string") return kept;
        step = call.next(kept);
      } else step = call.next(await this.after(session, call.at, pageRows), pageRows);
    }
    return undefined;
  }

  /** Answers what became of it where it cannot be told. */
  async #keepAtOnce(session: string, cursor: RecordCursor, step: Appending): Promise<readonly KeptRecord[] | Fate> {
    try {
      const kept = await this.#server.connected((query) => this.#rows.append(query, session, cursor, step));
      if (kept === undefined) this.#contended.add(session);
      else this.#server.notices.announce(session);
      return kept ?? "not-written";
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (!error.isPassing) throw this.#server.explained(error, error.fate);
      return error.fate;
    }
  }

  /** As long as nobody else was there meanwhile, the next one need not wait for its turn. */
  async #appendInTurn(session: string, call: AppendCall): Promise<void> {
    for (;;) {
      const appended = await this.#server.alone(lockKey(this.#server.schema, session), async (query) => {
        this.#contended.delete(session);
        for (;;) {
          const news = await this.#rows.after(query, session, call.at, pageRows);
          if (news?.length !== 0) this.#contended.add(session);
          const step = call.next(news, pageRows);
          if (step.type !== "append") return undefined;
          const kept = await this.#rows.append(query, session, call.at, step);
          if (kept !== undefined) return kept;
        }
      });
      if (appended === undefined) return;
      this.#server.notices.announce(session);
      // What it asks for now is asked for again in the next turn.
      if (call.next(appended).type !== "append") return;
    }
  }

  #ask<Result>(ask: (query: Query) => Promise<Result>): Promise<Result> {
    return this.#server.patiently(() => this.#server.connected(ask));
  }
}

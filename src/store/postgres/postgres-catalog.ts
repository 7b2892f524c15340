/** All sessions of a schema, over one pool of connections. */
import type { SessionCatalog, SessionSummary } from "../../stream/catalog.ts";
import type { StreamStore } from "../../stream/stream-store.ts";
import { sharedOptions } from "../backend-options.ts";
import { OpenedOnce } from "../opened-once.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import { keptId } from "../session-id.ts";
import { postgresStoreOn } from "./postgres-log.ts";
import { type PostgresServerOptions, parseServerOptions } from "./postgres-options.ts";
import { Rows } from "./rows.ts";
import { openServer, placeOf, type Server } from "./server.ts";

const pageRows = 256;

export function postgresCatalog(options: PostgresServerOptions): SessionCatalog<SessionFileOptions> {
  return new PostgresCatalog(parseServerOptions(options));
}

class PostgresCatalog implements SessionCatalog<SessionFileOptions> {
  readonly where: string;
  readonly #options: PostgresServerOptions;
  readonly #server: OpenedOnce<Server>;

  constructor(options: PostgresServerOptions) {
    this.where = placeOf(options);
    this.#options = options;
    this.#server = new OpenedOnce(this.where, () => openServer(options));
  }

  async *list(): AsyncGenerator<SessionSummary> {
    const server = await this.#server.get();
    const rows = new Rows(server.schema);
    for (let after = ""; ; ) {
      const page = await server.patiently(() =>
        server.connected((query) => rows.sessionsAfter(query, after, pageRows)),
      );
      yield* page;
      if (page.length < pageRows) return;
      after = page.at(-1)?.session ?? "";
    }
  }

  open(session: string, options: SessionFileOptions = {}): StreamStore {
    const id = keptId(session, "session");
    return postgresStoreOn(() => this.#server.get(), { ...this.#options, ...sharedOptions(options), session: id });
  }

  async watch(wake: (session: string) => void): Promise<() => Promise<void>> {
    const server = await this.#server.get();
    return server.notices.watch(wake);
  }

  async close(): Promise<void> {
    await this.#server.close((server) => server.close());
  }
}

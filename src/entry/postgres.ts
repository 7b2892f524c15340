/** `session-journal/postgres`: journals in a PostgreSQL database. */
export type { PostgresClient, PostgresPool } from "../store/postgres/pool.ts";
export { type PostgresOptions, postgresStore } from "../store/postgres/postgres-store.ts";
export type { PostgresServerOptions } from "../store/postgres/server-options.ts";

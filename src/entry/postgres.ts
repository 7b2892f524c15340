/** `session-journal/postgres`: journals in a PostgreSQL database. */
export type { PostgresClient, PostgresPool } from "../store/postgres/pool.ts";
export { postgresStore } from "../store/postgres/postgres-log.ts";
export type { PostgresOptions, PostgresServerOptions } from "../store/postgres/postgres-options.ts";

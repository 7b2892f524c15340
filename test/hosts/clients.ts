import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isFull } from "../reliability/results.ts";

/** A real client, to be driven in a process of its own: `spawn(client.node, [script, client.sessionManager])`. */
export interface HostClient {
  /** For example `pi-0.73.1`; its fixture is `fixtures/sessions/<name>.jsonl`. */
  readonly name: string;
  /** The Node that runs it. */
  readonly node: string;
  /** URL of the module that exports its `SessionManager`. */
  readonly sessionManager: string;
}

interface ClientRow {
  readonly name: string;
  readonly sessionManager: string;
  /** Null where the Node of the tests will do. */
  readonly node: string | null;
}

const rows: readonly ClientRow[] = JSON.parse(readFileSync(resolve(import.meta.dirname, "clients.json"), "utf8"));

/** Every client that `npm test` installs in test/hosts. */
export const hostClients: readonly HostClient[] = rows.map((row) => ({
  name: row.name,
  node: nodeOf(row),
  sessionManager: pathToFileURL(resolve(import.meta.dirname, row.sessionManager)).href,
}));

/** For tests that start them often: the oldest and the newest. `npm run test:full` takes every one. */
export const sampledClients = isFull ? hostClients : [...hostClients.slice(0, 1), ...hostClients.slice(-1)];

/** For tests of the whole program, whose start takes long. `npm run test:full` takes every one. */
export const newestClients = isFull ? hostClients : hostClients.slice(-1);

/** The newer client needs Node 22.19: a packaged one on Linux, elsewhere that of the tests. */
function nodeOf(row: ClientRow): string {
  const own = row.node ? resolve(import.meta.dirname, row.node) : process.execPath;
  return existsSync(own) ? own : process.execPath;
}

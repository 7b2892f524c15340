// Runs verbs one after the other in this process, and throws their output away: `node run-verbs.mjs '[["show","FILE"]]'`.
// Answers the code of each, and what it said on standard error.
import { join, resolve } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

const { runCli } = await import(pathToFileURL(join(resolve(import.meta.dirname, "../.."), "dist/cli/run.js")).href);
const stdout = { write: (_, done) => done(), on: () => undefined };
const results = [];
for (const argv of JSON.parse(process.argv[2])) {
  let said = "";
  const stderr = { write: (text) => (said += text) };
  const interruption = () => new AbortController().signal;
  const code = await runCli({ argv, stdin: () => Readable.from([]), stdout, stderr, env: { HOME: "/" }, interruption });
  results.push({ verb: argv[0], code, said: said.replace(/^session-journal: at work.*\n/gm, "") });
}
process.stdout.write(JSON.stringify(results));

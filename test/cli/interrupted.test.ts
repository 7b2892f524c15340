/** The built program is interrupted just after the first hidden file or folder of what it makes is there. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { root, temporaryFolder } from "./cli.ts";

const main = join(root, "dist", "command", "cli.cjs");

/** Sends the signal to the process itself, once. */
const interrupting = `
const fs = require("node:fs");
let isSent = false;
const sendFor = (path) => {
  if (isSent || !String(path).endsWith(".unfinished")) return;
  isSent = true;
  process.kill(process.pid, process.env.SIGNAL_SENT);
};
const { openSync } = fs;
fs.openSync = (path, ...others) => {
  const file = openSync(path, ...others);
  sendFor(path);
  return file;
};
for (const name of ["open", "mkdir"]) {
  const call = fs.promises[name];
  fs.promises[name] = async (path, ...others) => {
    const made = await call(path, ...others);
    sendFor(path);
    return made;
  };
}
require("node:module").syncBuiltinESMExports();
`;

async function places() {
  const folder = temporaryFolder();
  const from = join(folder, "from.jsonl");
  const journal = await openJournal(from);
  for (let count = 0; count < 3; count++) await journal.notes.set(`secret ${count}`);
  const session = await journal.sessionId();
  await journal.close();
  const made = join(folder, "made");
  mkdirSync(made);
  const preload = join(folder, "interrupting.cjs");
  writeFileSync(preload, interrupting);
  return { folder, from, session, made, preload };
}

function interrupted(
  argv: readonly string[],
  preload: string,
  signal: NodeJS.Signals,
  more: Readonly<Record<string, string>> = {},
): NodeJS.Signals | null {
  const env = { ...process.env, NODE_OPTIONS: `--require ${preload}`, SIGNAL_SENT: signal, ...more };
  return spawnSync(process.execPath, [main, ...argv], { env, timeout: 20_000, killSignal: "SIGKILL" }).signal;
}

const hidden = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.includes(".unfinished"));

test.each([
  [["copy", "FROM", "TO"], "SIGINT"],
  [["redact", "FROM", "--text", "secret", "-o", "TO"], "SIGTERM"],
  [["fork", "FROM", "TO"], "SIGHUP"],
  [["spawn", "FROM", "TO"], "SIGINT"],
  [["archive", "FROM", "-o", "TO"], "SIGTERM"],
] as const)("an interruption of %j by %s leaves no hidden file with texts of the session", async (words, signal) => {
  const { from, made, preload } = await places();
  const argv = words.map((word) => (word === "FROM" ? from : word === "TO" ? join(made, "to.jsonl") : word));
  expect(interrupted(argv, preload, signal)).toBe(signal);
  expect(hidden(made)).toEqual([]);
});

test("an interrupted archive of what lies in a database leaves no session file that was made for it", async () => {
  const { folder, from, session, made, preload } = await places();
  const database = `sqlite:${join(folder, "journals.db")}`;
  await copyJournal(from, database);
  const argv = ["archive", `${database}#${session}`, "-o", join(made, "a.gz")];
  expect(interrupted(argv, preload, "SIGINT")).toBe("SIGINT");
  expect(hidden(made)).toEqual([]);
});

/** Sends the signal when a pattern is about to be looked for in the text on which it takes for ever. */
const interruptingSearch = `
const { matchAll } = String.prototype;
String.prototype.matchAll = function (pattern) {
  if (String(this).startsWith("aaaa") && pattern.source === process.env.PATTERN) process.kill(process.pid, process.env.SIGNAL_SENT);
  return matchAll.call(this, pattern);
};
`;

test("a pattern that takes for ever on a text of the host can be interrupted", async () => {
  const { from, made, preload } = await places();
  const message = { role: "user", content: `${"a".repeat(64)}!` };
  const line = { type: "message", id: "00000001", parentId: null, timestamp: "2026-01-01T00:00:00.000Z", message };
  appendFileSync(from, `${JSON.stringify(line)}\n`);
  writeFileSync(preload, interruptingSearch);
  const pattern = "secret|(a+)+$";
  const argv = ["redact", from, "--pattern", pattern, "-o", join(made, "to.jsonl")];
  expect(interrupted(argv, preload, "SIGINT", { PATTERN: pattern })).toBe("SIGINT");
  expect(hidden(made)).toEqual([]);
});

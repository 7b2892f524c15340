// Has a real client do things: node drive.mjs <URL of its session manager> [<what> <with what, as JSON>]
// Without them it is told on standard input, a line each: [what, with what]. Answers are lines of JSON.
import { copyFileSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";

const [sessionManagerUrl, once, onceWith] = process.argv.slice(2);
const { SessionManager } = await import(sessionManagerUrl);

const namespace = "openclaw:scratchpad";
const isOurs = ({ customType }) => typeof customType === "string" && customType.startsWith(namespace);

/** What the client has of a session: what its model reads, where it stands, how it calls and lists it. */
async function look({ file }) {
  const session = SessionManager.open(file);
  return {
    ...seen(session),
    name: session.getSessionName() ?? null,
    listing: await SessionManager.list(session.getCwd(), dirname(file)),
  };
}

function seen(session) {
  const branch = session.getBranch();
  return { context: session.buildSessionContext(), leaf: branch.findLast((entry) => !isOurs(entry))?.id ?? null };
}

function message(role, text) {
  const content = [{ type: "text", text }];
  const timestamp = Date.now();
  if (role === "user") return { role, content, timestamp };
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: { total: 0 } };
  return { role, content, timestamp, api: "x", provider: "y", model: "z", usage, stopReason: "stop" };
}

/** Opens the session and appends; answers what it then has, and whether that hangs on what it stood on. */
function say({ file, role = "user", text }) {
  const session = SessionManager.open(file);
  const stood = session.getLeafId();
  const { parentId } = session.getEntry(session.appendMessage(message(role, text)));
  return { ...seen(session), chained: parentId === stood };
}

/** Goes back to an entry and says something there, which is how a client leaves a branch. */
function sayAt({ file, entryId, text }) {
  const session = SessionManager.open(file);
  session.branch(entryId);
  return session.appendMessage(message("user", text));
}

function addLines({ file, count }) {
  const session = SessionManager.open(file);
  for (let index = 0; index < count; index++) session.appendCustomEntry("another-extension", { index });
  return session.getLeafId();
}

/** Cuts a copy at every byte from `from` to its end, and counts the contexts that the client then has. */
function cutEverywhere({ file, from, to }) {
  const copy = join(dirname(file), "cut.jsonl");
  const contexts = new Map();
  for (let size = from; size <= to; size++) {
    copyFileSync(file, copy);
    truncateSync(copy, size);
    const context = JSON.stringify(seen(SessionManager.open(copy)));
    contexts.set(context, (contexts.get(context) ?? 0) + 1);
  }
  return [...contexts].map(([context, count]) => ({ context: JSON.parse(context), count }));
}

/** A three-key runtime starts: the last value of each key, the single key only where notes were never written. */
function load({ file }) {
  return loaded(SessionManager.open(file));
}

function loaded(session) {
  const pad = { notes: undefined, plan: "", refs: [] };
  let single = "";
  for (const { type, customType, data } of session.getEntries()) {
    if (type !== "custom") continue;
    if (customType === `${namespace}:notes` && typeof data === "string") pad.notes = data;
    if (customType === `${namespace}:plan` && typeof data === "string") pad.plan = data;
    if (customType === `${namespace}:refs` && Array.isArray(data)) pad.refs = data;
    if (customType === namespace && typeof data === "string") single = data;
  }
  return { ...pad, notes: pad.notes ?? single };
}

/** A three-key runtime writes the whole value of one space, derived from what it loaded. */
function write({ file, key, text }) {
  const session = SessionManager.open(file);
  const pad = loaded(session);
  const value = key === "refs" ? [...pad.refs, text] : pad[key] ? `${pad[key]}\n${text}` : text;
  return session.appendCustomEntry(
    key === "single" ? namespace : `${namespace}:${key}`,
    key === "single" ? text : value,
  );
}

const create = ({ folder }) => {
  const session = SessionManager.create("/home/dev", folder);
  session.appendMessage(message("user", "Hello."));
  session.appendMessage(message("assistant", "Hello."));
  return session.getSessionFile();
};
const copyBranch = ({ file, leafId }) => SessionManager.open(file).createBranchedSession(leafId);
const fork = ({ file, folder }) => SessionManager.forkFrom(file, "/home/dev/fork", folder).getSessionFile();
const leaf = ({ file }) => SessionManager.open(file).getLeafId();

const known = { look, say, sayAt, addLines, cutEverywhere, load, write, create, copyBranch, fork, leaf };
/** From Node 26 on, the reader of lines ends a line at these, too. */
const escaped = (text) => text.replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029");
const answer = async (name, step) => console.log(escaped(JSON.stringify(await known[name](step))));

if (once !== undefined) await answer(once, JSON.parse(onceWith));
else for await (const line of createInterface({ input: process.stdin })) await answer(...JSON.parse(line));

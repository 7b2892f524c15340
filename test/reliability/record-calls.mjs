/**
 * Tells a story on a session in a folder and prints what was asked of the file system meanwhile, in order, as JSON:
 * node record-calls.mjs FOLDER (new | of-a-host | replaced-by-a-host)
 */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import path from "node:path";

const [folder, story] = process.argv.slice(2);
const file = path.join(folder, "session.jsonl");
const real = { ...fs };

const calls = [];
/** By path: of files a number that stays theirs whatever their name, of folders their path. */
const names = new Map([[folder, folder]]);
const opened = new Map();
let nodes = 0;

function within(name) {
  return path.relative(folder, name);
}

function openSync(name, flags = "r", mode = undefined) {
  const descriptor = real.openSync(name, flags, mode);
  const isMade = (typeof flags === "string" ? flags.startsWith("w") : flags & fs.constants.O_CREAT) && !names.has(name);
  if (isMade && name.startsWith(folder)) {
    names.set(name, nodes);
    calls.push({ call: "create", name: within(name), node: nodes++ });
  }
  opened.set(descriptor, names.get(name));
  return descriptor;
}

function written(descriptor, bytes) {
  const node = opened.get(descriptor);
  if (node !== undefined) calls.push({ call: "write", node, bytes: Buffer.from(bytes).toString("base64") });
}

function synced(descriptor) {
  const node = opened.get(descriptor);
  if (typeof node === "number") calls.push({ call: "sync", node });
  else if (node !== undefined) calls.push({ call: "sync-folder", name: within(node) });
}

function syncing(name) {
  return (descriptor, done) =>
    real[name](descriptor, (error) => {
      synced(descriptor);
      done(error);
    });
}

Object.assign(fs, {
  openSync,
  writeSync: (descriptor, data, from = 0) => {
    const bytes = Buffer.from(data).subarray(from);
    const count = real.writeSync(descriptor, bytes);
    written(descriptor, bytes.subarray(0, count));
    return count;
  },
  writeFileSync: (descriptor, data) => {
    real.writeFileSync(descriptor, data);
    written(descriptor, data);
  },
  fdatasync: syncing("fdatasync"),
  fdatasyncSync: (descriptor) => {
    real.fdatasyncSync(descriptor);
    synced(descriptor);
  },
  fsync: syncing("fsync"),
  fsyncSync: (descriptor) => {
    real.fsyncSync(descriptor);
    synced(descriptor);
  },
  mkdirSync: (name, options) => {
    real.mkdirSync(name, options);
    // Of the lock every state is tried in itself.
    if (name.endsWith(".lock")) return;
    names.set(name, name);
    calls.push({ call: "mkdir", name: within(name) });
  },
  renameSync: (from, to) => {
    real.renameSync(from, to);
    names.set(to, names.get(from));
    names.delete(from);
    calls.push({ call: "rename", from: within(from), to: within(to), node: names.get(to) });
  },
});
syncBuiltinESMExports();

const { openJournal } = await import("../../dist/index.js");

/** The host syncs nothing. */
function hostWrites(name) {
  const id = fs.existsSync(file) ? JSON.parse(fs.readFileSync(file, "utf8").split("\n")[0]).id : "of-the-host";
  const header = { type: "session", version: 3, id, timestamp: new Date().toISOString(), cwd: "/" };
  const message = { type: "message", id: "a1b2c3d4", parentId: null, message: { role: "user", content: "hello 😀" } };
  const descriptor = fs.openSync(name, "w");
  for (const line of [header, message]) fs.writeSync(descriptor, `${JSON.stringify(line)}\n`);
  real.closeSync(descriptor);
}

if (story === "of-a-host") hostWrites(file);
const journal = await openJournal(file, { actor: "agent" });
if (story === "new") calls.push({ call: "made" });
for (const [index, action] of [
  { action: "set_plan", content: "1. find out 😀" },
  { action: "entries.write", key: "long", content: "é".repeat(3_000) },
  { action: "append_notes", content: "found it" },
  { action: "refs.add", ref: "src/a.ts" },
].entries()) {
  const command = `call-${index}`;
  if (index === 0 && story === "replaced-by-a-host") {
    hostWrites(`${file}.new`);
    fs.renameSync(`${file}.new`, file);
  }
  await journal.apply(action, { command });
  calls.push({ call: "acknowledged", command, action });
  if (index % 2 === 1) {
    await journal.snapshot();
  }
}
await journal.close();
process.stdout.write(JSON.stringify(calls));

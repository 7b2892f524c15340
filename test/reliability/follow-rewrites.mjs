// What makes a handle read a session from its beginning: `node follow-rewrites.mjs FILE`. Answers what each handle showed.
import { appendFileSync, copyFileSync, openSync, readSync, renameSync, statSync, truncateSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [file] = process.argv.slice(2);
const load = (module) => import(pathToFileURL(join(resolve(import.meta.dirname, "../.."), "dist", module)).href);
const { openJournal } = await load("index.js");
const { sealCommit } = await load("line/chain.js");
const tailBytes = 64 * 1024;
const results = {};

/** Another file in its place, as a host puts one there: without the last commit and what follows on it. */
function replaceWithoutLastCommit() {
  const next = `${file}.next`;
  const { size } = statSync(file);
  const tail = Buffer.alloc(Math.min(tailBytes, size));
  readSync(openSync(file, "r"), tail, 0, tail.length, size - tail.length);
  const line = tail.lastIndexOf('{"type":"custom","customType":"openclaw:scratchpad:events"');
  copyFileSync(file, next);
  truncateSync(next, size - tail.length + line);
  renameSync(next, file);
}

/** A commit that lost a race: decided on less than what is there. */
function appendLost() {
  const { size } = statSync(file);
  const tail = Buffer.alloc(Math.min(tailBytes, size));
  readSync(openSync(file, "r"), tail, 0, tail.length, size - tail.length);
  const line = tail
    .toString()
    .split("\n")
    .findLast((each) => each.includes('"customType":"openclaw:scratchpad:events"'));
  const { hash: _, ...data } = JSON.parse(line).data;
  const entry = { ...JSON.parse(line), id: "lost-entry", data: sealCommit({ ...data, id: "lost" }).data };
  appendFileSync(file, `${JSON.stringify(entry)}\n`);
}

const writer = await openJournal(file, { durability: "os" });
await writer.plan.set("acknowledged");
const other = await openJournal(file, { durability: "os" });
await other.plan.set("the other's");
appendLost();
await writer.notes.set("behind a lost race");
results.raced = writer.version;
await other.close();

const reader = await openJournal(file, { readonly: true });
const resets = [];
reader.onChange(({ type, version }) => type === "reset" && resets.push(version));
replaceWithoutLastCommit();
await reader.refresh();
results.followed = { resets, version: reader.version };
await reader.close();

await writer.plan.set("behind a rewrite");
results.putBack = { notes: writer.state.notes, version: writer.version };
await writer.close();
process.stdout.write(JSON.stringify(results));

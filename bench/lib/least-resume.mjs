// What no reader that resumes a session can leave out, and nothing else: the snapshot is parsed, what follows it is read, and
// each commit in it is parsed, checked and folded. No line is judged, no turn counted, and nothing is looked at twice.
import { hash as digestOf } from "node:crypto";
import { closeSync, fstatSync, openSync, readFileSync, readSync } from "node:fs";
import { library } from "./dist.mjs";

const lineFeed = 0x0a;
const ours = Buffer.from('"openclaw:scratchpad:events"');

/** Answers how long it took, in milliseconds, and the version and the state. The fold is loaded before. */
export async function leastResume(file, snapshot) {
  const { evolve } = await library();
  const start = performance.now();
  const { state: known, ledger, cursor } = JSON.parse(firstLine(readFileSync(snapshot, "utf8")));
  const descriptor = openSync(file);
  const news = Buffer.allocUnsafe(fstatSync(descriptor).size - cursor.offset);
  readSync(descriptor, news, 0, news.length, cursor.offset);
  closeSync(descriptor);
  let [state, head] = [known, ledger.head];
  for (let at = news.indexOf(ours); at !== -1; ) {
    const end = news.indexOf(lineFeed, at);
    const line = news.toString("utf8", news.lastIndexOf(lineFeed, at) + 1, end);
    const { hash, ...data } = JSON.parse(line).data;
    // What we write is in canonical order.
    const digest = digestOf("sha256", JSON.stringify(data), "hex").slice(0, hash.length);
    if (digest !== hash || data.prev !== head.hash) throw new Error(`commit ${data.id} does not follow`);
    for (const event of data.events) state = evolve(state, event);
    head = { version: data.version, hash };
    at = news.indexOf(ours, end);
  }
  return { ms: performance.now() - start, version: head.version, state };
}

/** A second one has the checksum. */
function firstLine(text) {
  const end = text.indexOf("\n");
  return end === -1 ? text : text.slice(0, end);
}

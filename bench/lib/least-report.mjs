// What no report can leave out, and nothing else: every line is told to be JSON, every entry's id is kept, each line of ours
// is parsed, and its digests are made, the events are folded and printed, with what the user asked. Nothing is judged.
import { hash } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, writeFileSync } from "node:fs";
import { library, load } from "./dist.mjs";

const pieceBytes = 256 * 1024;
const lineFeed = 0x0a;
const namespace = "openclaw:scratchpad:";

/** Answers how long it took, in milliseconds, and how many events it has printed to `target`. The fold is loaded before. */
export async function leastReport(file, target) {
  const { evolve, initialState } = await library();
  const { LineSurvey } = await load("line/line-survey.js");
  const survey = LineSurvey.make();
  const start = performance.now();
  const descriptor = openSync(file);
  const { size } = fstatSync(descriptor);
  const buffer = Buffer.allocUnsafe(pieceBytes);
  const ids = new Set();
  const events = [];
  let [state, asked, piece] = [initialState, undefined, buffer];

  const takeCommit = ({ hash: known, ...data }) => {
    // What we write is in canonical order.
    if (digest(JSON.stringify(data)) !== known) throw new Error(`commit ${data.id} has another hash`);
    const prompt = asked === undefined ? undefined : JSON.parse(asked.toString("utf8")).message.content;
    for (const event of data.events) {
      state = evolve(state, event);
      events.push({ version: data.version, at: data.at, event, prompt: prompt?.[0]?.text?.slice(0, 200) });
    }
    asked = undefined;
  };
  const take = (from, feed, message) => {
    if (message !== undefined) {
      ids.add(message.entry.id);
      if (message.role === "user") asked = Buffer.from(piece.subarray(from, feed));
      return;
    }
    const { id, parentId, timestamp, customType, data } = JSON.parse(piece.toString("utf8", from, feed));
    ids.add(id);
    if (customType?.startsWith(namespace) !== true) return;
    digest(piece.subarray(from, feed));
    digest(JSON.stringify([id, { content: data.hash ?? data, customType, parentId, timestamp }]));
    if (data.hash !== undefined) takeCommit(data);
  };
  for (let at = 0; at < size; ) {
    piece = buffer.subarray(0, readSync(descriptor, buffer, 0, pieceBytes, at));
    piece = piece.subarray(0, piece.lastIndexOf(lineFeed) + 1);
    survey.look(piece, take);
    at += piece.length;
  }
  closeSync(descriptor);
  writeFileSync(target, JSON.stringify({ events, state }));
  return { ms: performance.now() - start, events: events.length };
}

function digest(content) {
  return hash("sha256", content, "hex").slice(0, 32);
}

// What no reader of a session can leave out, and nothing else: to show what a reading can reach at most.
import { hash as digestOf } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { load } from "./dist.mjs";

const pieceBytes = 256 * 1024;
const lineFeed = 0x0a;
const ours = Buffer.from('"openclaw:scratchpad:events"');

const { LineSurvey } = await load("line/line-survey.js");
const survey = LineSurvey.make();
const searched = { namespace: "openclaw:scratchpad", skipsMirrors: true };

const takes = {
  /** Has our program in WebAssembly find the lines that may matter, and does nothing with them. */
  searching: countFound,
  /** Finds the line feeds. */
  reading: countFeeds,
  /** Also parses each commit. Turns are not counted, and nothing is added up. */
  parsing: (piece) => countFeeds(piece) + eachCommit(piece, () => 1),
  /** Also checks the hash of each. */
  hashing: (piece) => countFeeds(piece) + eachCommit(piece, check),
  /** Parses every line, as whoever checks that each can be read. */
  parsingAll: eachLine,
};

/** `what` is a key of `takes`. Answers how long it took, in milliseconds. */
export function leastFold(file, what) {
  const take = takes[what];
  const descriptor = openSync(file);
  const { size } = fstatSync(descriptor);
  const buffer = Buffer.allocUnsafe(pieceBytes);
  const start = performance.now();
  let found = 0;
  for (let at = 0; at < size; ) {
    const piece = buffer.subarray(0, readSync(descriptor, buffer, 0, pieceBytes, at));
    const end = piece.lastIndexOf(lineFeed) + 1;
    found += take(piece.subarray(0, end));
    at += end;
  }
  const ms = performance.now() - start;
  closeSync(descriptor);
  return { ms, found };
}

function countFound(piece) {
  let count = 0;
  survey.scan(piece, 0, searched, () => {
    count += 1;
  });
  return count;
}

function countFeeds(piece) {
  let count = 0;
  for (let feed = piece.indexOf(lineFeed); feed !== -1; feed = piece.indexOf(lineFeed, feed + 1)) count += 1;
  return count;
}

function eachLine(piece) {
  let count = 0;
  for (let [start, feed] = [0, piece.indexOf(lineFeed)]; feed !== -1; feed = piece.indexOf(lineFeed, start)) {
    if (typeof JSON.parse(piece.toString("utf8", start, feed)) === "object") count += 1;
    start = feed + 1;
  }
  return count;
}

function eachCommit(piece, look) {
  let count = 0;
  for (let at = piece.indexOf(ours); at !== -1; ) {
    const end = piece.indexOf(lineFeed, at);
    const line = piece.toString("utf8", piece.lastIndexOf(lineFeed, at) + 1, end);
    count += look(JSON.parse(line).data);
    at = piece.indexOf(ours, end);
  }
  return count;
}

/** What we write is in canonical order. */
function check({ hash, ...data }) {
  if (digestOf("sha256", JSON.stringify(data), "hex").slice(0, hash.length) === hash) return 1;
  throw new Error(`commit ${data.id} has another hash`);
}

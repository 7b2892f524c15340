// What no reader of another client's session can leave out, and nothing else: to show what a reading can reach at most.
import { closeSync, fstatSync, openSync, readSync } from "node:fs";

const pieceBytes = 1024 * 1024;
const lineFeed = 0x0a;

/**
 * What stands in a line that must be parsed, because it changes the plan or holds a person's words: the line begins a turn, calls a tool of the
 * plan, or answers such a call. Only the first bytes are looked at where they say what the line is.
 */
const needed = {
  codex: { within: 160, patterns: [/"type":"user_message"|"name":"update_plan"|"output":"Plan updated"/] },
  "gemini-cli": {
    within: 4096,
    patterns: [/"name":"(?:write_todos|save_memory)"|"type":"user","content":\[\{"text"/],
  },
  droid: {
    within: 512,
    patterns: [/"name":"TodoWrite"|"type":"todo_state"|"role":"user","content":\[\{"type":"text"/],
  },
  pi: { within: 512, patterns: [/"role":"user"|"toolName":"todo"|"customType":"plan-mode"/] },
};

/**
 * `what` is "reading", which finds the line feeds, or "parsing", which also parses those lines of `client`. Answers how long the processor and
 * whoever waits needed, in milliseconds, and how many lines were found.
 */
export function leastForeign(file, what, client) {
  const { within, patterns } = needed[client];
  const descriptor = openSync(file);
  const { size } = fstatSync(descriptor);
  const buffer = Buffer.allocUnsafe(pieceBytes);
  let [found, parsed] = [0, 0];
  for (let at = 0; at < size; ) {
    const piece = buffer.subarray(0, readSync(descriptor, buffer, 0, pieceBytes, at));
    let start = 0;
    for (let feed = piece.indexOf(lineFeed); feed !== -1; feed = piece.indexOf(lineFeed, start)) {
      found += 1;
      if (what === "parsing") {
        const head = piece.latin1Slice(start, Math.min(feed, start + within));
        if (patterns.some((pattern) => pattern.test(head)))
          parsed += Number(JSON.parse(piece.toString("utf8", start, feed)) !== null);
      }
      start = feed + 1;
    }
    // A line that is longer than the piece is passed over.
    at += start === 0 ? piece.length : start;
  }
  closeSync(descriptor);
  return { lines: found, parsed };
}

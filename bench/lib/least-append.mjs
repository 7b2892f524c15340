// All that the format asks of an append, in one function, without a library around it: what must be looked at before and
// after, a commit and its mirror with their hashes, one write, reading back. Nothing is decided, judged, folded or told.
import { hash, randomUUID } from "node:crypto";
import {
  close,
  fdatasyncSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmdirSync,
  statSync,
  writeSync,
} from "node:fs";
import { library } from "./dist.mjs";

const tailBytes = 1024;

/**
 * Answers a function that sets the notes. With `isDurable`, it waits for the disk before it reads back. `lock` is a folder to make before, and
 * to remove before the disk is waited for; it is open until after that.
 */
export function leastAppender(file, { isDurable = false, lock } = {}) {
  const [writing, reading] = [openSync(file, "a"), openSync(file, "r")];
  const known = fstatSync(reading);
  const found = Buffer.alloc(1 << 16);
  let end = known.size;
  let tail = Buffer.alloc(tailBytes);
  readSync(reading, tail, 0, tailBytes, end - tailBytes);
  let [prev, parentId, version] = [digest(""), randomUUID(), 0];

  const look = (written = Buffer.alloc(0)) => {
    const { dev, ino, size } = statSync(file);
    const count = readSync(reading, found, 0, found.length, end - tailBytes);
    const isSame = dev === known.dev && ino === known.ino && size === end + written.length;
    if (!isSame || count !== tailBytes + written.length) throw new Error("somebody else has written");
    if (tail.compare(found, 0, tailBytes) !== 0 || written.compare(found, tailBytes, count) !== 0)
      throw new Error("other bytes stand there");
    tail = Buffer.from(found.subarray(count - tailBytes, count));
    end = size;
  };

  return (text) => {
    if (lock) mkdirSync(lock);
    const held = lock && openSync(lock, "r");
    if (statSync(`${file}.lock`, { throwIfNoEntry: false }) !== undefined) throw new Error("a host holds its lock");
    look();
    version += 1;
    const [id, at] = [randomUUID(), new Date().toISOString()];
    const before = JSON.stringify({ at, events: [{ actor: "agent", text, type: "notes.set" }] }).slice(0, -1);
    const after = JSON.stringify({ id, prev, v: 1, version }).slice(1);
    prev = digest(`${before},${after}`);
    const commit = entryId("events", prev, parentId, at);
    const mirror = entryId("notes", text, commit, at);
    const bytes = Buffer.from(
      `${lineStart}events","data":${before},"hash":"${prev}",${after},"id":"${commit}","parentId":"${parentId}","timestamp":"${at}"}\n` +
        `${lineStart}notes","data":${JSON.stringify(text)},"mirror":"${id}","id":"${mirror}","parentId":"${commit}","timestamp":"${at}"}\n`,
    );
    if (writeSync(writing, bytes, 0, bytes.length) !== bytes.length) throw new Error("the write was short");
    if (lock) rmdirSync(lock);
    if (isDurable) fdatasyncSync(writing);
    if (lock) close(held, () => undefined);
    look(bytes);
    parentId = mirror;
  };
}

const lineStart = '{"type":"custom","customType":"openclaw:scratchpad:';

function entryId(type, content, parentId, timestamp) {
  const salt = randomUUID();
  return `${digest(JSON.stringify([salt, { content, customType: type, parentId, timestamp }]))}${salt.slice(0, 4)}`;
}

function digest(text) {
  return hash("sha256", text, "hex").slice(0, 32);
}

/**
 * The same where each call waits for the one before it, is decided on the state that this left behind, and gets an answer: what
 * whoever has callers does besides. Nothing is judged, kept or told.
 */
export async function leastLibrary(file, options) {
  const { defaultLimits, initialState, reduce } = await library();
  const append = leastAppender(file, options);
  let state = initialState;
  let version = 0;
  let last = Promise.resolve();
  const decide = (action) => {
    const context = { limits: defaultLimits, actor: "agent", at: new Date().toISOString(), version };
    const { answer, events, state: after } = reduce(state, action, context);
    append(events[0].text);
    [state, version] = [after, version + 1];
    return answer;
  };
  return (text) => {
    const call = last.then(() => decide({ action: "set_notes", content: text }));
    last = call;
    return call;
  };
}

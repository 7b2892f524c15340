// Sessions of any size: the messages of a session that a real client wrote, again and again under ids of their own, with
// commits and their mirrors between them.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { library, load } from "./dist.mjs";
import { digestOf } from "./measure.mjs";

const { evolve, initialState } = await library();
const { genesisHash } = await load("line/chain.js");
const { commitDataOf, commitLine, mirrorLine } = await load("line/encode.js");
const { lineNames } = await load("line/format.js");

const fixture = resolve(import.meta.dirname, "../../fixtures/sessions/pi-0.73.1.jsonl");
const names = lineNames();
const timestamp = "2026-03-09T13:02:11.417Z";

/**
 * `commits` are spread evenly over the file, an event each. `print` makes a line of a value, as another runtime would;
 * `longLineBytes` makes one message as long, in the middle; `eventOf(index, state)` makes other events.
 * Answers what a reader must find: `{ version, digest }`.
 */
export function growSession(file, sizeBytes, commits, { print, longLineBytes = 0, eventOf } = {}) {
  const [header, ...entries] = readFileSync(fixture, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const isValue = ({ customType }) => customType?.startsWith(names.namespace);
  const host = entries.filter((entry) => !isValue(entry));
  const texts = entries.filter(isValue).map(({ data }) => (Array.isArray(data) ? data.join("\n") : data));
  const growing = new Growing(header.id, texts, eventOf);
  const descriptor = openSync(file, "w");
  const write = (lines) => writeSync(descriptor, print === undefined ? lines : printedBy(print, lines));
  let size = write(`${JSON.stringify(header)}\n`);
  let isLongDue = longLineBytes > 0;
  while (size < sizeBytes || growing.commits < commits) {
    for (const entry of host) {
      const isDue = growing.commits < commits && size >= (sizeBytes * growing.commits) / commits;
      size += write((isDue ? growing.commit() : "") + growing.lineOf(entry));
    }
    if (isLongDue && size >= (sizeBytes - longLineBytes) / 2) {
      size += write(growing.lineOf(longMessage(longLineBytes)));
      isLongDue = false;
    }
  }
  closeSync(descriptor);
  return growing.expected;
}

function printedBy(print, lines) {
  return lines.replace(/^.+$/gm, (line) => print(JSON.parse(line)));
}

/** In one line, with a space after each colon and comma, as other languages print it. */
export function respaced(entry) {
  return JSON.stringify(entry, null, 1).replace(/\n */g, " ");
}

function longMessage(bytes) {
  const line = 'The test in \\"auth.ts\\" still fails: the token has expired by then.\n';
  const text = line.repeat(Math.ceil(bytes / (line.length + 3)));
  return { type: "message", timestamp, message: { role: "assistant", content: [{ type: "text", text }] } };
}

class Growing {
  commits = 0;
  #eventOf;
  #state = initialState;
  #head;
  #parentId = null;
  #ids = 0;
  #salts = 0;
  #renamed = new Map();

  constructor(sessionId, texts, eventOf = (index, state) => mixedEvent(index, state, texts)) {
    this.#eventOf = eventOf;
    this.#head = { version: 0, hash: genesisHash(sessionId) };
  }

  get expected() {
    return { version: this.#head.version, digest: digestOf(this.#state) };
  }

  lineOf(entry) {
    const id = (this.#ids++).toString(16).padStart(8, "0");
    this.#renamed.set(entry.id, id);
    const { firstKeptEntryId, targetId, fromId } = entry;
    const line = { ...entry, id, parentId: this.#parentId };
    if (firstKeptEntryId) line.firstKeptEntryId = this.#renamed.get(firstKeptEntryId);
    if (targetId) line.targetId = this.#renamed.get(targetId);
    if (fromId) line.fromId = this.#renamed.get(fromId) ?? fromId;
    this.#parentId = id;
    return `${JSON.stringify(line)}\n`;
  }

  commit() {
    const event = this.#eventOf(this.commits, this.#state);
    const before = this.#state;
    this.#state = evolve(before, event);
    const id = `00000000-0000-4000-8000-${this.commits.toString(16).padStart(12, "0")}`;
    const data = commitDataOf({ id, at: timestamp, events: [{ event, actor: "agent" }] }, this.#head, "file");
    const context = { names, timestamp, salt: () => (this.#salts++).toString(16).padStart(15, "0") };
    const lines = [commitLine(data, this.#parentId, context)];
    for (const space of ["notes", "plan", "refs"]) {
      if (this.#state[space] === before[space]) continue;
      lines.push(mirrorLine(names[space], this.#state[space], id, lines.at(-1).id, context));
    }
    this.#head = { version: data.version, hash: data.hash };
    this.#parentId = lines.at(-1).id;
    this.commits += 1;
    return lines.map(({ text }) => text).join("");
  }
}

/** Every event changes what the ones before it left. */
function mixedEvent(index, { refs }, texts) {
  const text = `${index}: ${texts[index % texts.length]}`;
  switch (index % 6) {
    case 0:
    case 3:
      return { type: "notes.set", text };
    case 1:
      return { type: "notes.appended", text: text.slice(0, 200) };
    case 2:
      return { type: "plan.set", text };
    case 4:
      return { type: "ref.added", ref: `src/${index}.ts`, ...(refs.length === 50 && { evicted: refs[0] }) };
    default:
      return { type: "entry.written", key: `finding-${index % 20}`, text: text.slice(0, 200) };
  }
}

/**
 * A session of many short events, a message of the user's before every `turnEvents` of them, and no other lines. Answers
 * what a reader must find.
 */
export function growEvents(file, events, { turnEvents = 20 } = {}) {
  const growing = new Growing("many-events", [], shortEvent);
  const descriptor = openSync(file, "w");
  const header = { type: "session", version: 3, id: "many-events", timestamp, cwd: "/" };
  let lines = `${JSON.stringify(header)}\n`;
  for (let index = 0; index < events; index++) {
    if (index % turnEvents === 0) lines += growing.lineOf(userMessage(index / turnEvents));
    lines += growing.commit();
    if (lines.length < 2 ** 20) continue;
    writeSync(descriptor, lines);
    lines = "";
  }
  writeSync(descriptor, lines);
  closeSync(descriptor);
  return growing.expected;
}

function userMessage(turn) {
  const content = [{ type: "text", text: `Go on with part ${turn}.` }];
  return { type: "message", id: `message ${turn}`, timestamp, message: { role: "user", content } };
}

/** About 120 characters each. */
function shortEvent(index, { refs }) {
  const text = `- [${index % 3 ? "x" : " "}] step ${index}: read src/module-${index % 97}.ts, the test of the parser fails at line ${index % 211}, see its log`;
  switch (index % 5) {
    case 0:
      return { type: "notes.set", text };
    case 1:
      return { type: "notes.appended", text };
    case 2:
      return { type: "plan.set", text };
    case 3:
      return { type: "ref.added", ref: `src/${index}.ts`, ...(refs.length === 50 && { evicted: refs[0] }) };
    default:
      return { type: "entry.written", key: `finding-${index % 20}`, text };
  }
}

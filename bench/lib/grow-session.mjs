// Sessions of any size: the messages of a session that a real client wrote, again and again under ids of their own, with
// commits and their mirrors between them.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { resolve } from "node:path";
import { genesisHash } from "../../dist/line/chain.js";
import { commitDataOf, commitLine, mirrorLine } from "../../dist/line/encode.js";
import { lineNames } from "../../dist/line/format.js";

const fixture = resolve(import.meta.dirname, "../../fixtures/sessions/pi-0.73.1.jsonl");
const names = lineNames();
const timestamp = "2026-03-09T13:02:11.417Z";

/** `commits` are spread evenly over the file. Answers how many there are. */
export function growSession(file, sizeBytes, commits) {
  const [header, ...entries] = readFileSync(fixture, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const isValue = ({ customType }) => customType?.startsWith(names.namespace);
  const host = entries.filter((entry) => !isValue(entry));
  const values = entries.filter(isValue).map(({ data }) => data);
  const growing = new Growing(header.id);
  const descriptor = openSync(file, "w");
  let size = writeSync(descriptor, `${JSON.stringify(header)}\n`);
  while (size < sizeBytes) {
    for (const entry of host) {
      const isDue = growing.commits < commits && size >= (sizeBytes * growing.commits) / commits;
      const commit = isDue ? growing.commitOf(values[growing.commits % values.length]) : "";
      size += writeSync(descriptor, commit + growing.lineOf(entry));
    }
  }
  closeSync(descriptor);
  return growing.commits;
}

class Growing {
  commits = 0;
  #head;
  #parentId = null;
  #ids = 0;
  #salts = 0;
  #renamed = new Map();

  constructor(sessionId) {
    this.#head = { version: 0, hash: genesisHash(sessionId) };
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

  commitOf(value) {
    const text = `${this.commits}: ${Array.isArray(value) ? value.join("\n") : value}`;
    const id = `00000000-0000-4000-8000-${this.commits.toString(16).padStart(12, "0")}`;
    const draft = { id, at: timestamp, events: [{ event: { type: "notes.set", text }, actor: "agent" }] };
    const data = commitDataOf(draft, this.#head, "file");
    const context = { names, timestamp, salt: () => (this.#salts++).toString(16).padStart(15, "0") };
    const commit = commitLine(data, this.#parentId, context);
    const mirror = mirrorLine(names.notes, text, id, commit.id, context);
    this.#head = { version: data.version, hash: data.hash };
    this.#parentId = mirror.id;
    this.commits += 1;
    return commit.text + mirror.text;
  }
}

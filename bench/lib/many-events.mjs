// A session of very many small events of every kind, with turns and compactions of its host between them: what grows with
// the number of events, and not with their bytes, shows in it.
import { closeSync, openSync, writeSync } from "node:fs";
import { library, load } from "./dist.mjs";

const { evolve, initialState } = await library();
const { genesisHash } = await load("line/chain.js");
const { commitLine, headerLine, mirrorLine, sealDraft } = await load("line/encode.js");
const { lineNames } = await load("line/format.js");

const names = lineNames();
const session = "many-events";
const batchUnits = 1 << 20;
const [turnEvery, compactionEvery, restoreEvery] = [100, 10_000, 50_000];
const refsMax = 10;

/** Every event is a commit of its own, with its mirrors. `textUnits`: of the text of each. */
export function writeManyEvents(file, count, { textUnits = 40 } = {}) {
  const descriptor = openSync(file, "wx", 0o600);
  const growing = new Growing(textUnits);
  let batch = headerLine({ id: session, timestamp: timeOf(0), cwd: "/work" });
  for (let index = 0; index < count; index++) {
    batch += growing.next(index);
    if (batch.length < batchUnits) continue;
    writeSync(descriptor, batch);
    batch = "";
  }
  writeSync(descriptor, batch);
  closeSync(descriptor);
}

class Growing {
  #textUnits;
  #state = initialState;
  #head = { version: 0, hash: genesisHash(session) };
  #parentId = null;
  #salts = 0;

  constructor(textUnits) {
    this.#textUnits = textUnits;
  }

  next(index) {
    const host = index % turnEvery === 0 ? this.#turn(index) : "";
    const commit = this.#commit(index);
    const isCompacted = index % compactionEvery === compactionEvery - 1;
    return host + commit + (isCompacted ? this.#host({ type: "compaction", summary: "" }, index) : "");
  }

  #turn(index) {
    const content = [{ type: "text", text: `Please do part ${index / turnEvery}` }];
    return this.#host({ type: "message", message: { role: "user", content } }, index);
  }

  #host(fields, index) {
    const id = `${fields.type[0]}${index.toString(16).padStart(7, "0")}`;
    const line = { ...fields, id, parentId: this.#parentId, timestamp: timeOf(index) };
    this.#parentId = id;
    return `${JSON.stringify(line)}\n`;
  }

  #commit(index) {
    const before = this.#state;
    const event = eventOf(index, before, this.#textUnits);
    this.#state = evolve(before, event);
    const id = `00000000-0000-4000-8000-${index.toString(16).padStart(12, "0")}`;
    const timestamp = timeOf(index);
    const actor = index % 7 === 0 ? "reviewer" : "agent";
    const draft = { id, at: timestamp, events: [{ event, actor, command: `call-${index}` }] };
    const { data, json } = sealDraft(draft, this.#head, "file");
    const context = { names, timestamp, salt: () => (this.#salts++).toString(16).padStart(15, "0") };
    const lines = [commitLine(data, this.#parentId, context, json)];
    for (const space of ["notes", "plan", "refs"]) {
      if (this.#state[space] === before[space]) continue;
      lines.push(mirrorLine(names[space], this.#state[space], id, lines.at(-1).id, context));
    }
    this.#head = { version: data.version, hash: data.hash };
    this.#parentId = lines.at(-1).id;
    return lines.map(({ text }) => text).join("");
  }
}

function timeOf(index) {
  return new Date(Date.UTC(2026, 2, 9) + index * 1000).toISOString();
}

/** Each changes what the ones before it left, but for the refusals. */
function eventOf(index, state, textUnits) {
  const text = `${index}: the token has expired by then. `.repeat(Math.ceil(textUnits / 40));
  if (index % restoreEvery === restoreEvery - 1) return restored(state, index);
  switch (index % 10) {
    case 0:
      return { type: "plan.set", text: planOf(index) };
    case 1:
      return { type: "notes.set", text };
    case 2:
    case 7:
      return {
        type: "ref.added",
        ref: `src/${index}.ts`,
        ...(state.refs.length === refsMax && { evicted: state.refs[0] }),
      };
    case 3:
      return { type: "entry.written", key: `finding-${index % 200}`, text };
    case 4:
      return { type: "action.refused", action: "append_notes", code: "over_budget", offered: { content: text } };
    case 5:
      return { type: "section.written", name: `part ${index % 50}`, text, at: timeOf(index) };
    default:
      return { type: "notes.appended", text };
  }
}

/** Five steps that come and go: one is begun, finished and left out again as the history goes on. */
function planOf(index) {
  const first = Math.floor(index / 40);
  const boxes = ["[x]", "[>]", "[ ]", "[ ]", "[ ]"];
  return boxes.map((box, step) => `- ${box} step ${first + step}: look at file ${first + step}`).join("\n");
}

function restored(state, index) {
  const { notes, plan, refs, entries, leases, sections } = state;
  return { type: "state.restored", to: index, state: { notes, plan, refs, entries, leases, sections } };
}

// What does our layer cost on each store, against the thinnest direct use of the store's own client?
import fs from "node:fs";
import { join } from "node:path";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import Libsql from "libsql";
import { memoryStore, openJournal } from "session-journal";
import { loadAverage, machine, printTable, withFolder } from "./lib/measure.mjs";
import { startBroker } from "./lib/nats-server.mjs";
import { median, milliseconds } from "./lib/numbers.mjs";

const rounds = 3;
const appends = 200;
const writers = 4;
const resumed = 1000;
const wakes = 20;
const content = `finding: ${"x".repeat(200)}`;

/** Of what was asked so far. */
let streams = 0;
const arrays = new Map();

/** What both sides keep: a line of about the size of a commit. */
const line = JSON.stringify({
  id: crypto.randomUUID(),
  at: new Date(),
  version: 1,
  events: [{ type: "notes.set", text: content }],
});

async function main(folder) {
  console.log(`${machine()}; load ${loadAverage().join(" ")}`);
  const broker = await startBroker(folder);
  try {
    const rows = [["store", "append", "contended", "resume", "live"]];
    for (const [name, pair] of Object.entries(pairs(folder, broker.server)))
      rows.push([name, ...(await compare(pair))]);
    printTable(rows);
  } finally {
    await broker.stop();
  }
  console.log("ms of ours (× direct); append: one durable action; contended: one of four writers at once;");
  console.log(`resume: open and read ${resumed} commits without a snapshot; live: from append to the reader's state`);
}

/** Direct and ours in turns, so that both meet the same disturbances. */
async function compare({ direct, ours }) {
  const cells = [];
  for (const question of [append, contended, resume, live]) {
    const times = { direct: [], ours: [] };
    for (let round = 0; round < rounds; round++) {
      for (const [who, make] of Object.entries({ direct, ours })) times[who].push(await question(make));
    }
    const [base, own] = [median(times.direct), median(times.ours)];
    cells.push(Number.isNaN(base) ? "–" : `${milliseconds(own)} (${(own / base).toFixed(1)} ×)`);
  }
  return cells;
}

async function append(make) {
  const handle = await make(`s${++streams}`);
  const times = [];
  for (let index = 0; index < appends; index++) {
    const start = performance.now();
    await handle.append();
    times.push(performance.now() - start);
  }
  await handle.close();
  return median(times);
}

async function contended(make) {
  const name = `s${++streams}`;
  const handles = [];
  for (let index = 0; index < writers; index++) handles.push(await make(name));
  const start = performance.now();
  await Promise.all(
    handles.map(async (handle) => {
      for (let index = 0; index < appends / writers; index++) await handle.append();
    }),
  );
  const time = (performance.now() - start) / appends;
  for (const handle of handles) await handle.close();
  return time;
}

async function resume(make) {
  const name = `s${++streams}`;
  const writer = await make(name);
  for (let index = 0; index < resumed; index++) await writer.append();
  const start = performance.now();
  const reader = await make(name);
  await reader.read();
  const time = performance.now() - start;
  await writer.close();
  await reader.close();
  return time;
}

async function live(make) {
  const name = `s${++streams}`;
  const [writer, reader] = [await make(name), await make(name)];
  if (reader.follow === undefined) return Number.NaN;
  await writer.append();
  let told = () => undefined;
  const stop = await reader.follow(() => told());
  await new Promise((resolve) => setTimeout(resolve, 200));
  const times = [];
  for (let index = 0; index < wakes; index++) {
    await new Promise((resolve) => setTimeout(resolve, 60 + Math.random() * 60));
    const start = performance.now();
    const seen = new Promise((resolve) => {
      told = resolve;
    });
    await writer.append();
    await seen;
    times.push(performance.now() - start);
  }
  await stop();
  await reader.close();
  await writer.close();
  return median(times);
}

function pairs(folder, server) {
  const memories = new Map();
  const memoryAt = (name) => memories.get(name) ?? memories.set(name, memoryStore()).get(name);
  return {
    memory: { direct: directMemory, ours: (name) => journalAt(memoryAt(name)) },
    "session file": {
      direct: (name) => directFile(join(folder, `${name}.txt`)),
      ours: (name) => journalAt(join(folder, `${name}.jsonl`)),
    },
    SQLite: {
      direct: (name) => directSqlite(join(folder, "direct.db"), name),
      ours: (name) => journalAt(`sqlite:${join(folder, "ours.db")}#${name}`),
    },
    "JetStream, one node": {
      direct: (name) => directJetStream(server, name),
      ours: (name) => journalAt(`nats://${server}/ours#${name}`),
    },
  };
}

async function journalAt(where) {
  const journal = await openJournal(where);
  return {
    append: () => journal.apply({ action: "set_notes", content }),
    read: () => journal.refresh(),
    follow: async (seen) => journal.onChange(seen),
    close: () => journal.close(),
  };
}

async function directMemory(name) {
  const lines = arrays.get(name) ?? [];
  arrays.set(name, lines);
  return {
    append: async () => lines.push(line),
    read: async () => lines.map((each) => JSON.parse(each)),
    close: async () => undefined,
  };
}

async function directFile(file) {
  const descriptor = fs.openSync(file, "a");
  const sync = () => new Promise((resolve) => fs.fdatasync(descriptor, resolve));
  return {
    append: async () => {
      fs.writeSync(descriptor, `${line}\n`);
      await sync();
    },
    read: async () =>
      fs
        .readFileSync(file, "utf8")
        .trimEnd()
        .split("\n")
        .map((each) => JSON.parse(each)),
    follow: async (seen) => {
      const watcher = fs.watch(file, () => {
        fs.readFileSync(file, "utf8");
        seen();
      });
      return () => watcher.close();
    },
    close: async () => fs.closeSync(descriptor),
  };
}

async function directSqlite(file, name) {
  const database = new Libsql(file, { timeout: 5000 });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = full; CREATE TABLE IF NOT EXISTS lines (name, line)");
  const insert = database.prepare("INSERT INTO lines VALUES (?, ?)");
  const version = database.prepare("PRAGMA data_version");
  return {
    append: async () => {
      for (;;) {
        try {
          database.exec("BEGIN IMMEDIATE");
          break;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      }
      insert.run(name, line);
      database.exec("COMMIT");
    },
    read: async () =>
      database
        .prepare("SELECT line FROM lines WHERE name = ?")
        .all(name)
        .map((row) => JSON.parse(row.line)),
    follow: async (seen) => {
      let known = version.get().data_version;
      const poll = setInterval(() => {
        const now = version.get().data_version;
        if (now !== known) seen();
        known = now;
      }, 50);
      return () => clearInterval(poll);
    },
    close: async () => database.close(),
  };
}

async function directJetStream(server, name) {
  const connection = await connect({ servers: server });
  const client = jetstream(connection);
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: "direct", subjects: ["direct.*"] });
  const subject = `direct.${name}`;
  let last = (await manager.streams.getMessage("direct", { last_by_subj: subject }))?.seq ?? 0;
  return {
    append: async () => {
      for (;;) {
        try {
          last = (await client.publish(subject, line, { expect: { lastSubjectSequence: last } })).seq;
          return;
        } catch (error) {
          if (error.code !== 10071) throw error;
          last = (await manager.streams.getMessage("direct", { last_by_subj: subject })).seq;
        }
      }
    },
    read: async () => {
      const consumer = await client.consumers.get("direct", { filter_subjects: subject });
      const lines = [];
      for await (const message of await consumer.consume()) {
        lines.push(message.json());
        if (message.info.pending === 0) break;
      }
      return lines;
    },
    follow: async (seen) => {
      const consumer = await client.consumers.get("direct", { filter_subjects: subject, deliver_policy: "new" });
      const messages = await consumer.consume({ callback: seen });
      return () => messages.close();
    },
    close: () => connection.close(),
  };
}

await withFolder(main);

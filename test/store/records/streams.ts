/** Streams of records that somebody has changed: each backend's records, read out, edited and put back. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { connect } from "@nats-io/transport-node";
import type { Journal } from "../../../src/journal/public.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import type { OpenOptions } from "../../../src/open/open-options.ts";
import { parseJetStreamAddress } from "../../../src/store/jetstream/address.ts";
import { connectBroker } from "../../../src/store/jetstream/nats-broker.ts";
import type { KeptRecord } from "../../../src/store/records/record-cursor.ts";
import { openDatabase } from "../../../src/store/sqlite/database.ts";
import { type NatsCluster, startServer } from "../jetstream/nats-server.ts";

export type Backend = "sqlite" | "nats";

/** Answers what stands in place of the records. */
export type Edit = (records: readonly string[]) => readonly string[];

export class ChangedStreams {
  readonly folder: string = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-records-"));
  readonly #server: NatsCluster;
  readonly #opened: Journal[] = [];
  #count = 0;

  private constructor(server: NatsCluster) {
    this.#server = server;
  }

  static async start(): Promise<ChangedStreams> {
    return new ChangedStreams(await startServer());
  }

  async stop(): Promise<void> {
    await this.closeAll();
    await this.#server.stop();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }

  async closeAll(): Promise<void> {
    for (const journal of this.#opened.splice(0)) await journal.close();
  }

  /** Where a new stream of one session is. */
  fresh(backend: Backend): string {
    this.#count += 1;
    return backend === "sqlite"
      ? `sqlite:${path.join(this.folder, `${this.#count}.db`)}#s`
      : `nats://${this.#server.servers[0]}/changed${this.#count}#s`;
  }

  async open(where: string, options?: OpenOptions): Promise<Journal> {
    const journal = await openJournal(where, options);
    this.#opened.push(journal);
    return journal;
  }

  /** A ref for each text, a commit each. */
  async written(backend: Backend, texts: readonly string[], options?: OpenOptions): Promise<string> {
    const where = this.fresh(backend);
    const journal = await this.open(where, options);
    for (const text of texts) await journal.refs.add(text);
    return where;
  }

  /** Where the edited stream is: a broker's is another one, under the same session. */
  async edited(where: string, edit: Edit): Promise<string> {
    const kept = await this.kept(where);
    if (!where.startsWith("sqlite:")) return this.#published(edit(kept.map(({ json }) => json)));
    const { handle } = await openDatabase({ database: where.slice("sqlite:".length, -"#s".length) });
    const left = edit(kept.map(({ json }) => json));
    handle.exec("DELETE FROM records");
    for (const json of left) {
      const index = kept.findIndex((record) => record.json === json);
      const place = kept[index === -1 ? left.indexOf(json) : index]?.place ?? 0;
      handle.prepare("INSERT INTO records (session, version, record) VALUES ('s', ?, ?)").run(place, json);
    }
    handle.close();
    return where;
  }

  async kept(where: string): Promise<readonly KeptRecord[]> {
    return where.startsWith("sqlite:") ? keptInDatabase(where) : keptOnBroker(where);
  }

  async #published(records: readonly string[]): Promise<string> {
    const where = this.fresh("nats");
    const empty = await openJournal(where);
    await empty.close();
    const connection = await connect({ servers: [...this.#server.servers] });
    const subject = `${where.slice(where.lastIndexOf("/") + 1, -"#s".length)}.s`;
    for (const json of records) await connection.request(subject, json);
    await connection.close();
    return where;
  }
}

async function keptInDatabase(where: string): Promise<KeptRecord[]> {
  const { handle } = await openDatabase({ database: where.slice("sqlite:".length, -"#s".length), readonly: true });
  const sql = "SELECT version AS place, record AS json FROM records WHERE session = 's' ORDER BY version";
  const rows = handle.prepare(sql).all() as KeptRecord[];
  handle.close();
  return rows.map(({ place, json }) => ({ place, json }));
}

async function keptOnBroker(where: string): Promise<readonly KeptRecord[]> {
  const { session: _, ...options } = parseJetStreamAddress(where);
  const broker = await connectBroker(options);
  const records = await broker.after(`${broker.names.prefix}.s`, 0, 1000);
  await broker.close();
  return records;
}

/** The record at `index` with a part of it replaced. */
export function replaced(index: number, part: string, by: string): Edit {
  return (records) => records.map((json, at) => (at === index ? json.replace(part, by) : json));
}

export function without(index: number): Edit {
  return (records) => records.filter((_, at) => at !== index);
}

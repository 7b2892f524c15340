/**
 * Journals on a NATS JetStream broker: one stream, one subject for each session. The broker appends a record only behind
 * the one that its writer saw last; which of the records count is decided by the format all the same, because brokers
 * have been seen to let two writers through.
 */

import type { CheckpointPlace, Cursor, Log, LogPage, Session, Step } from "../../stream/log.ts";
import { pagesOf } from "../../stream/pages.ts";
import { RecordCursor, readRecord } from "../../stream/record-entry.ts";
import { type StreamStore, streamStore } from "../../stream/stream-store.ts";
import type { KeptRecord } from "../kept-record.ts";
import { OpenedOnce } from "../opened-once.ts";
import { idInAddress } from "../session-id.ts";
import type { Broker } from "./broker.ts";
import { type JetStreamOptions, parseJetStreamOptions } from "./jetstream-options.ts";
import { addressOf, defaultPrefix, tokenOf } from "./names.ts";
import { openBroker } from "./nats-broker.ts";
import { newsAfter, Sending } from "./sending.ts";
import { cursorAt, recordsAfter, requireRecords } from "./subject.ts";

/** Nothing is connected before the first read. Throws a TypeError for a wrong option. */
export function jetStreamStore(options: JetStreamOptions): StreamStore {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(
      "jetStreamStore takes { servers, session }: where the broker is, and the id of a session on it",
    );
  }
  const parsed = parseJetStreamOptions(options);
  return streamStore(new JetStreamLog(parsed, () => openBroker(parsed), true), parsed);
}

/** A store on a broker that is shared, and stays open when the store is closed. */
export function jetStreamStoreOn(broker: () => Promise<Broker>, options: JetStreamOptions): StreamStore {
  return streamStore(new JetStreamLog(options, broker, false), options);
}

const pageRecords = 256;

class JetStreamLog implements Log {
  readonly where: string;
  readonly checkpoint: CheckpointPlace;
  readonly #options: JetStreamOptions;
  readonly #broker: OpenedOnce<Broker>;
  readonly #ownsBroker: boolean;
  readonly #token: string;
  readonly #subject: string;
  readonly #unwatches = new Set<() => Promise<void>>();

  constructor(options: JetStreamOptions, open: () => Promise<Broker>, ownsBroker: boolean) {
    const { session, prefix = defaultPrefix } = options;
    this.#options = options;
    this.#ownsBroker = ownsBroker;
    this.#token = tokenOf(session);
    this.#subject = `${prefix}.${this.#token}`;
    this.where = `${addressOf(options)}#${idInAddress(session)}`;
    this.#broker = new OpenedOnce(this.where, open);
    this.checkpoint = {
      where: `of ${this.where}`,
      load: async () => (await this.#broker.get()).snapshots.load(this.#token),
      save: async (text, improves) => (await this.#broker.get()).snapshots.save(this.#token, text, improves),
    };
  }

  async session(): Promise<Session> {
    const broker = await this.#broker.get();
    if (this.#options.create === false) await requireRecords(broker, this.#subject, this.where);
    return { id: this.#options.session, drops: broker.drops };
  }

  async *read(after: Cursor | undefined): AsyncGenerator<LogPage, undefined> {
    const broker = await this.#broker.get();
    const cursor = await this.#cursorAt(broker, after);
    if (cursor === undefined) yield await this.#restart();
    const before = cursor ?? new RecordCursor(0, undefined);
    for await (const page of pagesOf(recordsAfter(broker, this.#subject, before.place), pageRecords)) {
      yield pageOf(page, before);
    }
  }

  /** What is known is decided on first: the broker refuses what was decided on too little. */
  async append(after: Cursor | undefined, next: (page: LogPage) => Step): Promise<void> {
    const broker = await this.#broker.get();
    const cursor = await this.#cursorAt(broker, after);
    if (cursor === undefined) {
      next(await this.#restart());
      return;
    }
    const sending = new Sending(broker, this.#subject, this.#token);
    let at = cursor;
    let step = next({ entries: [], cursor: at });
    for (let isRead = false; !isRead || step.type === "append"; isRead = true) {
      const [record] = step.type === "append" ? step.records : [];
      const news =
        record === undefined ? await newsAfter(broker, this.#subject, at.place) : await sending.send(record, at.place);
      const page = pageOf(news, at);
      at = page.cursor;
      step = next(page);
    }
  }

  async watch(wake: () => void): Promise<() => Promise<void>> {
    const broker = await this.#broker.get();
    const unwatch = await broker.watch(this.#subject, wake);
    this.#unwatches.add(unwatch);
    wake();
    return async () => {
      this.#unwatches.delete(unwatch);
      await unwatch();
    };
  }

  async close(): Promise<void> {
    await Promise.all([...this.#unwatches].map((unwatch) => unwatch()));
    await this.#broker.close(async (broker) => this.#ownsBroker && broker.close());
  }

  /** Undefined: it was printed when another record stood there. */
  async #cursorAt(broker: Broker, after: Cursor | undefined): Promise<RecordCursor | undefined> {
    if (after instanceof RecordCursor) return after;
    const printed = (after ?? { place: 0, digest: "" }) as { readonly place: number; readonly digest: string };
    return cursorAt(broker, this.#subject, printed);
  }

  async #restart(): Promise<LogPage> {
    return { entries: [{ kind: "begin", session: await this.session() }], cursor: new RecordCursor(0, undefined) };
  }
}

/** `before`: where nothing came. */
function pageOf(records: readonly KeptRecord[], before: RecordCursor): LogPage & { readonly cursor: RecordCursor } {
  const last = records.at(-1);
  const cursor = last === undefined ? before : new RecordCursor(last.place, last.json);
  return { entries: records.map(({ place, json }) => readRecord(json, place)), cursor };
}

/** All sessions of a stream, over one connection. */
import { parseRecord } from "../../line/record.ts";
import { Desk } from "../records/desk.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import { sharedOptions } from "../shared-options.ts";
import type { JournalStore, SessionShelf, SessionSummary } from "../store.ts";
import type { Broker } from "./broker.ts";
import { brokerId, type JetStreamOptions } from "./jetstream-options.ts";
import { jetStreamStoreOn } from "./jetstream-store.ts";
import { addressOf, sessionOf } from "./names.ts";
import { openBroker } from "./nats-broker.ts";

export function jetStreamShelf(options: Omit<JetStreamOptions, "session">): SessionShelf {
  return new JetStreamShelf(options);
}

class JetStreamShelf implements SessionShelf {
  readonly where: string;
  readonly #options: Omit<JetStreamOptions, "session">;
  readonly #desk: Desk<Broker>;

  constructor(options: Omit<JetStreamOptions, "session">) {
    this.where = addressOf(options);
    this.#options = options;
    this.#desk = new Desk(
      this.where,
      () => openBroker(options),
      (broker) => broker.close(),
    );
  }

  /** By the newest record of each. One that the rule of acceptance refuses may be listed until the next one. */
  async *list(): AsyncGenerator<SessionSummary> {
    const broker = await this.#desk.resource();
    for await (const { subject, json } of broker.newest()) {
      const session = this.#sessionOf(broker, subject);
      const record = parseRecord(json);
      if (session === undefined || record === undefined) continue;
      const { version } = JSON.parse(json) as { version: number };
      if (record.kind === "commit") {
        const actor = record.data.events.at(-1)?.["actor"];
        yield { session, version, at: record.data.at, actor: typeof actor === "string" ? actor : "agent" };
      } else {
        yield { session, version, ...(record.timestamp === undefined ? {} : { at: record.timestamp }), actor: "host" };
      }
    }
  }

  open(session: string, options: SessionFileOptions = {}): JournalStore {
    return jetStreamStoreOn(() => this.#desk.resource(), {
      ...this.#options,
      ...sharedOptions(options),
      session: brokerId(session),
    });
  }

  async watch(wake: (session: string) => void): Promise<() => Promise<void>> {
    const broker = await this.#desk.resource();
    return broker.watch(broker.names.subjects, (subject) => {
      const session = this.#sessionOf(broker, subject);
      if (session !== undefined) wake(session);
    });
  }

  close(): Promise<void> {
    return this.#desk.close();
  }

  #sessionOf(broker: Broker, subject: string): string | undefined {
    return sessionOf(subject.slice(broker.names.prefix.length + 1));
  }
}

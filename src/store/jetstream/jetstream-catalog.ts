/** All sessions of a stream, over one connection. */
import { parseRecord } from "../../line/record.ts";
import type { SessionCatalog, SessionSummary } from "../../stream/catalog.ts";
import type { StreamStore } from "../../stream/stream-store.ts";
import { sharedOptions } from "../backend-options.ts";
import { OpenedOnce } from "../opened-once.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import type { Broker } from "./broker.ts";
import { jetStreamStoreOn } from "./jetstream-log.ts";
import { brokerId, type JetStreamOptions } from "./jetstream-options.ts";
import { addressOf, sessionOf } from "./names.ts";
import { openBroker } from "./nats-broker.ts";

export function jetStreamCatalog(options: Omit<JetStreamOptions, "session">): SessionCatalog<SessionFileOptions> {
  return new JetStreamCatalog(options);
}

class JetStreamCatalog implements SessionCatalog<SessionFileOptions> {
  readonly where: string;
  readonly #options: Omit<JetStreamOptions, "session">;
  readonly #broker: OpenedOnce<Broker>;

  constructor(options: Omit<JetStreamOptions, "session">) {
    this.where = addressOf(options);
    this.#options = options;
    this.#broker = new OpenedOnce(this.where, () => openBroker(options));
  }

  /** By the newest record of each. One that the rule of acceptance refuses may be listed until the next one. */
  async *list(): AsyncGenerator<SessionSummary> {
    const broker = await this.#broker.get();
    for await (const { subject, json } of broker.newest()) {
      const session = this.#sessionOf(broker, subject);
      const record = parseRecord(json);
      if (session === undefined || record === undefined) continue;
      const { version } = JSON.parse(json) as { version: number };
      if (record.kind === "commit") {
        const actor = record.data.events.at(-1)?.["actor"];
        yield { session, version, at: record.data.at, actor: typeof actor === "string" ? actor : "agent" };
      } else {
        yield { session, version, at: record.timestamp, actor: "host" };
      }
    }
  }

  open(session: string, options: SessionFileOptions = {}): StreamStore {
    const id = brokerId(session);
    return jetStreamStoreOn(() => this.#broker.get(), { ...this.#options, ...sharedOptions(options), session: id });
  }

  async watch(wake: (session: string) => void): Promise<() => Promise<void>> {
    const broker = await this.#broker.get();
    return broker.watch(broker.names.subjects, (subject) => {
      const session = this.#sessionOf(broker, subject);
      if (session !== undefined) wake(session);
    });
  }

  close(): Promise<void> {
    return this.#broker.close((broker) => broker.close());
  }

  #sessionOf(broker: Broker, subject: string): string | undefined {
    return sessionOf(subject.slice(broker.names.prefix.length + 1));
  }
}

/**
 * There is one message for each session that writers race for, in a stream of their own in the broker's memory. The broker hands it to one
 * of those who ask at a time, in the order in which they asked, and takes it back from whoever keeps it too long.
 */
import { hashText } from "../../line/chain.ts";
import { nanosecondsPerMs } from "./broker-options.ts";
import type { NatsBroker } from "./nats-broker.ts";

export type TurnBroker = Pick<NatsBroker, "connection" | "manager" | "names">;

export interface TurnOptions {
  /** With false, a stream that is not there is not made. */
  readonly create?: boolean | undefined;
  /** Whoever does not give the message back for so long has lost it. */
  readonly lostMs?: number;
}

const [requestMs, lostMsDefault] = [1000, 1000];
/** A consumer or a message goes if nobody asks for it for so long. */
const [consumerMs, messageMs] = [60_000, 86_400_000];
const notFound = 404;

export class TurnMessages {
  readonly #broker: TurnBroker;
  readonly #stream: string;
  readonly #prefix: string;
  readonly #lostMs: number;
  readonly #create: boolean;
  /** The message of these is there: server, which has none after it was started anew, and session. */
  readonly #ready = new Map<string, Promise<void>>();

  constructor(broker: TurnBroker, options: TurnOptions = {}) {
    const { stream, prefix } = broker.names;
    this.#broker = broker;
    this.#lostMs = options.lostMs ?? lostMsDefault;
    this.#create = options.create ?? true;
    this.#stream = `${stream}_turns`;
    // No session has such a token, and no prefix has such a part.
    this.#prefix = `${prefix}.=turns`;
  }

  /** The result is the subject to give it back with, or undefined if it does not come within `waitMs`. This throws if there is none. */
  async take(subject: string, waitMs: number): Promise<string | undefined> {
    const name = hashText(subject);
    const key = `${this.#broker.connection.info?.server_id} ${name}`;
    const ready = this.#ready.get(key) ?? this.#make(name);
    this.#ready.set(key, ready);
    await ready;
    const { reply } = await this.#broker.connection.request(
      `$JS.API.CONSUMER.MSG.NEXT.${this.#stream}.${name}`,
      JSON.stringify({ batch: 1, expires: Math.ceil(waitMs * nanosecondsPerMs) }),
      // The message comes with its own subject, which is not that of the answer.
      { timeout: waitMs + requestMs, noMux: true },
    );
    // Without an address for the answer it is no message, but says why there is none.
    if (reply) return reply;
    this.#ready.delete(key);
    return undefined;
  }

  async giveBack(reply: string): Promise<void> {
    await this.#broker.connection.request(reply, "-NAK", { timeout: requestMs });
  }

  /** How many have it, or ask for it: nobody where it was not made. This throws if the broker does not say. */
  async users(subject: string): Promise<number> {
    const { consumers } = await this.#broker.manager;
    try {
      const { num_waiting, num_ack_pending } = await consumers.info(this.#stream, hashText(subject));
      return num_waiting + num_ack_pending;
    } catch (error) {
      if ((error as { status?: unknown }).status === notFound) return 0;
      throw error;
    }
  }

  /** After a failure: the next one makes anew what is not there. */
  forget(): void {
    this.#ready.clear();
  }

  async #make(name: string): Promise<void> {
    const { streams, consumers } = await this.#broker.manager;
    if (this.#create)
      await streams.add({
        name: this.#stream,
        subjects: [`${this.#prefix}.*`],
        storage: "memory",
        max_msgs_per_subject: 1,
        discard: "new",
        discard_new_per_subject: true,
        max_age: messageMs * nanosecondsPerMs,
      });
    const subject = `${this.#prefix}.${name}`;
    await consumers.add(this.#stream, {
      durable_name: name,
      filter_subject: subject,
      ack_policy: "explicit",
      ack_wait: this.#lostMs * nanosecondsPerMs,
      max_ack_pending: 1,
      inactive_threshold: consumerMs * nanosecondsPerMs,
      mem_storage: true,
    });
    // Of a subject that has one the broker takes no other.
    await this.#broker.connection.request(subject, "", { timeout: requestMs });
  }
}

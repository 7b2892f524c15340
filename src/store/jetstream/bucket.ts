/** Snapshots in a key-value bucket: a cache, so whatever fails at the broker is as if nothing had been saved. The only file that names the client of such buckets. */
import type { KV } from "@nats-io/kv";
import { because } from "../../diagnostics.ts";
import { markOf } from "../records/backend.ts";
import type { BrokerOptions } from "./broker-options.ts";
import { missingPackages, type NatsConnection } from "./connection.ts";
import { requireFit } from "./failure.ts";

export class Bucket {
  readonly #connection: NatsConnection;
  readonly #name: string;
  readonly #options: BrokerOptions;
  #opening: Promise<KV> | undefined;

  constructor(connection: NatsConnection, name: string, options: BrokerOptions) {
    this.#connection = connection;
    this.#name = name;
    this.#options = options;
  }

  async load(key: string, bytesMax = Number.POSITIVE_INFINITY): Promise<string | undefined> {
    try {
      const saved = await (await this.#open()).get(key);
      return saved === null || saved.length > bytesMax ? undefined : saved.string();
    } catch (error) {
      return without(error);
    }
  }

  /** With `over`, only what has this mark is replaced. Somebody faster is left in peace. Throws StorageError for what is too long. */
  async save(key: string, value: string, over?: string): Promise<void> {
    requireFit(
      "the snapshot",
      value,
      "raise its max_payload; the journal works without",
      this.#connection.info?.max_payload,
    );
    try {
      const bucket = await this.#open();
      const saved = await bucket.get(key);
      if (saved === null) await bucket.create(key, value);
      else if (over === undefined || over === markOf(saved.string())) await bucket.update(key, value, saved.revision);
    } catch (error) {
      without(error);
    }
  }

  #open(): Promise<KV> {
    this.#opening ??= this.#make();
    return this.#opening.catch((error) => {
      this.#opening = undefined;
      throw error;
    });
  }

  async #make(): Promise<KV> {
    const { Kvm } = await import("@nats-io/kv").catch((cause: unknown) => {
      throw missingPackages(cause);
    });
    const { replicas = 1, readonly = false, create = true } = this.#options;
    const manager = new Kvm(this.#connection);
    return readonly || !create ? manager.open(this.#name) : manager.create(this.#name, { replicas, history: 1 });
  }
}

function without(error: unknown): undefined {
  if (error instanceof TypeError) throw error;
  because("a snapshot on the broker was neither read nor kept: %s", (error as Error).message);
  return undefined;
}

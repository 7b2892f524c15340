/**
 * This entry point keeps journals on a NATS JetStream broker.
 *
 * @module session-journal/jetstream
 */
export type { BrokerOptions, Credentials, OpenConnection, Retention } from "../store/jetstream/broker-options.ts";
export type { JetStreamOptions } from "../store/jetstream/jetstream-store.ts";
export { jetStreamStore } from "../store/jetstream/jetstream-store.ts";
export type { RecordOptions } from "../store/records/record-options.ts";

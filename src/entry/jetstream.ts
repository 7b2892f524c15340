/** `session-journal/jetstream`: journals on a NATS JetStream broker. */
export type { BrokerOptions, Retention } from "../store/jetstream/broker-options.ts";
export type { Credentials } from "../store/jetstream/connection.ts";
export { type JetStreamOptions, jetStreamStore } from "../store/jetstream/jetstream-store.ts";

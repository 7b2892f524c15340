/** This file keeps journals on a NATS JetStream broker: one stream, one subject for each session. */
import { count, milliseconds, type OptionParsers, parseOptions, requireOption, text } from "../../options.ts";
import type { SessionCatalog } from "../../stream/catalog.ts";
import type { StreamStore } from "../../stream/stream-store.ts";
import { RecordCatalog } from "../records/record-catalog.ts";
import { type RecordBackend, recordStore } from "../records/record-log.ts";
import { parseRecordOptions, type RecordOptions, recordParsers } from "../records/record-options.ts";
import type { SessionFileOptions } from "../session-file/session-file-options.ts";
import { keptId } from "../session-id.ts";
import { withCredentials } from "./address.ts";
import type { BrokerOptions, Credentials, OpenConnection, Retention } from "./broker-options.ts";
import { openBroker } from "./jetstream-backend.ts";
import { addressOf, isBrokerId, tokenUnitsMax } from "./names.ts";

/** These are the options of {@link jetStreamStore}. */
export interface JetStreamOptions extends BrokerOptions, RecordOptions {}

const retentionParsers: OptionParsers<Retention> = {
  maxAgeMs: milliseconds,
  maxBytes: count,
  maxMessagesPerSession: count,
};

const parsers: OptionParsers<JetStreamOptions> = {
  servers: (value, name) => requireOption(areServers(value), value, name, "host:port, or a list of them"),
  ...recordParsers,
  session: brokerId,
  prefix: text,
  replicas: count,
  retention: (value, name) => parseOptions(value, retentionParsers, `${name}.`),
  credentials: (value, name) =>
    requireOption<Credentials>(isAccess(value), value, name, "{ user, password }, { token } or { creds }"),
  connection: (value, name) =>
    requireOption<OpenConnection>(isConnection(value), value, name, "an open connection, as `connect` gives it"),
  waitMs: milliseconds,
};

const usage = "jetStreamStore takes { servers, session }: where the broker is, and the id of a session on it";

/**
 * Keeps a journal on a NATS JetStream broker, beside others. Nothing is connected before the first read.
 * @param options The servers of the broker, and the id of the session on it.
 * @throws TypeError for an option that does not exist, or has a wrong value.
 * @example
 * const journal = await openJournal(jetStreamStore({ servers: "nats-1:4222", session: "agent-7" }));
 */
export function jetStreamStore(options: JetStreamOptions): StreamStore {
  const isConnected = options?.connection !== undefined;
  const asked = isConnected ? { ...options, servers: undefined } : options;
  const required = isConnected ? (["session"] as const) : (["servers", "session"] as const);
  const { servers = [], ...parsed } = parseRecordOptions(asked, parsers, required, usage);
  return recordStore(backendOf({ ...parsed, servers }), parsed);
}

export function jetStreamCatalog(options: Omit<JetStreamOptions, "session">): SessionCatalog<SessionFileOptions> {
  return new RecordCatalog(backendOf(options), options, brokerId);
}

function backendOf(given: BrokerOptions): RecordBackend {
  const options = withCredentials(given);
  return { place: addressOf(options), open: () => openBroker(options), mayDrop: true };
}

/** Throws a TypeError for an id that no subject can be made of. */
export function brokerId(session: unknown, name = "session"): string {
  const id = keptId(session, name);
  const what = `the id of a session, with at most ${tokenUnitsMax} characters as a broker writes it`;
  return requireOption(isBrokerId(id), id, name, what);
}

function areServers(value: unknown): boolean {
  const servers: unknown[] = Array.isArray(value) ? value : [value];
  return servers.length > 0 && servers.every((server) => typeof server === "string" && server !== "");
}

function isAccess(value: unknown): boolean {
  const { user, password, token, creds } = (value ?? {}) as Partial<Record<string, unknown>>;
  const isText = (each: unknown): boolean => typeof each === "string";
  return isText(token) || isText(creds) || (isText(user) && isText(password));
}

function isConnection(value: unknown): boolean {
  return typeof (value as Partial<OpenConnection> | null)?.request === "function";
}

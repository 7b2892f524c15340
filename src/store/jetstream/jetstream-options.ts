/** How a journal is kept on a broker. */

import type { SealKey } from "../../line/chain.ts";
import {
  count,
  flag,
  milliseconds,
  type OptionParsers,
  parseOptions,
  requireOption,
  requireOptions,
  sealKey,
  text,
} from "../../options.ts";
import { keptId } from "../session-id.ts";
import type { BrokerOptions, Credentials, OpenConnection, Retention } from "./broker-options.ts";
import { tokenOf } from "./names.ts";

export interface JetStreamOptions extends BrokerOptions {
  /** The session's id. */
  readonly session: string;
  /** Key that seals the hash chain. */
  readonly seal?: SealKey;
  /** A damaged record, or one that is missing, throws CorruptEntryError: false. */
  readonly strict?: boolean;
}

const retentionParsers: OptionParsers<Retention> = {
  maxAgeMs: milliseconds,
  maxBytes: count,
  maxMessagesPerSession: count,
};

const parsers: OptionParsers<Omit<JetStreamOptions, "servers" | "session">> = {
  prefix: text,
  replicas: count,
  retention: (value, name) => parseOptions(value, retentionParsers, `${name}.`),
  credentials: (value, name) =>
    requireOption<Credentials>(isAccess(value), value, name, "{ user, password }, { token } or { creds }"),
  connection: (value, name) =>
    requireOption<OpenConnection>(isConnection(value), value, name, "an open connection, as `connect` gives it"),
  waitMs: milliseconds,
  readonly: flag,
  create: flag,
  seal: sealKey,
  strict: flag,
};

/** Throws a TypeError that names the option. */
export function parseJetStreamOptions(options: JetStreamOptions): JetStreamOptions {
  requireOptions(options, "servers", "session", ...Object.keys(parsers));
  const { servers, session, ...rest } = options;
  const areRight = rest.connection !== undefined || areServers(servers);
  return {
    ...parseOptions(rest, parsers),
    servers: requireOption(areRight, servers ?? [], "servers", "host:port, or a list of them"),
    session: brokerId(session),
  };
}

/** A longer name breaks the connection of a broker that was set up as usual. */
const tokenUnitsMax = 2048;

/** Throws a TypeError for an id that no subject can be made of. */
export function brokerId(session: unknown): string {
  const id = keptId(session, "session");
  const what = `the id of a session, with at most ${tokenUnitsMax} characters as a broker writes it`;
  return requireOption(tokenOf(id).length <= tokenUnitsMax, id, "session", what);
}

function areServers(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every((server) => typeof server === "string");
  return typeof value === "string" && value !== "";
}

function isAccess(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { user, password, token, creds } = value as Partial<Record<string, unknown>>;
  const isText = (each: unknown): boolean => typeof each === "string";
  return isText(token) || isText(creds) || (isText(user) && isText(password));
}

function isConnection(value: unknown): boolean {
  return typeof (value as Partial<OpenConnection> | null)?.request === "function";
}

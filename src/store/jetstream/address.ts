/** Addresses of the form `nats://[user:password@]host[:port][,host[:port]]/prefix[#session]`. */
import { given } from "../../options.ts";
import type { BrokerOptions } from "./broker-options.ts";

export interface JetStreamAddress extends Pick<BrokerOptions, "servers" | "prefix" | "credentials"> {
  /** Undefined where the address names none. */
  readonly session: string | undefined;
}

const pattern = /^nats:\/\/(?:(?<access>[^@/#]*)@)?(?<hosts>[^@/#]+)(?:\/(?<prefix>[^#]*))?(?:#(?<session>.*))?$/s;

export function parseJetStreamAddress(address: string): JetStreamAddress {
  const parts = pattern.exec(address)?.groups;
  if (parts === undefined) {
    throw new TypeError(`${JSON.stringify(address)} is not an address: use nats://host:port/prefix#session`);
  }
  const { access, hosts = "", prefix, session } = parts;
  const credentials = access === undefined ? undefined : credentialsOf(access);
  return given({ servers: hosts.split(","), session, prefix: prefix === "" ? undefined : prefix, credentials });
}

function credentialsOf(access: string): NonNullable<BrokerOptions["credentials"]> {
  const [user = "", password] = access.split(":").map(decodeURIComponent);
  return password === undefined ? { token: user } : { user, password };
}

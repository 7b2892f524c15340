/**
 * Addresses have the form `nats://[user:password@]host[:port][,host[:port]]/prefix[#session]`.
 */
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

const accessPattern = /^(?<scheme>[a-z]+:\/\/)?(?<access>[^@/#]*)@/i;

/** A password that stands in front of a server is taken out of it: messages name servers. What `credentials` says counts. */
export function withCredentials<Options extends BrokerOptions>(options: Options): Options {
  const servers = [options.servers].flat();
  const access = servers.map((server) => accessPattern.exec(server)?.groups?.["access"]).find((found) => found);
  if (access === undefined) return options;
  return {
    ...options,
    servers: servers.map((server) => server.replace(accessPattern, "$<scheme>")),
    credentials: options.credentials ?? credentialsOf(access),
  };
}

function credentialsOf(access: string): NonNullable<BrokerOptions["credentials"]> {
  const [user = "", password] = access.split(":").map(decodeURIComponent);
  return password === undefined ? { token: user } : { user, password };
}

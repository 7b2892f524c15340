/** Addresses have the form `nats://[user:password@]host[:port][,host[:port]]/prefix[#session]`. */
import { given } from "../../options.ts";
import type { BrokerOptions } from "./broker-options.ts";

export interface JetStreamAddress extends Pick<BrokerOptions, "servers" | "prefix" | "credentials"> {
  /** This is undefined if the address names no session. */
  readonly session: string | undefined;
}

const pattern =
  /^nats:\/\/(?:(?<access>[^@/#]*)@)?(?<hosts>(?:[^@/#:[]|\[[^\]@]*\]|:\d+(?=[,/#]|$))+)(?:\/(?<prefix>[^@#]*))?(?:#(?<session>.*))?$/s;
/** What cannot be read may be a password, so the message does not repeat it. */
const unreadable =
  "this address of a broker cannot be read: use nats://user:password@host:port/prefix#session; in a password write / as %2F, # as %23 and @ as %40";

export function parseJetStreamAddress(address: string): JetStreamAddress {
  const parts = pattern.exec(address)?.groups;
  if (parts === undefined) throw new TypeError(unreadable);
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

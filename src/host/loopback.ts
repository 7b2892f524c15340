/** This file has what our servers on the loopback address share: how they are started and ended, and whom they answer. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";

const address = "127.0.0.1";

export interface Listening {
  readonly port: number;
  /** Hangs up on everybody, and ends. */
  close(): Promise<void>;
}

/** `port` 0: one that is free. Rejects with the system's error where it cannot be used. */
export async function listenOnLoopback(server: Server, port: number): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    // It stays: that a client could not be accepted later is no reason to end.
    server.on("error", reject);
    server.listen(port, address, () => resolve());
  });
  const bound = server.address();
  return {
    port: typeof bound === "object" && bound !== null ? bound.port : port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * Any page in a browser can reach the loopback address, and under a name of its own where its name server says so (DNS rebinding): so the
 * name that was asked for must be ours, and so must the origin of a page. The result says in words what is not.
 */
export function strangeName({ headers, socket }: Pick<IncomingMessage, "headers" | "socket">): string | undefined {
  const hosts = [address, "localhost"].map((name) => `${name}:${socket.localPort}`);
  const { host = "", origin } = headers;
  if (!hosts.includes(host.toLowerCase())) return `host ${JSON.stringify(host)} is not served: connect to ${hosts[0]}`;
  const isOurs = origin === undefined || hosts.some((name) => origin.toLowerCase() === `http://${name}`);
  return isOurs ? undefined : `origin ${JSON.stringify(origin)} is not served`;
}

/** How long it takes does not tell how much of a token is right. */
export function isToken(shown: string, token: string): boolean {
  return timingSafeEqual(digest(shown), digest(token));
}

/** Digests have the same length, whatever the text is. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

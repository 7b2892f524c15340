/** This file decides who may ask the server of a view: only who has its token, under its own name, and no page of another origin. */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export interface Refusal {
  readonly status: 401 | 403 | 404 | 405;
  readonly message: string;
}

/**
 * Any page in a browser can reach the loopback address, and under a name of its own where its name server says so (DNS
 * rebinding): so the name that was asked for must be ours. A page of another origin says so in `Origin` or `Sec-Fetch-Site`.
 */
export function refusalOf(request: IncomingMessage, token: string): Refusal | undefined {
  const { headers, method, url = "", socket } = request;
  const hosts = ["127.0.0.1", "localhost"].map((name) => `${name}:${socket.localPort}`);
  const { host = "", origin } = headers;
  if (!hosts.includes(host.toLowerCase())) return { status: 403, message: `this server answers only as ${hosts[0]}` };
  if (origin !== undefined && !hosts.some((name) => origin.toLowerCase() === `http://${name}`)) {
    return { status: 403, message: "pages of other origins are not answered" };
  }
  const site = headers["sec-fetch-site"];
  if (site === "cross-site" && headers["sec-fetch-mode"] !== "navigate") {
    return { status: 403, message: "pages of other origins are not answered" };
  }
  if (method !== "GET" && method !== "HEAD") return { status: 405, message: "nothing can be changed here: use GET" };
  if (!timingSafeEqual(digest(tokenIn(url)), digest(token))) {
    return {
      status: 401,
      message: "the token is missing or wrong: open the address that session-journal view printed",
    };
  }
  return undefined;
}

function tokenIn(url: string): string {
  const query = url.indexOf("?");
  return query === -1 ? "" : (new URLSearchParams(url.slice(query + 1)).get("token") ?? "");
}

/** Digests have the same length, whatever the text is. */
function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Every answer has these headers. Nothing is kept, framed, guessed at, or told to the next page. */
export const safeHeaders: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

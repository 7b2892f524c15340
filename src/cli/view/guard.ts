/** This file decides who may ask the server of a view: only who has its token, under its own name, and no page of another origin. */
import type { IncomingMessage } from "node:http";
import { isToken, strangeName } from "../../host/loopback.ts";

export interface Refusal {
  readonly status: 401 | 403 | 404 | 405;
  readonly message: string;
}

/** A page of another site that has no `Origin` says so in `Sec-Fetch-Site`. */
export function refusalOf(request: IncomingMessage, token: string): Refusal | undefined {
  const { headers, method, url = "" } = request;
  const strange = strangeName(request);
  if (strange !== undefined) return { status: 403, message: strange };
  const site = headers["sec-fetch-site"];
  if (site === "cross-site" && headers["sec-fetch-mode"] !== "navigate") {
    return { status: 403, message: "pages of other origins are not answered" };
  }
  if (method !== "GET" && method !== "HEAD") return { status: 405, message: "nothing can be changed here: use GET" };
  if (!isToken(askedIn(url).query.get("token") ?? "", token)) {
    return {
      status: 401,
      message: "the token is missing or wrong: open the address that session-journal view printed",
    };
  }
  return undefined;
}

/** A path that is asked for need not be one of a URL: it may begin with two slashes. */
export function askedIn(url: string): { readonly path: string; readonly query: URLSearchParams } {
  const cut = url.indexOf("?");
  const end = cut === -1 ? url.length : cut;
  return { path: url.slice(0, end), query: new URLSearchParams(url.slice(end)) };
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

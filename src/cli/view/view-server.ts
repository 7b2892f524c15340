/**
 * This is the server of a view. It serves one page and what that page shows, as it happens (Server-Sent Events), only on the
 * loopback address.
 */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { renderView, viewPolicy } from "../../audit/report/render.ts";
import { listenOnLoopback } from "../../host/loopback.ts";
import { eventStream, type Tell } from "./event-stream.ts";
import { askedIn, type Refusal, refusalOf, safeHeaders } from "./guard.ts";

/** A view shows this. Both functions resolve when `signal` is aborted; the page is told what they throw. */
export interface Shown {
  readonly title: string;
  tellSessions(tell: Tell, signal: AbortSignal): Promise<void>;
  /** `key`: as the sessions were told; answers false where there is none. */
  tellSession(key: string, tell: Tell, signal: AbortSignal): Promise<boolean>;
}

export interface Serving {
  /** The URL contains the token. */
  readonly url: string;
  close(): Promise<void>;
}

/** `port` 0: one that is free. */
export async function serveView(shown: Shown, port: number): Promise<Serving> {
  const token = randomBytes(24).toString("base64url");
  const page = renderView(shown.title);
  const closing = new AbortController();
  const server = createServer((request, response) => {
    const refusal = refusalOf(request, token);
    if (refusal !== undefined) return refuse(response, refusal);
    void answer({ request, response, page, shown, closing: closing.signal });
  });
  const listening = await listenOnLoopback(server, port);
  return {
    url: `http://127.0.0.1:${listening.port}/?token=${token}`,
    close: async () => {
      closing.abort();
      await listening.close();
    },
  };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly page: string;
  readonly shown: Shown;
  readonly closing: AbortSignal;
}

async function answer({ request, response, page, shown, closing }: Asked): Promise<void> {
  const { path, query } = askedIn(request.url ?? "/");
  const left = new AbortController();
  response.on("close", () => left.abort());
  const signal = AbortSignal.any([closing, left.signal]);
  switch (path) {
    case "/":
      response.writeHead(200, {
        ...safeHeaders,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": `${viewPolicy}; frame-ancestors 'none'`,
      });
      response.end(request.method === "HEAD" ? undefined : page);
      return;
    case "/sessions":
      return eventStream(response, (tell) => shown.tellSessions(tell, signal));
    case "/session":
      return eventStream(response, async (tell) => {
        const isThere = await shown.tellSession(query.get("key") ?? "", tell, signal);
        if (!isThere) await tell("failed", "This session is not in the list any more.");
      });
    default:
      refuse(response, { status: 404, message: "there is nothing at this address" });
  }
}

function refuse(response: ServerResponse, { status, message }: Refusal): void {
  response.writeHead(status, { ...safeHeaders, "content-type": "text/plain; charset=utf-8" });
  response.end(`${message}\n`);
}

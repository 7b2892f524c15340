/** This file sends Server-Sent Events (HTML standard, section 9.2). */
import type { ServerResponse } from "node:http";
import { safeHeaders } from "./guard.ts";

/** Sends one event; resolves once the reader has taken most of what was sent before. */
export type Tell = (name: string, value: unknown) => Promise<void>;

/** Answers with what `task` tells, and tells what it throws. The page asks again where the stream ends without "failed". */
export async function eventStream(response: ServerResponse, task: (tell: Tell) => Promise<void>): Promise<void> {
  response.writeHead(200, { ...safeHeaders, "content-type": "text/event-stream" });
  response.flushHeaders();
  const tell: Tell = async (name, value) => {
    if (response.destroyed) return;
    // JSON has no line break, which would end the event.
    if (response.write(`event: ${name}\ndata: ${JSON.stringify(value)}\n\n`)) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        response.off("drain", go).off("close", go);
        resolve();
      };
      response.on("drain", go).on("close", go);
    });
  };
  try {
    await task(tell);
  } catch (error) {
    await tell("failed", error instanceof Error ? error.message : String(error));
  }
  response.end();
}

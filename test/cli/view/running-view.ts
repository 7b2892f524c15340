/** A view that runs in this process, and what a client of it sees over plain HTTP. */
import fs from "node:fs";
import { get, type IncomingMessage } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { runCli } from "../../../src/cli/run.ts";

export interface RunningView {
  /** With the token. */
  readonly url: URL;
  /** Ends it as its terminal would; answers the exit code. */
  end(): Promise<number>;
}

/** An empty folder without links in its path, for the time of a test. */
export function folder(): string {
  const made = fs.realpathSync(fs.mkdtempSync(path.join(tmpdir(), "session-journal-view-")));
  onTestFinished(() => fs.rmSync(made, { recursive: true, force: true }));
  return made;
}

export async function runView(words: readonly string[], env: Readonly<Record<string, string>>): Promise<RunningView> {
  const interruption = new AbortController();
  const out = new PassThrough({ encoding: "utf8" });
  let errors = "";
  const running = runCli({
    argv: ["view", ...words],
    stdin: () => Readable.from([]),
    stdout: out,
    stderr: { write: (text) => (errors += text) },
    env,
    interruption: () => interruption.signal,
  });
  const end = (): Promise<number> => {
    interruption.abort();
    return running;
  };
  onTestFinished(async () => void (await end()));
  const printed = await Promise.race([out[Symbol.asyncIterator]().next(), running]);
  if (typeof printed === "number") throw new Error(`the view ended: ${errors}`);
  return { url: new URL(String(printed.value).trim()), end };
}

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

/** Unlike `fetch`, it may say any `Host`. */
export function ask(url: URL, headers: Readonly<Record<string, string>> = {}, method = "GET"): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, method, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => (text += part));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
      response.on("error", reject);
    });
    request.on("error", reject);
    request.end();
  });
}

export interface ToldEvent {
  readonly name: string;
  readonly value: unknown;
}

/** The events of a stream, one by one; leaves when the test is finished. */
export function listen(base: URL, path: string, parameters: Readonly<Record<string, string>> = {}) {
  const url = new URL(path, base);
  url.search = String(new URLSearchParams({ ...parameters, token: base.searchParams.get("token") ?? "" }));
  const request = get(url);
  onTestFinished(() => void request.destroy());
  const events = eventsOf(request);
  const next = async (): Promise<ToldEvent> => {
    const { value } = await events.next();
    if (value === undefined) throw new Error(`${path} ended`);
    return value;
  };
  return {
    next,
    /** The next event of this name whose value is wanted. */
    until: async (name: string, isWanted: (value: unknown) => boolean = () => true): Promise<unknown> => {
      for (;;) {
        const told = await next();
        if (told.name === name && isWanted(told.value)) return told.value;
      }
    },
  };
}

async function* eventsOf(request: ReturnType<typeof get>): AsyncGenerator<ToldEvent, undefined> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve);
    request.on("error", reject);
  });
  let rest = "";
  response.setEncoding("utf8");
  for await (const part of response.iterator({ destroyOnReturn: false })) {
    rest += String(part);
    for (let end = rest.indexOf("\n\n"); end !== -1; end = rest.indexOf("\n\n")) {
      const [, name = "", data = "null"] = /^event: (.*)\ndata: (.*)$/.exec(rest.slice(0, end)) ?? [];
      rest = rest.slice(end + 2);
      yield { name, value: JSON.parse(data) };
    }
  }
}

import { withoutPassword } from "../../errors.ts";
import { serveMcp, serveMcpHttp } from "../../host/mcp.ts";
import { mayBeToken, tokenRule } from "../../host/mcp-http.ts";
import { parseAddress } from "../../open/addresses.ts";
import { mirrorOf } from "../../open/open-options.ts";
import { type Face, faces } from "../../prompt/block.ts";
import { configFromEnvironment } from "../../prompt/config.ts";
import { aborted } from "../aborted.ts";
import type { Options } from "../options.ts";
import { readAt } from "../read-file.ts";
import { UsageError } from "../usage.ts";
import type { Call, Verb } from "../verb.ts";
import { packageVersion } from "../version.ts";

export const mcp: Verb = {
  about: "serve a scratchpad to an MCP client, on standard input and output or over HTTP",
  options: {
    face: { value: "FACE", choices: faces, about: `${faces.join(", ")} (default: ${faces[0]})` },
    http: { value: "PORT", about: "serve over Streamable HTTP on 127.0.0.1 instead; 0 is any free port" },
    "token-file": {
      value: "FILE",
      about: "with --http: holds the token that clients must send (default: a new token, which is printed)",
    },
  },
  notes: [
    "The server ends when its client hangs up; with --http, when it is interrupted.",
    "Settings may come from the environment, such as SESSION_SCRATCHPAD_MAX_TOKENS=500; --face and --limits take precedence.",
  ],
  example: "session-journal mcp session.jsonl --face notepad",
  async run({ where, options, input, output, env, open, warn, interruption }) {
    const given = configFromEnvironment(env);
    const face = (options.text("face") as Face | undefined) ?? given.face;
    const port = options.port("http");
    const token = await tokenOf(options);
    const mirror = parseAddress(where).kind === "file" ? mirrorOf({ face }) : true;
    const journal = await open("serve", where, { limits: given.limits, mirror });
    const settings = { config: { ...given, face }, version: packageVersion() };
    if (port === undefined) {
      const { isTTY } = input() as { readonly isTTY?: boolean };
      if (isTTY === true) warn(`${whatThisIs} session-journal setup CLIENT ${withoutPassword(where)}`);
      await serveMcp(journal, { ...settings, input: input() });
      return 0;
    }
    const stopped = aborted(interruption());
    const serving = await serveMcpHttp(journal, { ...settings, port, ...(token === undefined ? {} : { token }) }).catch(
      portTaken(port),
    );
    report(serving, token === undefined, options, output);
    await output.flush();
    await stopped;
    await serving.close();
    return 0;
  },
};

/** For who types the command and sees nothing happen. */
const whatThisIs =
  "this is a server, which waits for the messages of an MCP client on standard input (Ctrl-D ends it); what a client is to be told:";

/** From a file alone: words of a command line are shown to others by the system. */
async function tokenOf(options: Options): Promise<string | undefined> {
  const file = options.text("token-file");
  if (file === undefined) return undefined;
  if (options.text("http") === undefined) throw new UsageError("--token-file is for --http: add --http PORT");
  const token = (await readAt(file)).toString("utf8").trim();
  if (mayBeToken(token)) return token;
  throw new UsageError(`${file} holds no token, which is ${tokenRule}: openssl rand -hex 32 prints one`);
}

function report(
  { url, token }: { readonly url: string; readonly token: string },
  isNew: boolean,
  options: Options,
  output: Call["output"],
): void {
  if (options.flag("json")) {
    output.json({ url, ...(isNew && { token }) });
    return;
  }
  output.line(url);
  if (isNew) output.line(`Authorization: Bearer ${token}`);
}

function portTaken(port: number): (error: NodeJS.ErrnoException) => never {
  return (error) => {
    if (error.syscall !== "listen") throw error;
    throw new UsageError(`port ${port} cannot be used (${error.code}): name another, or --http 0 for any free port`);
  };
}

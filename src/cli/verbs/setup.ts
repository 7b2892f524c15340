import fs from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { own } from "../../state/own.ts";
import { didYouMean } from "../near.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";
import { manifestUrl, packageVersion } from "../version.ts";
import { isAddress, placeNamed } from "../where.ts";
import { shellWord } from "../words.ts";

/** A client is set up by a text. `place` says where the text goes. */
interface Snippet {
  readonly place: string;
  text(start: Start): string;
}

/** The server is started by this command. */
interface Start {
  readonly command: string;
  readonly args: readonly string[];
  readonly isWindows: boolean;
}

const serverName = "session-journal";

const clients: Readonly<Record<string, Snippet>> = {
  "claude-code": {
    place: "run in the project",
    text: ({ command, args, isWindows }) => {
      const server = JSON.stringify({ type: "stdio", command, args, alwaysLoad: true });
      return `claude mcp add-json ${serverName} ${isWindows ? windowsWord(server) : shellWord(server)}`;
    },
  },
  "claude-desktop": { place: "claude_desktop_config.json", text: json("mcpServers") },
  cline: { place: "cline_mcp_settings.json (MCP Servers, Configure)", text: json("mcpServers") },
  codex: {
    place: "~/.codex/config.toml",
    text: ({ command, args }) =>
      `[mcp_servers.${serverName}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
  },
  cursor: { place: ".cursor/mcp.json", text: json("mcpServers") },
  "gemini-cli": { place: ".gemini/settings.json", text: json("mcpServers") },
  opencode: {
    place: "opencode.json",
    text: ({ command, args }) =>
      indented({ mcp: { [serverName]: { type: "local", command: [command, ...args], enabled: true } } }),
  },
  vscode: { place: ".vscode/mcp.json", text: json("servers") },
  windsurf: { place: "~/.codeium/windsurf/mcp_config.json", text: json("mcpServers") },
  zed: { place: "~/.config/zed/settings.json", text: json("context_servers") },
};

const clientNames = Object.keys(clients);

export const setup: Verb = {
  about: "print what to put into the configuration of an MCP client",
  endsByItself: true,
  where: "client",
  firstWords: clientNames,
  parameters: ["SESSION"],
  options: {
    installed: { about: "start this installed command directly instead of through npx" },
    system: {
      value: "SYSTEM",
      choices: ["windows", "posix"],
      about: "windows, posix: where the client runs (default: here)",
    },
  },
  notes: [
    `Clients: ${clientNames.join(", ")}.`,
    "Prints the snippet and writes nothing; on a terminal, it says first where the snippet goes.",
  ],
  example: "session-journal setup claude-code session.jsonl",
  async run({ where, parameters: [session = ""], options, output, env }) {
    const snippet = own(clients, where);
    if (snippet === undefined) {
      const known = clientNames.join(", ");
      throw new UsageError(
        `no snippet for ${JSON.stringify(where)}${didYouMean(where, clientNames)} (there are ${known})`,
      );
    }
    const system = options.text("system") ?? (process.platform === "win32" ? "windows" : "posix");
    const place = await placeNamed(session, "serve", env);
    await requireJournal(place);
    const text = snippet.text(startOf(fromAnywhere(place), options.flag("installed"), system === "windows"));
    if (options.flag("json")) {
      output.json({ client: where, place: snippet.place, text });
      return 0;
    }
    if (output.isTerminal) output.line({ text: `# ${snippet.place}`, style: "dim" });
    output.text(text);
    return 0;
  },
};

/** The server would refuse it, and nobody sees that but the client. */
async function requireJournal(place: string): Promise<void> {
  if (place === "") throw new UsageError("SESSION is empty: name the session file that the server is to write");
  const isFile = !isAddress(place) && !place.startsWith("file:");
  if (!isFile) return;
  try {
    fs.accessSync(place, fs.constants.R_OK | fs.constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw new UsageError(`${place} cannot be read and written: check its permissions, or name another file`);
  }
  if (fs.statSync(place).isDirectory())
    throw new UsageError(`${place} is a folder: name the session file that the server is to write`);
  const { foreignFileAt } = await import("../../find/files-below.ts");
  const [foreign] = foreignFileAt(place);
  // A session of pi may hold a journal.
  if (foreign === undefined || foreign.client === "pi") return;
  throw new UsageError(
    `${place} is a session of ${foreign.client}, which is read and never written: name another file, or make a journal of it with copy or fork`,
  );
}

/** The client starts the server in a folder of its own. */
function fromAnywhere(session: string): string {
  const database = /^sqlite:(?:\/\/)?(?<path>.+)$/s.exec(session)?.groups?.["path"];
  if (database !== undefined) return `sqlite:${resolve(database)}`;
  return isAddress(session) || session.startsWith("file:") ? session : resolve(session);
}

/** The command starts this version: another one must not come unasked. On Windows npx is a script, which only the shell starts. */
function startOf(session: string, installed: boolean, isWindows: boolean): Start {
  if (installed) {
    const command = fileURLToPath(new URL("dist/command/cli.cjs", manifestUrl()));
    return { command: process.execPath, args: [command, "mcp", session], isWindows };
  }
  const npx = ["-y", `session-journal@${packageVersion()}`, "mcp", session];
  return isWindows
    ? { command: "cmd", args: ["/c", "npx", ...npx], isWindows }
    : { command: "npx", args: npx, isWindows };
}

function json(section: string): Snippet["text"] {
  return ({ command, args }) => indented({ [section]: { [serverName]: { command, args } } });
}

function indented(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

/** The result is quoted as programs on Windows take their command line apart. */
function windowsWord(word: string): string {
  return `"${word.replaceAll(/(\\*)"/g, '$1$1\\"')}"`;
}

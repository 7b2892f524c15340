import { resolve } from "node:path";
import { nearest } from "../../action/nearest.ts";
import { UsageError } from "../usage.ts";
import type { Verb } from "../verb.ts";

/** What a client is told: where the text goes, and the text. */
interface Snippet {
  readonly place: string;
  text(command: string, args: readonly string[]): string;
}

const serverName = "session-journal";

const clients: Readonly<Record<string, Snippet>> = {
  "claude-code": {
    place: "run in the project",
    text: (command, args) => `claude mcp add ${serverName} -- ${[command, ...args].map(shellWord).join(" ")}`,
  },
  "claude-desktop": { place: "claude_desktop_config.json", text: json("mcpServers") },
  codex: {
    place: "~/.codex/config.toml",
    text: (command, args) =>
      `[mcp_servers.${serverName}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}`,
  },
  cursor: { place: ".cursor/mcp.json", text: json("mcpServers") },
  "gemini-cli": { place: ".gemini/settings.json", text: json("mcpServers") },
  vscode: { place: ".vscode/mcp.json", text: json("servers") },
};

const clientNames = Object.keys(clients);

export const setup: Verb = {
  about: "what to put into the configuration of an MCP client",
  where: "client",
  parameters: ["SESSION"],
  notes: [
    `Clients: ${clientNames.join(", ")}.`,
    "Prints the snippet and writes nothing; on a terminal, it says first where the snippet goes.",
  ],
  example: "session-journal setup claude-code session.jsonl",
  async run({ where, parameters: [session = ""], options, output }) {
    const snippet = Object.hasOwn(clients, where) ? clients[where] : undefined;
    if (snippet === undefined) {
      const known = clientNames.join(", ");
      const meant = nearest(where, clientNames);
      throw new UsageError(`no snippet for ${JSON.stringify(where)}: did you mean ${meant}? There are ${known}`);
    }
    const packages = ["-p", "session-journal", "-p", "@modelcontextprotocol/sdk"];
    const args = ["-y", ...packages, "session-journal", "mcp", resolve(session)];
    const text = snippet.text("npx", args);
    if (options.flag("json")) {
      output.json({ client: where, place: snippet.place, text });
      return 0;
    }
    if (output.isTerminal) output.line({ text: `# ${snippet.place}`, style: "dim" });
    output.text(text);
    return 0;
  },
};

function json(section: string): Snippet["text"] {
  return (command, args) => JSON.stringify({ [section]: { [serverName]: { command, args } } }, null, 2);
}

/** Quoted where a POSIX shell would take it apart. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The plugin of Claude Code and Codex: `plugin.cjs hook` answers one hook, `plugin.cjs serve` is its MCP server. */
import { text } from "node:stream/consumers";
import { answerHook, type OpenScratchpad } from "../host/agent-plugin.ts";
import { openJournal } from "../open/open-journal.ts";
import { mirrorOf } from "../open/open-options.ts";

const open: OpenScratchpad = (file, config) => openJournal(file, { limits: config.limits, mirror: mirrorOf(config) });

const roles: Readonly<Record<string, () => Promise<void>>> = {
  async hook() {
    const answer = await answerHook(JSON.parse(await text(process.stdin)), process.env, open);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  },
  async serve() {
    const { servePlugin } = await import("../host/agent-plugin-server.ts");
    await servePlugin(open, { env: process.env, clientPid: process.ppid });
  },
};

const [, , role = ""] = process.argv;
const run = roles[role] ?? (async () => Promise.reject(new TypeError("name a role: hook or serve")));
run().catch((error: unknown) => {
  // Not 2: to the clients that means that the prompt must not go on.
  process.exitCode = 1;
  process.stderr.write(`session-journal: ${error instanceof Error ? error.message : String(error)}\n`);
});

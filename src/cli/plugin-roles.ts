/** The plugin of Claude Code and Codex can be started as each of these. */
import { text } from "node:stream/consumers";
import { answerHook, type OpenScratchpad } from "../host/agent-plugin.ts";
import { openJournal } from "../open/open-journal.ts";
import { mirrorOf } from "../open/open-options.ts";

const open: OpenScratchpad = (file, config) => openJournal(file, { limits: config.limits, mirror: mirrorOf(config) });

const roles: Readonly<Record<string, () => Promise<void>>> = {
  async hook() {
    // The client that ended in the meantime reads neither the answer nor what went wrong.
    process.stdout.on("error", () => undefined);
    const answer = await answerHook(JSON.parse(await text(process.stdin)), process.env, open);
    process.stdout.write(`${JSON.stringify(answer)}\n`);
  },
  async serve() {
    const { servePlugin } = await import("../host/agent-plugin-server.ts");
    await servePlugin(open, { env: process.env, clientPid: process.ppid });
  },
};

export async function runRole(role: string): Promise<void> {
  const run = roles[role];
  if (run === undefined) throw new TypeError("say which role: hook or serve");
  await run();
}

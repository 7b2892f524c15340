/** Where the plugin for Claude Code and Codex keeps the scratchpad of a conversation, whose own file is another one. */
import { existsSync } from "node:fs";
import path from "node:path";
import { rootsOf } from "./clients.ts";
import { type FindOptions, machineOf } from "./finder.ts";
import type { SessionPlace } from "./found-session.ts";
import { summaryOf } from "./summary.ts";

/** The file of the scratchpad that belongs to a session: that of the conversation, else that of the project. Empty ones do not count. */
export async function scratchpadOf(place: SessionPlace, options: FindOptions = {}): Promise<string | undefined> {
  const { client, session, cwd } = place;
  if (client !== "claude-code" && client !== "codex") return undefined;
  const home = rootsOf(machineOf(options)).find((root) => root.client === "session-journal")?.path ?? "";
  // An id may be anything that somebody wrote into a file, and lead elsewhere.
  const own = path.join(home, "conversations", `${path.basename(session)}.jsonl`);
  for (const file of [own, ...(cwd === undefined ? [] : projectFiles(cwd))]) {
    if (!existsSync(file)) continue;
    const summary = await summaryOf(file).catch(() => undefined);
    if (summary !== undefined && summary.version > 0) return file;
  }
  return undefined;
}

/** The nearest file comes first. */
function projectFiles(folder: string): string[] {
  const file = path.join(folder, ".session-journal", "scratchpad.jsonl");
  const above = path.dirname(folder);
  return above === folder ? [file] : [file, ...projectFiles(above)];
}

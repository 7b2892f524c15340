/** This is the plugin of Claude Code and Codex: `plugin.cjs hook` answers one hook, `plugin.cjs serve` is its MCP server. */
import { keepCompiled } from "./compile-cache.ts";

// Before the rest is loaded: an agent starts a hook at each prompt.
keepCompiled(process.env);
const [, , role = ""] = process.argv;
import("./plugin-roles.ts")
  .then(({ runRole }) => runRole(role))
  .catch((error: unknown) => {
    // Not 2: to the clients that means that the prompt must not go on.
    process.exitCode = 1;
    process.stderr.write(`session-journal: ${error instanceof Error ? error.message : String(error)}\n`);
  });

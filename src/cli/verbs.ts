/** The verbs, in the order of help. Each is loaded when it is run. */
import type { Verb } from "./verb.ts";

export const verbs: Readonly<Record<string, () => Promise<Verb>>> = {
  show: async () => (await import("./verbs/show.ts")).show,
  log: async () => (await import("./verbs/log.ts")).log,
  diff: async () => (await import("./verbs/diff.ts")).diff,
  verify: async () => (await import("./verbs/verify.ts")).verify,
  render: async () => (await import("./verbs/render.ts")).render,
  apply: async () => (await import("./verbs/apply.ts")).apply,
  mcp: async () => (await import("./verbs/mcp.ts")).mcp,
  restore: async () => (await import("./verbs/restore.ts")).restore,
};

/** The verbs, in the order of help. Each is loaded when it is run, but for the one that is run most. */
import type { VerbTable } from "./verb.ts";
import { show } from "./verbs/show.ts";

export const verbs: VerbTable = {
  show: async () => show,
  log: async () => (await import("./verbs/log.ts")).log,
  diff: async () => (await import("./verbs/diff.ts")).diff,
  verify: async () => (await import("./verbs/verify.ts")).verify,
  head: async () => (await import("./verbs/head.ts")).head,
  blame: async () => (await import("./verbs/blame.ts")).blame,
  lost: async () => (await import("./verbs/lost.ts")).lost,
  health: async () => (await import("./verbs/health.ts")).health,
  compare: async () => (await import("./verbs/compare.ts")).compare,
  replay: async () => (await import("./verbs/replay.ts")).replay,
  doctor: async () => (await import("./verbs/doctor.ts")).doctor,
  report: async () => (await import("./verbs/report.ts")).report,
  view: async () => (await import("./verbs/view.ts")).view,
  ls: async () => (await import("./verbs/ls.ts")).ls,
  grep: async () => (await import("./verbs/grep.ts")).grep,
  follow: async () => (await import("./verbs/follow.ts")).follow,
  render: async () => (await import("./verbs/render.ts")).render,
  apply: async () => (await import("./verbs/apply.ts")).apply,
  restore: async () => (await import("./verbs/restore.ts")).restore,
  fork: async () => (await import("./verbs/fork.ts")).fork,
  spawn: async () => (await import("./verbs/spawn.ts")).spawn,
  copy: async () => (await import("./verbs/copy.ts")).copy,
  redact: async () => (await import("./verbs/redact.ts")).redact,
  snapshot: async () => (await import("./verbs/snapshot.ts")).snapshot,
  assemble: async () => (await import("./verbs/assemble.ts")).assemble,
  mcp: async () => (await import("./verbs/mcp.ts")).mcp,
  completion: async () => (await import("./verbs/completion.ts")).completion,
  setup: async () => (await import("./verbs/setup.ts")).setup,
};

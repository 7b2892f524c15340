import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sampledClients } from "./clients.ts";
import { newFolder } from "./driver.ts";

const run = promisify(execFile);
const script = resolve(import.meta.dirname, "live-steps.mjs");
const built = pathToFileURL(resolve(import.meta.dirname, "../../dist/index.js")).href;
const events = "openclaw:scratchpad:events";

test.each(sampledClients)(
  "a journal lives inside $name from before its first flush, through every branch",
  async (client) => {
    const { stdout } = await run(client.node, [script, client.sessionManager, built, newFolder()]);
    const [notes, refs] = ["openclaw:scratchpad:notes (mirror)", "openclaw:scratchpad:refs (mirror)"];
    // Older clients write nothing before the first answer, so mirrors come behind it.
    const isThere = !["pi-0.73.1", "pi-0.87.1"].includes(client.name);
    expect(JSON.parse(stdout)).toEqual({
      beforeFlush: { isThere, version: 2, turn: 1 },
      refs: [["a.ts"], ["a.ts", "b.ts"]],
      afterFlush: {
        lines: isThere
          ? ["session", "message", events, refs, events, refs, "message", events, notes]
          : ["session", "message", events, events, "message", events, notes, refs],
        context: 2,
      },
      rewound: "common",
      right: "common\nright",
      backLeft: "common\nleft",
      again: { notes: "common\nleft\nagain", context: 4 },
      outside: { plan: "from outside", versions: [7, 7] },
      inside: { plan: "from inside", heads: [true] },
      reopened: { sameContext: true, findings: [] },
    });
  },
);

import { serveMcp } from "../../host/mcp.ts";
import { mirrorOf } from "../../open-options.ts";
import { type Face, faces } from "../../prompt/block.ts";
import { configFromEnvironment } from "../../prompt/config.ts";
import type { Verb } from "../verb.ts";
import { packageVersion } from "../version.ts";

export const mcp: Verb = {
  about: "an MCP server on standard input and output",
  options: {
    face: { value: "FACE", choices: faces, about: `${faces.join(", ")} (default: ${faces[0]})` },
  },
  notes: [
    "Needs the package @modelcontextprotocol/sdk. Ends when its client hangs up.",
    "The environment may hold settings, such as SESSION_SCRATCHPAD_MAX_TOKENS=500; --face and --limits win.",
  ],
  example: "session-journal mcp session.jsonl --face notepad",
  async run({ where, options, input, env, open }) {
    const config = configFromEnvironment(env);
    const face = (options.text("face") as Face | undefined) ?? config.face;
    const journal = await open("create", where, { limits: config.limits, mirror: mirrorOf({ face }) });
    await serveMcp(journal, {
      config: { ...config, face },
      version: packageVersion(),
      input: input(),
    });
    return 0;
  },
};

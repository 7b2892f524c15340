import { serveMcp } from "../../host/mcp.ts";
import { faces } from "../../prompt/block.ts";
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
    "The environment may hold settings, such as SESSION_SCRATCHPAD_MAX_TOKENS=500; --face wins, budgets are --limits.",
  ],
  example: "session-journal mcp session.jsonl --face notepad",
  async run({ options, input, open }) {
    const config = configFromEnvironment(process.env);
    const face = options.text("face");
    const journal = await open("create");
    await serveMcp(journal, {
      config: face === undefined ? config : { ...config, face },
      version: packageVersion(),
      input,
    });
    return 0;
  },
};

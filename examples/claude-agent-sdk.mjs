// Two prompts of one session of the Claude Agent SDK, the second of which goes on from the scratchpad:
// node claude-agent-sdk.mjs
import { query } from "@anthropic-ai/claude-agent-sdk";
import { claudeScratchpad } from "session-journal/claude-agent-sdk";

const scratchpad = await claudeScratchpad({ folder: ".scratchpads", config: { send: "on-change" } });
let resume;
for (const prompt of ["Plan the release.", "/compact", "What is the next step?"]) {
  for await (const message of query({ prompt, options: { ...scratchpad.options, resume } })) {
    resume = message.session_id;
    if ("result" in message) console.log(message.result);
  }
}
await scratchpad.close();

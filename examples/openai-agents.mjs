// A scratchpad for the OpenAI Agents SDK: node openai-agents.mjs
// The model is scripted, so that this runs anywhere: leave `model` out for OpenAI's own.
import { Agent, Runner, tool, Usage } from "@openai/agents";
import { openJournal } from "session-journal";
import { agentTools } from "session-journal/openai-agents";
import { composePrompt, renderGuidance } from "session-journal/prompt";

const plan = { action: "set_plan", content: "1. Tag 2.14.1\n2. Tell support" };
const answers = [
  { type: "function_call", callId: "call_1", name: "session_scratchpad", arguments: JSON.stringify(plan) },
  says("Planned."),
  says("Tag 2.14.1."),
];
const model = { getResponse: async () => ({ output: [answers.shift()], usage: new Usage() }) };

const journal = await openJournal("session.jsonl");
const instructions = renderGuidance({ limits: journal.limits });
const agent = new Agent({ name: "Releaser", instructions, model, tools: agentTools(journal, { tool }) });
const runner = new Runner({ tracingDisabled: true });
for (const message of ["Plan the release.", "What is the next step?"]) {
  await journal.beginTurn();
  const { forModel } = await composePrompt({ journal, message });
  const { finalOutput } = await runner.run(agent, forModel);
  console.log(`${forModel}\n-> ${finalOutput}`);
}
await journal.close();

function says(text) {
  return { type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}

// A scratchpad for the Vercel AI SDK: node ai-sdk.mjs
// The model is scripted, so that this runs anywhere: put your own in its place.
import { generateText, isStepCount, jsonSchema } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { openJournal } from "session-journal";
import { aiTools } from "session-journal/ai-sdk";
import { composePrompt, renderGuidance } from "session-journal/prompt";

const plan = { action: "set_plan", content: "1. Tag 2.14.1\n2. Tell support" };
const call = { type: "tool-call", toolCallId: "call_1", toolName: "session_scratchpad", input: JSON.stringify(plan) };
const model = new MockLanguageModelV4({
  doGenerate: [[call], [{ type: "text", text: "Planned." }], [{ type: "text", text: "Tag 2.14.1." }]].map(says),
});

const journal = await openJournal("session.jsonl");
const guidance = renderGuidance({ limits: journal.limits });
const tools = aiTools(journal, { jsonSchema });
for (const message of ["Plan the release.", "What is the next step?"]) {
  await journal.beginTurn();
  const { system, forModel } = await composePrompt({ journal, message, guidance });
  const { text } = await generateText({
    model,
    instructions: system,
    prompt: forModel,
    tools,
    stopWhen: isStepCount(10),
  });
  console.log(`${forModel}\n-> ${text}`);
}
await journal.close();

function says(content) {
  const unified = content[0].type === "tool-call" ? "tool-calls" : "stop";
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  return { content, finishReason: { unified }, usage, warnings: [] };
}

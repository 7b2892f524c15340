// Anthropic's memory tool on the entries of a journal: node anthropic-memory.mjs
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { openJournal } from "session-journal";
import { memoryHandlers } from "session-journal/anthropic-memory";

const journal = await openJournal("session.jsonl");
const message = await new Anthropic().beta.messages.toolRunner({
  model: "claude-sonnet-5-5",
  max_tokens: 1000,
  betas: ["context-management-2025-06-27"],
  messages: [{ role: "user", content: "Remember the plan." }],
  tools: [betaMemoryTool(memoryHandlers(journal))],
});
for (const block of message.content) if (block.type === "text") console.log(block.text);
await journal.close();

// The extension inside a real client with a scripted model:
// node pi-extension.mjs <URL of the client> <URL of its pi-ai> <path of the extension> <folder>
// Prints what the model saw and what came of it, as JSON.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [clientUrl, aiUrl, extensionPath, folder] = process.argv.slice(2);
const client = await import(clientUrl);
const ai = await import(aiUrl);
const { SessionManager, SettingsManager } = client;

const models = [{ id: "scripted", contextWindow: 40_000, maxTokens: 1000 }];
const faux = ai.registerFauxProvider?.({ models }) ?? ai.fauxProvider({ models });
const seen = [];

const plan = "1. Find the cause\n2. Fix it";
const session = await open(SessionManager.create(folder, folder));
script(call({ action: "set_plan", content: plan }), call({ action: "refs.remove", ref: "absent" }), say("Planned."));
await session.prompt("Go.");
script(
  call({ action: "append_notes", content: "Tokens expire west of Greenwich." }),
  say("Noted."),
  say("Noted that."),
);
const noting = session.prompt("Look into it.");
await session.steer("And hurry.");
await noting;
const before = seen.length;
// One answer that fills the window: pi compacts as soon as the run ends, and keeps what is newest.
script(say("x".repeat(100_000)));
const compacted = new Promise((resolve) => {
  session.subscribe(({ type }) => type === "compaction_end" && resolve());
});
await session.prompt("Read the log.");
await compacted;
const atCompaction = seen.slice(before);
script(say("Going on."));
await session.prompt("Go on.");
const afterCompaction = seen.at(-1);
const saved = readFileSync(session.sessionFile, "utf8");
await shutdown(session);

const again = await open(SessionManager.open(session.sessionFile));
script(say("Back."));
await again.prompt("Where were we?");
await shutdown(again);

console.log(
  JSON.stringify({
    tools: seen[0].tools,
    guidance: seen[0].system.includes("## Session Scratchpad"),
    users: seen.slice(0, before).map(({ users }) => users.at(-1)),
    first: seen[0].messages,
    results: seen[2].messages.filter(({ role }) => role === "toolResult"),
    earlier: seen[before]?.users.slice(0, -1),
    atCompaction: atCompaction.map(({ users }) => users.at(-1)),
    compactions: saved.split("\n").filter((line) => line.includes('"type":"compaction"')).length,
    afterCompaction: afterCompaction.users.at(-1),
    saved: { block: saved.includes("[End Scratchpad]"), file: session.sessionFile },
    resumed: seen.at(-1).users.at(-1),
  }),
);

async function open(sessionManager) {
  const settingsManager = SettingsManager.inMemory({
    compaction: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 1000 },
  });
  const resourceLoader = new client.DefaultResourceLoader({
    cwd: folder,
    agentDir: join(folder, "agent"),
    settingsManager,
    additionalExtensionPaths: [extensionPath],
    ...{ noSkills: true, noPromptTemplates: true, noThemes: true, noContextFiles: true },
  });
  await resourceLoader.reload();
  const shared = { cwd: folder, agentDir: join(folder, "agent"), model: faux.getModel(), noTools: "builtin" };
  const { session, extensionsResult } = await client.createAgentSession({
    ...shared,
    ...(await access()),
    settingsManager,
    sessionManager,
    resourceLoader,
  });
  if (extensionsResult.errors.length > 0) throw new Error(JSON.stringify(extensionsResult.errors));
  await session.bindExtensions({
    onError: (error) => {
      console.error(error);
      process.exitCode = 1;
    },
  });
  return session;
}

async function access() {
  if (client.ModelRuntime !== undefined) {
    const modelRuntime = await client.ModelRuntime.create({ agentDir: join(folder, "agent"), allowNetwork: false });
    modelRuntime.registerNativeProvider(faux.provider);
    return { modelRuntime };
  }
  const authStorage = client.AuthStorage.inMemory();
  authStorage.setRuntimeApiKey(faux.getModel().provider, "none");
  return { authStorage, modelRegistry: client.ModelRegistry.inMemory(authStorage) };
}

async function shutdown(session) {
  await session.extensionRunner.emit({ type: "session_shutdown", reason: "quit" });
  session.dispose();
}

/** What the model answers the agent, one after the other; a request without tools is pi's own, for a summary. */
function script(...answers) {
  const next = (context) => {
    const request = shown(context);
    if (request.tools.length === 0) return say("A summary.");
    seen.push(request);
    return answers.shift();
  };
  faux.setResponses(Array(20).fill(next));
}

function say(text) {
  return ai.fauxAssistantMessage(text);
}

function call(input) {
  return ai.fauxAssistantMessage(ai.fauxToolCall("session_scratchpad", input), { stopReason: "toolUse" });
}

function shown(context) {
  const messages = context.messages.map((message) => ({
    role: message.role,
    text: textOf(message.content),
    isError: message.isError,
  }));
  const system =
    context.systemPrompt ??
    messages
      .filter(({ role }) => role === "system")
      .map(({ text }) => text)
      .join("\n");
  const tools = (context.tools ?? ai.getCurrentTools?.(context.messages) ?? []).map(({ name }) => name);
  const users = messages.filter(({ role }) => role === "user").map(({ text }) => text);
  return { system, tools, users, messages: messages.filter(({ role }) => role !== "system") };
}

function textOf(content) {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("\n");
}

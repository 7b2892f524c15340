/** Gemini CLI, with a model that is scripted. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { agents, ClientHome, keys } from "./client-home.ts";
import { type Answer, type Asked, serveGemini } from "./model-servers.ts";
import { call, expectStory, list, type Status, Story, said, stepsWith } from "./story.ts";
import { Watched } from "./watched.ts";

const program = join(agents, "@google/gemini-cli/bundle/gemini.js");
const [P, I, C] = ["pending", "in_progress", "completed"] as const;

function update(...statuses: readonly (Status | undefined)[]) {
  return call("write_todos", { todos: stepsWith(statuses, (description, status) => ({ description, status })) });
}

async function begin(aside: (asked: Asked) => Answer | undefined) {
  const story = new Story(aside);
  const server = await serveGemini(story.script);
  const client = new ClientHome("GEMINI.md", {
    ...{ GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: server.url },
    ...{ GEMINI_CLI_TRUST_WORKSPACE: "true", NO_COLOR: "1" },
  });
  mkdirSync(join(client.home, ".gemini"));
  writeFileSync(join(client.home, ".gemini/settings.json"), JSON.stringify(settings));
  const gemini = (prompt: string, ...more: string[]) =>
    client.run(process.execPath, program, ...more, ...options, "-p", prompt);
  const find = () => client.file(".gemini/tmp", (path) => /chats\/session-[^/]*\.jsonl$/.test(path));
  return { story, server, client, gemini, watch: () => Watched.begin(find) };
}

const options = ["--skip-trust", "--approval-mode", "yolo", "-m", "gemini-2.5-pro"];

export async function tellTodos(): Promise<void> {
  const { story, server, client, gemini, watch } = await begin(({ tools }) => {
    return tools.length === 0 ? { text: "<state_snapshot>go on with step 2</state_snapshot>" } : undefined;
  });
  const edit = (old: string, now: string) =>
    call("replace", { file_path: client.at("GEMINI.md"), instruction: "Change it", old_string: old, new_string: now });
  story.tell(
    [
      ...[update(P, P, P), call("write_todos", { todos: [{ description: "without a status" }] }), update(I, P, P)],
      edit("# Login service", "# Login service\nCompare with ===."),
      call("invoke_agent", { agent_name: "generalist", prompt: "SUBAGENT: look." }),
      { text: "Begun." },
    ],
    [update(undefined, undefined, I), call("complete_task", { result: "Nothing." }), { text: "Nothing." }],
  );
  const running = gemini("The bug.");
  const watched = await watch();
  await running;
  const list_ = { ...call("run_shell_command", { command: "ls", description: "Lists" }), full: true as const };
  story.tell([update(C, I, P), list_, update(C, I, "cancelled"), { text: "Begun." }]);
  await gemini("The bug. Go on.", "--resume", "latest");
  appendFileSync(client.at("GEMINI.md"), "A person's line.\n");
  story.tell([update(C, C, "cancelled"), edit("===.", "=== only."), { text: "Done." }]);
  await gemini("The bug. Finish.", "--resume", "latest");
  // The model says that the window is full, so that there is something to gain.
  story.tell([{ text: "Looked at again.", full: true }]);
  await client.type(
    process.execPath,
    [program, "--resume", "latest", ...options],
    [
      { after: /✦ Done\.[\s\S]*Type your message/, line: "The bug. Look at it again." },
      { after: /Looked at again/, line: "/compress" },
      { after: /compressed from/, line: "/quit" },
    ],
  );
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [
      `1 gemini-cli: ${list(P, P, P)}`,
      "1 gemini-cli: refused set_plan",
      `1 gemini-cli: ${list(I, P, P)}`,
      "1 elsewhere: GEMINI.md = # Login service\n",
      "1 gemini-cli: GEMINI.md = # Login service\nCompare with ===.\n",
      `2 gemini-cli: ${list(C, I, P)}`,
      `2 gemini-cli: ${list(C, I, "cancelled")}`,
      `3 gemini-cli: ${list(C, C, "cancelled")}`,
      "3 elsewhere: GEMINI.md = # Login service\nCompare with ===.\nA person's line.\n",
      "3 gemini-cli: GEMINI.md = # Login service\nCompare with === only.\nA person's line.\n",
    ],
    ["compaction", "compaction"],
  );
  expect(seen.foreign.agents).toHaveLength(1);
}

const settings = {
  security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: false } },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  useWriteTodos: true,
};

/** A person at a terminal rewinds the conversation by one message. */
export async function tellTerminal(): Promise<void> {
  const { story, server, client, watch } = await begin(() => undefined);
  story.tell([
    ...[update(I, P), { text: "Noted one." }, update(C, I), { text: "Noted two." }],
    ...[update(I, P, P), { text: "Noted three." }],
  ]);
  const running = client.type(
    process.execPath,
    [program, ...options],
    [
      { after: /Type your message/, line: "The bug." },
      { after: /Noted one/, line: "The bug. Go on." },
      { after: /Noted two/, line: "/rewind" },
      { after: /● Stay at current/, keys: keys.up },
      { after: /● No files/, keys: keys.up },
      { after: /● The bug\. Go on/, keys: keys.enter },
      { after: /Confirm Rewind/, keys: keys.enter },
      { after: /Noted one/, keys: keys.clearsLine },
      { after: /Type your message/, line: "The bug. Not so." },
      { after: /Noted three/, line: "/quit" },
    ],
  );
  const watched = await watch();
  await running;
  const seen = await watched.end();
  await server.close();
  expect(seen.history.map(said)).toEqual([`1 gemini-cli: ${list(I, P)}`, `3 gemini-cli: ${list(I, P, P)}`]);
  expect(seen.foreign.markers.map(({ marker }) => marker)).toEqual(["branch"]);
  // Who followed saw what was left behind, and was told once that the history is another one.
  expect(seen.resets).toBe(1);
  const lists = (events: typeof seen.live) => events.map((event) => (event.type === "plan.set" ? event.text : ""));
  expect(lists(seen.live)).toEqual([list(I, P), list(C, I), list(I, P, P)]);
  expect(seen.printed).toEqual(seen.live);
}

/** It writes the plan into a folder of its own, which only what it tells the model names. */
async function beginPlan() {
  const text = "# Plan\n\n1. Fix\n";
  const file = { file_path: "", content: text };
  const begun = await begin(({ body }) => {
    const folder = /[^"\s`'\\]*\/plans\b/.exec(body)?.[0];
    if (folder !== undefined) file.file_path = join(folder, "login.md");
    return undefined;
  });
  const name = () => begun.client.at(file.file_path);
  return {
    ...begun,
    text,
    name,
    write: call("write_file", file),
    exit: call("exit_plan_mode", { plan_filename: "login.md" }),
  };
}

export async function tellPlanMode(): Promise<void> {
  const { story, server, gemini, watch, text, name, write, exit } = await beginPlan();
  // The first one is approved; there is no such tool any more behind it.
  story.tell([call("enter_plan_mode", { reason: "Plan first" }), write, exit, exit, { text: "Done." }]);
  const running = gemini("The bug. Plan it.");
  const watched = await watch();
  await running;
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [`1 gemini-cli: ${name()} = ${text}`, "1 gemini-cli: refused sections.write"],
    [`plan approved ${name()}`],
  );
}

/** A person at a terminal refuses the plan and says why, and approves it when it is offered again. */
export async function tellPlanOnTerminal(): Promise<void> {
  const { story, server, client, watch, text, name, write, exit } = await beginPlan();
  story.tell([write, exit, exit, { text: "Noted." }]);
  const running = client.type(
    process.execPath,
    [program, "--skip-trust", "--approval-mode", "plan", "-m", "gemini-2.5-pro"],
    [
      { after: /Type your message/, keys: "The bug. Plan it." },
      { after: /Plan it/, keys: keys.enter },
      { after: /Type your feedback/, keys: keys.down },
      { after: /● 2/, keys: keys.down },
      { after: /● 3/, keys: "No renaming, please." },
      { after: /renaming, please/, keys: keys.enter },
      { after: /● 1/, keys: keys.enter },
      { after: /Noted/, line: "/quit" },
    ],
  );
  const watched = await watch();
  await running;
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [`1 gemini-cli: ${name()} = ${text}`, "1 gemini-cli: refused sections.write"],
    [`plan approved ${name()}`],
  );
  expect(seen.history[1]?.event).toMatchObject({
    offered: { content: text, message: expect.stringContaining("No renaming") },
  });
}

/** Codex, with a model that is scripted. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { agents, ClientHome, keys } from "./client-home.ts";
import { type Answer, type Asked, serveResponses } from "./model-servers.ts";
import { call, expectStory, list, type Status, Story, said, stepsWith } from "./story.ts";
import { Watched } from "./watched.ts";

const program = join(agents, "@openai/codex/bin/codex.js");
const [P, I, C] = ["pending", "in_progress", "completed"] as const;

function update(...statuses: readonly (Status | undefined)[]) {
  return call("update_plan", { plan: stepsWith(statuses, (step, status) => ({ step, status })) });
}

function patch(...lines: readonly string[]) {
  return call("apply_patch", { input: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n") });
}

const clientInfo = { name: "test", title: null, version: "1" };
const initialize = { id: 1, method: "initialize", params: { clientInfo, capabilities: null } };

/** As `/compact` does in the terminal. */
async function compact(client: ClientHome, threadId: string): Promise<void> {
  await client.steer(process.execPath, [program, "app-server"], initialize, ({ id, method, error }, send) => {
    if (error !== undefined) throw new Error(JSON.stringify(error));
    if (id === 1) send({ method: "initialized" });
    if (id === 1) send({ id: 2, method: "thread/resume", params: { threadId } });
    if (id === 2) send({ id: 3, method: "thread/compact/start", params: { threadId } });
    return method === "turn/completed" ? "done" : undefined;
  });
}

/** As `codex fork` does: the fork is another thread, in which a person asks something. */
async function askInFork(client: ClientHome, threadId: string, prompt: string): Promise<void> {
  await client.steer(process.execPath, [program, "app-server"], initialize, ({ id, method, error, result }, send) => {
    if (error !== undefined) throw new Error(JSON.stringify(error));
    if (id === 1) send({ method: "initialized" });
    if (id === 1) send({ id: 2, method: "thread/fork", params: { threadId } });
    const params = { threadId: result?.thread?.id, input: [{ type: "text", text: prompt }] };
    if (id === 2) send({ id: 3, method: "turn/start", params });
    return method === "turn/completed" ? "done" : undefined;
  });
}

/** The id of a thread ends the name of its file. */
function threadOf(file: string): string {
  return file.slice(-"01a20423-232e-7272-9e09-d0564891db98.jsonl".length, -".jsonl".length);
}

async function begin(aside: (asked: Asked) => Answer | undefined, model?: string) {
  const story = new Story(aside);
  const server = await serveResponses(story.script);
  const client = new ClientHome("AGENTS.md", { SCRIPTED_KEY: "none" });
  mkdirSync(join(client.home, ".codex"));
  writeFileSync(join(client.home, ".codex/config.toml"), configOf(server.url, client.project, model));
  return { story, server, client };
}

export async function tellPlan(): Promise<void> {
  const { story, server, client } = await begin(({ body, url }) => {
    const isCompaction = url.includes("compact") || /CONTEXT CHECKPOINT|handoff summary/i.test(body.slice(-4000));
    return isCompaction ? { text: "Summary: go on with step 2." } : undefined;
  });
  const codex = (...words: string[]) =>
    client.run(process.execPath, program, "exec", ...words.slice(0, -1), "--skip-git-repo-check", words.at(-1) ?? "");
  story.tell(
    [
      ...[update(P, P, P), update(I, P, P), call("update_plan", { plan: [{ step: "without a status" }] })],
      patch("*** Add File: PLAN.md", "+# Plan", "+", "+- Fix"),
      ...[call("tool_search", { query: "spawn agent" }), call("spawn_agent", { message: "SUBAGENT: look." })],
      ...[call("wait_agent", {}), { text: "Begun." }],
    ],
    [update(undefined, undefined, I), { text: "Nothing." }],
  );
  const running = codex("The bug.");
  let file: string | undefined;
  const rollouts = (isWanted: (path: string) => boolean) =>
    client.file(".codex/sessions", (path) => path.endsWith(".jsonl") && isWanted(path));
  const watched = await Watched.begin(() => {
    file ??= rollouts(() => true);
    return file;
  });
  const thread = threadOf(file ?? "");
  await running;
  await compact(client, thread);
  story.tell([update(C, I, P), { text: "Full.", full: true }]);
  await codex("resume", thread, "The bug. Go on.");
  appendFileSync(client.at("PLAN.md"), "- A person's line\n");
  story.tell([
    ...[call("exec_command", { cmd: "ls" }), update(C, C, undefined)],
    patch("*** Update File: PLAN.md", "@@", "-- Fix", "+- Fix: done", " - A person's line"),
    { text: "Done." },
  ]);
  await codex("resume", thread, "The bug. Finish.");
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [
      `1 codex: ${list(P, P, P)}`,
      `1 codex: ${list(I, P, P)}`,
      "1 codex: refused set_plan",
      "1 codex: PLAN.md = # Plan\n\n- Fix\n",
      // Codex itself counts a compaction that was asked for as a turn.
      `3 codex: ${list(C, I, P)}`,
      `4 codex: ${list(C, C)}`,
    ],
    ["compaction", "compaction"],
  );
  await using subagent = await openJournal(rollouts((path) => !path.includes(thread)) ?? "", { readonly: true });
  expect(subagent.state.plan).toBe(list(undefined, undefined, I));
  expect((await subagent.foreign())?.parentSession).toBe(thread);
}

/** The fork has no copy of what its origin told, and its origin knows nothing of it. */
export async function tellFork(): Promise<void> {
  const { story, server, client } = await begin(() => undefined);
  story.tell([update(I, P), { text: "Begun." }]);
  await client.run(process.execPath, program, "exec", "--skip-git-repo-check", "The bug.");
  const isRollout = (path: string) => path.endsWith(".jsonl");
  const origin = client.file(".codex/sessions", isRollout) ?? "";
  const thread = threadOf(origin);
  const watching = Watched.begin(() =>
    client.file(".codex/sessions", (path) => isRollout(path) && !path.includes(thread)),
  );
  story.tell([update(C, I), { text: "Forked." }]);
  await askInFork(client, thread, "The bug. Go on.");
  const seen = await (await watching).end();
  await server.close();
  expectStory(
    seen,
    [`1 codex: ${list(I, P)}`, `2 codex: ${list(C, I)}`],
    [expect.stringMatching(`^fork goes on from line \\d+ of the file of thread ${thread}$`)],
  );
  expect(seen.foreign.parentSession).toBe(thread);
  await using journal = await openJournal(origin, { readonly: true });
  expect([journal.version, journal.state.plan]).toEqual([1, list(I, P)]);
}

/** A model that runs in code mode calls its tools in a script. */
export async function tellCodeMode(): Promise<void> {
  const { story, server, client } = await begin(() => undefined, "gpt-6.1-sol");
  const run = (script: string) => call("exec", { input: script });
  const plan = (...statuses: readonly (Status | undefined)[]) =>
    `await tools.update_plan(${JSON.stringify({ plan: stepsWith(statuses, (step, status) => ({ step, status })) })})`;
  const added = "*** Begin Patch\n*** Add File: PLAN.md\n+# Plan\n*** End Patch";
  story.tell([
    ...[run(`text(${plan(I, P, P)});`), run('text(await tools.update_plan({ plan: [{ step: "no status" }] }));')],
    run(`const step = "computed";\ntext(await tools.update_plan({ plan: [{ step, status: "pending" }] }));`),
    run(`text(await tools.apply_patch(${JSON.stringify(added)}));`),
    ...[run(`text(${plan(C, I, undefined)});`), { text: "Done." }],
  ]);
  const running = client.run(process.execPath, program, "exec", "--skip-git-repo-check", "The bug.");
  const watched = await Watched.begin(() => client.file(".codex/sessions", (path) => path.endsWith(".jsonl")));
  await running;
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [`1 codex: ${list(I, P, P)}`, "1 codex: refused set_plan", "1 codex: PLAN.md = # Plan\n", `1 codex: ${list(C, I)}`],
    [],
  );
  expect(seen.foreign.findings.map(({ detail }) => detail)).toEqual([
    "a plan call could not be read: its list is no literal",
  ]);
}

/** A person at a terminal rewinds the conversation by one message: it goes on in a file of its own. */
export async function tellTerminal(): Promise<void> {
  // A title is asked for beside the conversation.
  const { story, server, client } = await begin(({ tools }) =>
    tools.includes("update_plan") ? undefined : { text: "A title" },
  );
  story.tell([
    ...[update(I, P), { text: "Noted one." }, update(C, I), { text: "Noted two." }],
    ...[update(I, P, P), { text: "Noted three." }],
  ]);
  const running = client.type(
    process.execPath,
    [program],
    [
      { after: /›/, keys: "The bug." },
      { after: /bug\./, keys: keys.enter },
      { after: /Noted\s*one/, keys: "The bug. Go on." },
      { after: /Go\s*on/, keys: keys.enter },
      { after: /Noted\s*two/, keys: keys.escape },
      { after: /./, keys: keys.escape },
      { after: /rewind/, keys: keys.enter },
      { after: /reverted/, keys: keys.clearsLine },
      { after: /Ask/, keys: "The bug. Not so." },
      { after: /so\./, keys: keys.enter },
      { after: /Noted\s*three/, keys: "/quit" },
      { after: /quit/, keys: keys.enter },
    ],
  );
  const rollout = (isWanted: (path: string) => boolean) => () => client.file(".codex/sessions", isWanted);
  const first = await Watched.begin(rollout((path) => path.endsWith(".jsonl")));
  const second = await Watched.begin(rollout((path) => /_[\w-]+\.jsonl$/.test(path)));
  await running;
  const left = await first.end();
  expectStory(left, [`1 codex: ${list(I, P)}`, `2 codex: ${list(C, I)}`], []);
  const seen = await second.end();
  await server.close();
  expect(seen.history.map(said)).toEqual([`1 codex: ${list(I, P)}`, `2 codex: ${list(I, P, P)}`]);
  expect(seen.foreign.markers.map(({ marker }) => marker)).toEqual(["branch"]);
  expect(seen.foreign.session).toBe(left.foreign.session);
  expect([seen.live, seen.resets]).toEqual([seen.history.map(({ event }) => event), 0]);
  expect(seen.printed).toEqual(seen.live);
}

/** A person at a terminal lets it plan again, and then carry out what it planned. */
export async function tellPlanMode(): Promise<void> {
  const { story, server, client } = await begin(({ tools }) =>
    tools.includes("update_plan") ? undefined : { text: "A title" },
  );
  const plan = (...lines: readonly string[]) => `# Plan\n\n${lines.map((line) => `- ${line}\n`).join("")}`;
  const [first, second] = [plan("Fix", "Rename"), plan("Fix")];
  const proposed = (text: string) => ({ text: `<proposed_plan>\n${text}</proposed_plan>` });
  story.tell([{ text: "Noted one." }, proposed(first), proposed(second), { text: "Noted two." }]);
  const running = client.type(
    process.execPath,
    [program],
    [
      { after: /›/, keys: "The bug." },
      { after: /bug\./, keys: keys.enter },
      { after: /Noted\s*one/, keys: "/plan" },
      { after: /plan/, keys: keys.enter },
      { after: /Plan\s*mode/, keys: "The bug. Plan it." },
      { after: /it\./, keys: keys.enter },
      { after: /Implement/, keys: keys.escape },
      { after: /./, keys: "The bug. No renaming." },
      { after: /renaming\./, keys: keys.enter },
      { after: /Implement/, keys: keys.enter },
      { after: /Noted\s*two/, keys: "/quit" },
      { after: /quit/, keys: keys.enter },
    ],
  );
  const watched = await Watched.begin(() => client.file(".codex/sessions", (path) => path.endsWith(".jsonl")));
  await running;
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [`2 codex: plan document = ${first}`, `3 codex: plan document = ${second}`],
    ["plan approved plan document"],
  );
}

function configOf(url: string, project: string, model = "gpt-5.5"): string {
  return `model = "${model}"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
[tools.update_plan]
enabled = true
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "SCRIPTED_KEY"
[projects."${project}"]
trust_level = "trusted"
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
`;
}

/** Claude Code, with a model that is scripted. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { type Block, serveAnthropic } from "../../hosts/scripted-anthropic.ts";
import { agents, ClientHome, keys } from "./client-home.ts";
import type { Answer } from "./model-servers.ts";
import { call, expectRewind, expectStory, list, type Status, Story, said, steps, stepsWith, tasks } from "./story.ts";
import { Watched } from "./watched.ts";

const program = join(agents, `@anthropic-ai/claude-code-${process.platform}-${process.arch}`, "claude");
const [P, I, C] = ["pending", "in_progress", "completed"] as const;

const isSession = (path: string) => /^[^/]+\/[^/]+\.jsonl$/.test(path);

async function begin(env: Readonly<Record<string, string>> = {}) {
  const story = new Story(({ body, tools }) => {
    if (body.includes("create a detailed summary")) return { text: "<summary>1. Fix the bug.</summary>" };
    return tools.length === 0 ? { text: "A title" } : undefined;
  });
  let calls = 0;
  const server = await serveAnthropic((request) => {
    const tools = request.tools?.map(({ name }) => name) ?? [];
    const { text, calls: made = [], full } = story.script({ url: "", body: JSON.stringify(request), tools });
    if (full === true) return { overflow: true };
    const used = made.map(({ name, args }): Block => ({ type: "tool_use", id: `toolu_${++calls}`, name, input: args }));
    return used.length > 0 ? used : [{ type: "text", text: text ?? "" }];
  });
  const client = new ClientHome("CLAUDE.md", {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: "none",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
    ...env,
  });
  const find = () => client.file(".claude/projects", isSession);
  return { story, server, client, watch: () => Watched.begin(find) };
}

export async function tellTasks(): Promise<void> {
  const { story, server, client, watch } = await begin();
  const claude = (prompt: string, ...more: string[]) =>
    client.run(program, "-p", prompt, "--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits", ...more);
  const edit = (old: string, now: string) =>
    call("Edit", { file_path: client.at("CLAUDE.md"), old_string: old, new_string: now });
  const read = call("Read", { file_path: client.at("CLAUDE.md") });
  const update = (taskId: string, status: string) => call("TaskUpdate", { taskId, status });
  const search = call("ToolSearch", { query: "select:TaskCreate,TaskUpdate,TaskList", max_results: 5 });
  const create = (subject: string) => call("TaskCreate", { subject, description: subject });
  const agent = { description: "Look", subagent_type: "general-purpose", prompt: "SUBAGENT: look." };
  story.tell(
    [
      ...[search, ...steps.map(create), update("99", C), update("1", I), read],
      edit("# Login service", "# Login service\n\tCompare with “===”."),
      call("Agent", { ...agent, run_in_background: false }),
      { text: "Begun." },
    ],
    [search, create("Search"), { text: "Nothing." }],
  );
  const running = claude("The bug.");
  const watched = await watch();
  await running;
  story.tell([update("1", C), { full: true }, update("2", I), { text: "Begun." }]);
  await claude("The bug. Go on.", "--continue");
  story.tell([update("3", "deleted"), { text: "Dropped." }]);
  await claude("The bug. Go on again.", "--continue");
  await claude("/compact", "--continue");
  appendFileSync(client.at("CLAUDE.md"), "A person's line.\n");
  // With other quotes than the file has, which the client puts right.
  story.tell([search, read, edit('"===".', '"===" "only".'), update("2", C), { text: "Done." }]);
  await claude("The bug. Finish.", "--continue");
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [
      `1 claude-code: ${tasks(P)}`,
      `1 claude-code: ${tasks(P, P)}`,
      `1 claude-code: ${tasks(P, P, P)}`,
      "1 claude-code: refused set_plan",
      `1 claude-code: ${tasks(I, P, P)}`,
      "1 elsewhere: CLAUDE.md = # Login service\n",
      "1 claude-code: CLAUDE.md = # Login service\n\tCompare with “===”.\n",
      `2 claude-code: ${tasks(C, P, P)}`,
      `2 claude-code: ${tasks(C, I, P)}`,
      `3 claude-code: ${tasks(C, I)}`,
      "4 elsewhere: CLAUDE.md = # Login service\n\tCompare with “===”.\nA person's line.\n",
      "4 claude-code: CLAUDE.md = # Login service\n\tCompare with “===” “only”.\nA person's line.\n",
      `4 claude-code: ${tasks(C, C)}`,
    ],
    [expect.stringMatching(/^compaction auto/), expect.stringMatching(/^compaction manual/)],
  );
  expect(seen.foreign.agents).toHaveLength(1);
}

function todos(...statuses: Status[]): Answer[] {
  const list = stepsWith(statuses, (content, status) => ({ content, status, activeForm: content }));
  const search = call("ToolSearch", { query: "select:TodoWrite", max_results: 5 });
  return [search, call("TodoWrite", { todos: list }), { text: "Noted." }];
}

/** A person at a terminal rewinds the conversation by one message, and has it compacted. */
export async function tellTerminal(): Promise<void> {
  const { story, server, client, watch } = await begin({
    CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
    CLAUDE_CODE_ENABLE_TASKS: "0",
  });
  // What a person answered when the client ran for the first time.
  const projects = { [client.project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } };
  const answered = { customApiKeyResponses: { approved: ["none"], rejected: [] }, hasCompletedOnboarding: true };
  writeFileSync(join(client.home, ".claude.json"), JSON.stringify({ ...answered, theme: "dark", projects }));
  story.tell([...todos(I, P), ...todos(C, I), ...todos(I, P, P), ...todos(C, C)]);
  const running = client.type(
    program,
    ["--model", "claude-opus-4-8"],
    [
      { after: /❯/, keys: "The bug." },
      { after: /bug\./, keys: keys.enter },
      { after: /done\s+\d/, line: "The bug. Go on." },
      { after: /done\s+\d/, line: "/rewind" },
      { after: /Enter to continue/, keys: keys.up },
      { after: /Go\s*on/, keys: keys.enter },
      { after: /Never mind/, keys: keys.enter },
      { after: /❯\s*The bug\.\s*Go on\./, keys: keys.clearsLine },
      { after: /deleted/, keys: "The bug. Not so." },
      { after: /so\./, keys: keys.enter },
      { after: /done\s+\d/, line: "/compact" },
      { after: /Compacted/, line: "The bug. Finish." },
      { after: /done\s+\d/, line: "/exit" },
    ],
  );
  const watched = await watch();
  await running;
  const seen = await watched.end();
  await server.close();
  const told = [
    `1 claude-code: ${list(I, P)}`,
    // The client does not rewind its list, and says so with the next call.
    `3 claude-code: ${list(C, I)}`,
    `3 claude-code: ${list(I, P, P)}`,
    `4 claude-code: ${list(C, C)}`,
  ];
  expect(seen.history.map(said)).toEqual(told);
  expect(seen.foreign.markers.map(({ marker, detail }) => [marker, detail.split(",")[0]])).toEqual([
    ["branch", expect.stringMatching(/^goes on from entry /)],
    ["compaction", "manual"],
  ]);
  expect(seen.foreign.repetitions).toMatchObject({ explained: 1, elsewhere: 0 });
  expectRewind(seen, [list(I, P), list(C, I)], [list(C, I), list(I, P, P), list(C, C)]);
}

/** A conversation that goes on from an earlier answer, in its own file, and a copy of it that goes on in another one. */
export async function tellRewind(): Promise<void> {
  const { story, server, client } = await begin({ CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", CLAUDE_CODE_ENABLE_TASKS: "0" });
  const claude = (prompt: string, ...more: string[]) =>
    client.run(program, "-p", prompt, "--model", "claude-opus-4-8", ...more);
  const tell = (...statuses: Status[]) => story.tell(todos(...statuses));
  tell(I, P);
  await claude("The bug.");
  const file = client.files(".claude/projects", isSession)[0] ?? "";
  const answered = linesIn(file).findLast(({ type }) => type === "assistant")?.uuid ?? "";
  const session = basename(file, ".jsonl");
  tell(C, I);
  await claude("The bug. Go on.", "--resume", session);
  tell(I, P, P);
  await claude("The bug. Not so.", "--resume", session, "--resume-session-at", answered);
  tell(C, C, I);
  await claude("The bug. Again.", "--resume", session, "--fork-session");
  await server.close();
  const copy = client.files(".claude/projects", isSession).find((each) => each !== file) ?? "";
  const inTurn = (first: number, second: number) => [
    `${first} claude-code: ${list(I, P)}`,
    `${second} claude-code: ${list(I, P, P)}`,
  ];
  expect(await toldIn(file)).toEqual({ told: inTurn(1, 3), marks: [`branch goes on from entry ${answered}`] });
  const { told, marks } = await toldIn(copy);
  expect([told, marks]).toEqual([
    [...inTurn(1, 2), `3 claude-code: ${list(C, C, I)}`],
    [`fork copied from session ${session}`],
  ]);
}

/** The client keeps the tasks of each session apart, so that a fork has none of those that it copies. */
export async function tellFork(): Promise<void> {
  const { story, server, client } = await begin();
  const claude = (prompt: string, ...more: string[]) =>
    client.run(program, "-p", prompt, "--model", "claude-sonnet-4-5", ...more);
  const search = call("ToolSearch", { query: "select:TaskCreate,TaskUpdate", max_results: 5 });
  const create = (subject: string) => call("TaskCreate", { subject, description: subject });
  const update = (taskId: string, status: string) => call("TaskUpdate", { taskId, status });
  story.tell([search, create(steps[0]), create(steps[1]), update("1", I), { text: "Begun." }]);
  await claude("The bug.");
  const origin = client.files(".claude/projects", isSession)[0] ?? "";
  const session = basename(origin, ".jsonl");
  const watching = Watched.begin(() => client.files(".claude/projects", isSession).find((each) => each !== origin));
  story.tell([search, update("1", C), create("Another step"), { text: "Forked." }]);
  await claude("The bug. Again.", "--resume", session, "--fork-session");
  const seen = await (await watching).end();
  await server.close();
  expectStory(
    seen,
    [
      `1 claude-code: ${tasks(P)}`,
      `1 claude-code: ${tasks(P, P)}`,
      `1 claude-code: ${tasks(I, P)}`,
      "2 claude-code: refused set_plan",
      "2 claude-code: ",
      "2 claude-code: - [ ] #1 Another step",
    ],
    [`fork copied from session ${session}`],
  );
}

function linesIn(file: string): { readonly type?: string; readonly uuid?: string }[] {
  return readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

async function toldIn(file: string): Promise<{ readonly told: readonly string[]; readonly marks: readonly string[] }> {
  const journal = await openJournal(file, { readonly: true });
  const told: string[] = [];
  for await (const recorded of journal.history()) told.push(said(recorded));
  const { markers = [] } = (await journal.foreign()) ?? {};
  await journal.close();
  return { told, marks: markers.map(({ marker, detail }) => `${marker} ${detail}`) };
}

/** We are the person behind the question whether the plan may be carried out: no at first, then yes. */
export async function tellPlanMode(): Promise<void> {
  const { story, server, client, watch } = await begin();
  const plan = (...lines: string[]) => `# Plan\n\n${lines.map((line) => `- ${line}`).join("\n")}\n`;
  const [first, second] = [plan("Fix", "Rename"), plan("Fix")];
  const exit = (text: string) => call("ExitPlanMode", { plan: text });
  story.tell([
    ...[call("ToolSearch", { query: "select:ExitPlanMode", max_results: 5 }), exit(first), exit(second)],
    { text: "Done." },
  ]);
  const streams = ["--input-format", "stream-json", "--output-format", "stream-json", "--verbose"];
  const asks = ["--permission-prompt-tool", "stdio", "--permission-mode", "plan"];
  const watching = watch();
  let asked = 0;
  await client.steer(
    program,
    ["-p", ...streams, ...asks, "--model", "claude-opus-4-8"],
    { type: "user", message: { role: "user", content: "The bug. Plan it." } },
    ({ type, request_id, request }, send) => {
      if (type === "result") return "done";
      if (type !== "control_request" || request === undefined) return undefined;
      const isRefused = request.tool_name === "ExitPlanMode" && asked++ === 0;
      const answer = isRefused
        ? { behavior: "deny", message: "No renaming, please." }
        : { behavior: "allow", updatedInput: request.input };
      send({ type: "control_response", response: { subtype: "success", request_id, response: answer } });
      return undefined;
    },
  );
  const seen = await (await watching).end();
  await server.close();
  const [refused, approved] = seen.history;
  expect(refused?.event).toMatchObject({
    type: "action.refused",
    offered: { content: first, message: expect.stringContaining("No renaming") },
  });
  expect(approved?.event).toMatchObject({ type: "section.written", text: second });
  expect(seen.history).toHaveLength(2);
  expect(seen.live).toEqual(seen.history.map(({ event }) => event));
  expect(seen.printed).toEqual(seen.live);
  expect(seen.foreign.markers.map(({ marker }) => marker)).toEqual(["plan approved"]);
}

/** OpenCode, with a model that is scripted. */
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import Database from "libsql";
import { expect } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { agents, ClientHome } from "./client-home.ts";
import { serveCompletions } from "./model-servers.ts";
import { call, expectStory, list, type Status, Story, said, stepsWith } from "./story.ts";
import { Watched } from "./watched.ts";

const program = join(agents, `opencode-${process.platform}-${process.arch}`, "bin/opencode");
const [P, I, C] = ["pending", "in_progress", "completed"] as const;

function update(...statuses: readonly (Status | undefined)[]) {
  const todos = stepsWith(statuses, (content, status) => ({ content, status, priority: "high" }));
  return call("todowrite", { todos });
}

async function begin(env: Readonly<Record<string, string>> = {}) {
  const story = new Story(({ body, tools }) => {
    if (tools.length > 0) return undefined;
    return { text: body.includes("title generator") ? "A title" : "Summary: go on with step 2." };
  });
  const server = await serveCompletions(story.script);
  const client = new ClientHome("AGENTS.md", {
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    ...env,
  });
  const config = join(client.home, ".config/opencode/opencode.json");
  mkdirSync(dirname(config), { recursive: true });
  writeFileSync(config, configOf(server.url));
  const opencode = (prompt: string, ...more: string[]) => client.run(program, "run", ...more, "--auto", prompt);
  const database = join(client.home, ".local/share/opencode/opencode.db");
  // A look while the database gets its log would hold the client up, which gives up then.
  const watch = () => Watched.begin(() => (existsSync(`${database}-wal`) ? addressIn(database) : undefined));
  /** As the terminal does, over the server that it speaks to, too: `path` is one below the session. */
  const ask = (path: string, body: object) =>
    serve(client, async (request) => {
      await request("POST", `/session/${addressIn(database)?.split("#")[1]}/${path}`, body);
    });
  return { story, server, client, database, opencode, watch, ask };
}

export async function tellTodos(): Promise<void> {
  const { story, server, client, opencode, watch, ask } = await begin();
  const plan = (content: string) => call("write", { filePath: client.at("PLAN.md"), content });
  const agent = { description: "Look", prompt: "SUBAGENT: look.", subagent_type: "general" };
  story.tell(
    [
      ...[update(P, P, P), call("todowrite", { todos: [{ content: 7 }] }), update(I, P, P), plan("# Plan\n")],
      call("task", agent),
      { text: "Begun." },
    ],
    [update(undefined, undefined, I), { text: "Nothing." }],
  );
  const running = opencode("The bug.");
  const watched = await watch();
  await running;
  story.tell([update(C, I, P), { text: "Full.", full: true }]);
  await opencode("The bug. Go on.", "--continue");
  await ask("summarize", { providerID: "scripted", modelID: "model-a" });
  writeFileSync(client.at("PLAN.md"), "# Plan\nA person's line.\n");
  story.tell([
    ...[update(C, C, "cancelled"), call("read", { filePath: client.at("PLAN.md") }), plan("# Plan\nDone.\n")],
    { text: "Done." },
  ]);
  await opencode("The bug. Finish.", "--continue");
  const seen = await watched.end();
  await server.close();
  expectStory(
    seen,
    [
      `1 opencode: ${list(P, P, P)}`,
      "1 opencode: refused set_plan",
      `1 opencode: ${list(I, P, P)}`,
      "1 opencode: PLAN.md = # Plan\n",
      `2 opencode: ${list(C, I, P)}`,
      `3 opencode: ${list(C, C, "cancelled")}`,
      "3 opencode: PLAN.md = # Plan\nDone.\n",
    ],
    ["compaction auto", "compaction manual"],
  );
  expect(seen.foreign.agents).toHaveLength(1);
}

/** As `/undo` and `/redo` do: what was said last is taken back, brought back, taken back again, and said in other words. */
export async function tellUndo(): Promise<void> {
  const { story, server, database, opencode, watch, ask } = await begin();
  story.tell([update(I, P), { text: "Begun." }]);
  const running = opencode("The bug.");
  const watched = await watch();
  await running;
  story.tell([update(C, I), { text: "Gone on." }]);
  await opencode("The bug. Go on.", "--continue");
  const messageID = lastPromptIn(database);
  const now = async () => {
    await using journal = await openJournal(addressIn(database) ?? "", { readonly: true });
    const { markers = [] } = (await journal.foreign()) ?? {};
    return [journal.state.plan, ...markers.map(({ marker }) => marker)];
  };
  await ask("revert", { messageID });
  expect(await now()).toEqual([list(I, P), "branch"]);
  await ask("unrevert", {});
  expect(await now()).toEqual([list(C, I)]);
  await ask("revert", { messageID });
  story.tell([update(I, P, P), { text: "Noted." }]);
  // With the next message the client deletes what was taken back.
  await opencode("The bug. Not so.", "--continue");
  const seen = await watched.end();
  await server.close();
  expect(seen.history.map(said)).toEqual([`1 opencode: ${list(I, P)}`, `2 opencode: ${list(I, P, P)}`]);
  expect(seen.foreign.repetitions).toMatchObject({ equal: 1, elsewhere: 0 });
  expect(seen.foreign.findings).toEqual([]);
  const lists = (events: typeof seen.live) => events.map((event) => (event.type === "plan.set" ? event.text : ""));
  for (const told of [seen.live, seen.printed]) {
    const [first, second, ...rest] = lists(told);
    expect([first, second]).toEqual([list(I, P), list(C, I)]);
    // What the client had written by the time that it had deleted all came with the news of the other history.
    expect(rest).toEqual([list(I, P, P)].slice(1 - rest.length));
  }
  // Each time that something is taken back or brought back; the client deletes in several steps.
  expect(seen.resets).toBeGreaterThanOrEqual(3);
}

/** A person is asked whether the plan may be carried out, and answers the server as the terminal does: no at first, then yes. */
export async function tellPlanMode(): Promise<void> {
  const { story, server, client, watch } = await begin({ OPENCODE_EXPERIMENTAL_PLAN_MODE: "1" });
  const [first, second] = ["# Plan\n\n- [ ] Fix\n- [ ] Rename\n", "# Plan\n\n- [ ] Fix\n"];
  const watching = watch();
  let file = "";
  await serve(client, async (request) => {
    const { id, slug, time } = (await request("POST", "/session", {})) as Session;
    file = join(client.home, ".local/share/opencode/plans", `${time.created}-${slug}.md`);
    const plan = (content: string) => [call("write", { filePath: file, content }), call("plan_exit", {})];
    const say = async (text: string, answer: string) => {
      const model = { providerID: "scripted", modelID: "model-a" };
      let isAnswered = false;
      const parts = [{ type: "text", text }];
      const said = request("POST", `/session/${id}/message`, { agent: "plan", model, parts }).finally(() => {
        isAnswered = true;
      });
      while (!isAnswered) {
        for (const { id } of (await request("GET", "/question")) as { readonly id: string }[])
          await request("POST", `/question/${id}/reply`, { answers: [[answer]] });
        await sleep(100);
      }
      await said;
    };
    story.tell(plan(first));
    await say("The bug. Plan it.", "No");
    story.tell([...plan(second), { text: "Done." }]);
    await say("The bug. Without renaming.", "Yes");
  });
  const seen = await (await watching).end();
  await server.close();
  expectStory(
    seen,
    [`1 opencode: ${file} = ${first}`, "1 opencode: refused sections.write", `2 opencode: ${file} = ${second}`],
    [`plan approved ${file}`],
  );
  expect(seen.history[1]?.event).toMatchObject({ offered: { tool: "plan_exit", name: file, content: first } });
}

interface Session {
  readonly id: string;
  readonly slug: string;
  readonly time: { readonly created: number };
}

type Request = (method: "GET" | "POST", path: string, body?: object) => Promise<unknown>;

/** The client's server runs until it was used. */
async function serve(client: ClientHome, use: (request: Request) => Promise<void>): Promise<void> {
  const server = client.spawn(program, ["serve", "--port", "0"]);
  const ended = once(server, "exit");
  if (server.stdout === null) throw new Error("no output");
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /http:\S+/.exec(line)?.[0];
    if (url === undefined) continue;
    const headers = { "content-type": "application/json", "x-opencode-directory": client.project };
    try {
      await use(async (method, path, body) => {
        const sent = body === undefined ? {} : { body: JSON.stringify(body) };
        const answer = await fetch(url + path, { method, headers, ...sent });
        if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
        return answer.json();
      });
    } finally {
      server.kill();
    }
    break;
  }
  await ended;
}

/** The id of what a person said last. */
function lastPromptIn(file: string): string {
  const database = new Database(file, { readonly: true });
  const rows = database.prepare("select id, data from message order by time_created, id").all() as {
    readonly id: string;
    readonly data: string;
  }[];
  database.close();
  return rows.findLast(({ data }) => JSON.parse(data).role === "user")?.id ?? "";
}

/** Of the session that no other one began. */
function addressIn(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  const database = new Database(file, { readonly: true });
  try {
    const [row] = database.prepare("select id from session where parent_id is null").all() as { id: string }[];
    return row && `${file}#${row.id}`;
  } catch {
    return undefined;
  } finally {
    database.close();
  }
}

function configOf(url: string): string {
  const models = { "model-a": { name: "model-a", tool_call: true, limit: { context: 100_000, output: 4000 } } };
  const scripted = {
    npm: "@ai-sdk/openai-compatible",
    name: "scripted",
    options: { baseURL: `${url}/v1`, apiKey: "none" },
    models,
  };
  return JSON.stringify({
    ...{ $schema: "https://opencode.ai/config.json", autoupdate: false, share: "disabled" },
    ...{ model: "scripted/model-a", small_model: "scripted/model-a", provider: { scripted } },
    permission: { edit: "allow", bash: "allow", webfetch: "deny" },
  });
}

import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findSessions, newestSession, sessionFinder, sessionsById } from "../../src/find/find-sessions.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { MadeClaude } from "../lens/claude-made.ts";
import { claudeSession, codexSession, fixtures, Home, printOf } from "./home.ts";

const folder = "/home/dev/project";
const claudeFolder = ".claude/projects/-home-dev-project";
const id = (number: number): string => `${String(number).padStart(8, "0")}-0000-4000-8000-000000000000`;

test("the sessions of a folder, whatever client wrote them, newest first", async () => {
  const home = new Home();
  const claude = home.put(`${claudeFolder}/${id(1)}.jsonl`, claudeSession(id(1), folder, "First words"));
  const codex = home.put(
    `.codex/sessions/2026/01/01/rollout-2026-01-01T00-00-00-${id(2)}.jsonl`,
    codexSession(id(2), folder),
  );
  const archived = home.put(
    `.codex/archived_sessions/rollout-2026-01-01T00-00-00-${id(3)}.jsonl`,
    codexSession(id(3), folder),
  );
  const pi = home.put(
    `.pi/agent/sessions/--home-dev-project--/2026-01-01T00-00-00_${id(4)}.jsonl`,
    `${JSON.stringify({ type: "session", version: 3, id: id(4), timestamp: "2026-01-01T00:00:00.000Z", cwd: folder })}\n` +
      `${JSON.stringify({ type: "message", id: "a", parentId: null, message: { role: "user", content: "From pi" } })}\n`,
  );
  home.put(`.claude/projects/-elsewhere/${id(5)}.jsonl`, claudeSession(id(5), "/elsewhere"));
  home.put(`.codex/sessions/2026/01/02/rollout-2026-01-02T00-00-00-${id(6)}.jsonl`, codexSession(id(6), "/elsewhere"));

  const found = await findSessions(home.options({ folder }));
  expect(found.map(({ where }) => where)).toEqual([pi, archived, codex, claude]);
  expect(found[3]).toEqual({
    client: "claude-code",
    title: "Claude Code",
    clientVersion: "2.1.330",
    session: id(1),
    where: claude,
    at: "2026-01-01T00:01:00.000Z",
    cwd: folder,
    turns: 1,
    firstMessage: "First words",
  });
  expect(found[0]).toMatchObject({ client: "pi", session: id(4), turns: 1, firstMessage: "From pi" });
  const all = await findSessions(home.options({ all: true }));
  expect(all.map(({ session }) => session)).toEqual([6, 5, 4, 3, 2, 1].map(id));
  for (const { where, session } of found) {
    const journal = await openJournal(where, { readonly: true });
    expect(await journal.sessionId()).toBe(session);
    await journal.close();
  }
});

test("a folder of a client's own sessions lists none of them twice", async () => {
  const home = new Home();
  const header = { type: "session", version: 3, id: id(4), timestamp: "2026-01-01T00:00:00.000Z" };
  const message = { type: "message", id: "a", parentId: null, message: { role: "user", content: "Hello" } };
  const pi = `.pi/agent/sessions/--x--/2026-01-01T00-00-00_${id(4)}.jsonl`;
  const sessions = path.dirname(path.join(home.path, pi));
  home.put(pi, [{ ...header, cwd: sessions }, message].map((line) => `${JSON.stringify(line)}\n`).join(""));
  expect(await findSessions(home.options({ folder: sessions }))).toMatchObject([{ client: "pi", session: id(4) }]);
});

test("those that are not read yet are known by their places, once the newest of them have been read", async () => {
  const home = new Home();
  for (let number = 1; number <= 30; number += 1) {
    home.put(`${claudeFolder}/${id(number)}.jsonl`, claudeSession(id(number), folder));
  }
  const told: (readonly [string[], string[]])[] = [];
  const { cache: _, ...options } = home.options({ all: true });
  const found = await sessionFinder(options)((read, unread) => {
    told.push([read.map(({ session }) => session), unread.map(({ session }) => session)]);
  });
  const newestFirst = found.map(({ session }) => session);
  const [read = [], unread = []] = told[0] ?? [];
  expect(read).toEqual(newestFirst.slice(0, 12));
  expect(unread).toEqual(newestFirst.slice(12));
});

test("progress is that of the plan, and a list that is put away once it is done stays done", async () => {
  const home = new Home();
  home.putFixture(`${claudeFolder}/5ee2f301.jsonl`, "claude-code/2.1.39-tasks-compaction.jsonl");
  const done = new MadeClaude();
  done.prompt("Do it");
  done.todos(["One", "completed"], ["Two", "completed"]);
  done.todos();
  home.put(`${claudeFolder}/done.jsonl`, textOf(done));
  const given = new MadeClaude();
  given.prompt("Do it");
  given.todos(["One", "completed"], ["Two", "pending"]);
  given.todos();
  home.put(`${claudeFolder}/given-up.jsonl`, textOf(given));
  const found = await findSessions(home.options({ all: true }));
  expect(found.map(({ progress }) => progress)).toEqual([
    undefined,
    { done: 2, total: 2 },
    { done: 4, total: 5, current: "Run fmt, lint, and tests" },
  ]);
});

test("Gemini CLI's, Droid's and OpenCode's sessions are found, and open", async () => {
  const home = new Home();
  const gemini = "gemini-cli/0.61.0-todos-compressed/chats";
  home.putFixture(".local/share/opencode/opencode.db", "opencode/1.18.33-todowrite-compaction.db");
  home.putFixture(".factory/sessions/x/052cb8d0-4616-488a-99fe-bfbbbe9429b3.jsonl", "droid/todo-text.jsonl");
  home.putFixture(".gemini/tmp/a/chats/session-2025-12-06T18-25-18f475c0.json", "gemini-cli/legacy-write-todos.json");
  const files = fs.readdirSync(path.join(fixtures, gemini), { recursive: true, encoding: "utf8" });
  for (const file of files.filter((name) => name.endsWith(".jsonl")))
    home.putFixture(`.gemini/tmp/b/chats/${file}`, `${gemini}/${file}`);
  home.put(".gemini/tmp/b/.project_root", "/home/dev/project\n");

  const found = await findSessions(home.options({ all: true }));
  const of = (client: string) => found.filter((session) => session.client === client);
  expect(of("droid")).toMatchObject([
    { session: "052cb8d0-4616-488a-99fe-bfbbbe9429b3", cwd: "/Users/testuser/projects/testing-git" },
  ]);
  expect(of("opencode").map(({ parent }) => parent)).toEqual([undefined, of("opencode")[0]?.session]);
  expect(of("opencode")[0]).toMatchObject({ turns: 3, progress: { done: 3, total: 3 }, clientVersion: "1.18.33" });
  const main = of("gemini-cli").filter(({ parent }) => parent === undefined);
  expect(main.map(({ session }) => session.slice(0, 8)).sort()).toEqual(["18f475c0", "5806d217"]);
  expect(of("gemini-cli").filter(({ parent }) => parent?.startsWith("5806d217"))).toHaveLength(1);
  for (const { where, turns, firstMessage } of found) {
    const journal = await openJournal(where, { readonly: true });
    expect([where, journal.turn, (await journal.foreign())?.firstMessage]).toEqual([where, turns, firstMessage]);
    await journal.close();
  }
  const here = await findSessions(home.options({ folder: "/home/dev/project" }));
  expect(new Set(here.map(({ client }) => client))).toEqual(new Set(["gemini-cli", "opencode"]));
  const [opencode] = of("opencode");
  const byId = await sessionsById(opencode?.session.slice(0, 12) ?? "", home.options());
  expect(byId.map(({ where }) => where)).toContain(opencode?.where);
});

test("subagents stand under their parent, in files of their own, in its file, and in Codex's folders", async () => {
  const home = new Home();
  const name = "2.1.330-tasks-compaction-subagent";
  const sidechain = claudeSession(id(1), folder, "Look around").replace('"isSidechain":false', '"isSidechain":true');
  const inline = claudeSession(id(1), folder, "Older") + sidechain.replace(`${id(1)}-1`, "abcdef12-side");
  home.put(`${claudeFolder}/${id(1)}.jsonl`, inline);
  const parent = "rollout-2026-01-01T00-00-00-";
  home.put(`.codex/sessions/2026/01/01/${parent}${id(2)}.jsonl`, codexSession(id(2), folder));
  const source = { subagent: { thread_spawn: { parent_thread_id: id(2) } } };
  home.put(`.codex/sessions/2026/01/01/${parent}${id(3)}.jsonl`, codexSession(id(3), folder, { source }));
  const agents = path.join("claude-code", name, "subagents");
  const fixture = fs.readdirSync(path.resolve("fixtures/sessions", agents)).filter((file) => file.endsWith(".jsonl"));
  for (const file of fixture) home.putFixture(`${claudeFolder}/${name}/subagents/${file}`, path.join(agents, file));
  home.putFixture(`${claudeFolder}/${name}.jsonl`, `claude-code/${name}.jsonl`);

  const found = await findSessions(home.options({ all: true }));
  const agentIds = fixture.map((file) => file.replace(/^agent-|\.jsonl$/g, ""));
  expect(found.map(({ session, parent: of }) => [session, of])).toEqual([
    [name, undefined],
    ...agentIds.map((agent) => [agent, name]),
    [id(2), undefined],
    [id(3), id(2)],
    [id(1), undefined],
    ["abcdef12", id(1)],
  ]);
  expect(agentIds.length).toBeGreaterThan(0);
  const side = found.at(-1);
  expect(side).toMatchObject({ firstMessage: "Look around", turns: 1 });
  const journal = await openJournal(side?.where ?? "", { readonly: true });
  expect(journal.turn).toBe(1);
  await journal.close();
});

test("the newest session of a folder is no subagent's, and no other folder's", async () => {
  const home = new Home();
  home.put(`.codex/sessions/rollout-2026-01-01T00-00-00-${id(1)}.jsonl`, codexSession(id(1), folder));
  const newest = home.put(`${claudeFolder}/${id(2)}.jsonl`, claudeSession(id(2), folder));
  home.put(
    `.codex/sessions/rollout-2026-01-01T00-00-00-${id(3)}.jsonl`,
    codexSession(id(3), folder, { parent_thread_id: id(1) }),
  );
  home.put(`.codex/sessions/rollout-2026-01-01T00-00-00-${id(4)}.jsonl`, codexSession(id(4), "/home/dev/project/sub"));
  home.put(`.claude/projects/-home-dev-project/${id(5)}.jsonl`, claudeSession(id(5), "/home/dev.project"));
  expect(await newestSession(home.options({ folder }))).toMatchObject({ where: newest, session: id(2) });
  expect(await newestSession(home.options({ folder: "/nowhere" }))).toBeUndefined();
});

test("a folder that a link leads to is the folder where the client was started", async () => {
  const home = new Home();
  const real = path.join(home.path, "real");
  fs.mkdirSync(real);
  const link = path.join(home.path, "link");
  fs.symlinkSync(real, link);
  home.put(`.codex/sessions/rollout-2026-01-01T00-00-00-${id(1)}.jsonl`, codexSession(id(1), fs.realpathSync(real)));
  expect(await findSessions(home.options({ folder: link }))).toHaveLength(1);
});

test("sessions are found by the beginning of their id in every folder, and an id in two files is one", async () => {
  const home = new Home();
  home.put(`.claude/projects/-a/${id(12)}.jsonl`, claudeSession(id(12), "/a"));
  home.put(`.codex/sessions/rollout-2026-01-01T00-00-00-${id(13)}.jsonl`, codexSession(id(13), "/b"));
  const newer = home.put(
    `.codex/archived_sessions/rollout-2026-01-01T00-00-00-${id(13)}.jsonl`,
    codexSession(id(13), "/b"),
  );
  expect((await sessionsById("00000012", home.options())).map(({ session }) => session)).toEqual([id(12)]);
  expect((await sessionsById("00000013", home.options())).map(({ where }) => where)).toEqual([newer]);
  expect(await sessionsById("0000001", home.options())).toHaveLength(2);
  expect(await sessionsById("ffff", home.options())).toEqual([]);
});

test("looking changes nothing in the folders of the clients", async () => {
  const home = new Home();
  home.put(`${claudeFolder}/${id(1)}.jsonl`, claudeSession(id(1), folder));
  home.putFixture(`.pi/agent/sessions/x/2026_${id(2)}.jsonl`, "pi-0.87.1.jsonl");
  const before = printOf(home.path);
  await findSessions(home.options({ all: true, env: { XDG_CACHE_HOME: path.join(home.path, "cache") } }));
  expect(printOf(home.path).filter((line) => !line.startsWith("cache"))).toEqual(before);
});

test("files that are no sessions, broken, empty, links or folders are passed over", async () => {
  const home = new Home();
  home.put(`${claudeFolder}/${id(1)}.jsonl`, "");
  home.put(`${claudeFolder}/${id(2)}.jsonl`, "{not json\n\u0000\n[]\n");
  home.put(`${claudeFolder}/${id(3)}.jsonl`, `${JSON.stringify({ type: "summary", summary: "x", leafUuid: "y" })}\n`);
  home.put(`${claudeFolder}/notes.txt`, "text");
  home.put(`.codex/sessions/rollout-${id(4)}.jsonl`, `${"[".repeat(100_000)}\n`);
  home.put(".pi/agent/sessions/a.jsonl", '{"type":"session","version":99,"id":"x","cwd":"/a"}\n');
  fs.mkdirSync(path.join(home.path, claudeFolder, "folder.jsonl"));
  fs.symlinkSync("/etc/passwd", path.join(home.path, claudeFolder, "link.jsonl"));
  const good = home.put(`${claudeFolder}/${id(5)}.jsonl`, claudeSession(id(5), folder));
  const found = await findSessions(home.options({ all: true }));
  expect(found.map(({ where }) => where)).toEqual([good]);
});

test("parents that name each other in a ring are listed all the same", async () => {
  const home = new Home();
  for (const [own, other] of [
    [1, 2],
    [2, 1],
    [3, 3],
  ] as const)
    home.put(
      `.codex/sessions/rollout-2026-01-01T00-00-00-${id(own)}.jsonl`,
      codexSession(id(own), folder, { parent_thread_id: id(other) }),
    );
  const found = await findSessions(home.options({ all: true }));
  expect(found.map(({ session }) => session).sort()).toEqual([1, 2, 3].map(id));
});

test("a wrong option is named", async () => {
  await expect(findSessions({ fodler: "/a" } as never)).rejects.toThrow('unknown option "fodler"');
  await expect(findSessions({ all: "yes" } as never)).rejects.toThrow('option "all" must be true or false');
});

function textOf({ lines }: MadeClaude): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

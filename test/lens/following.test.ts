/** `follow` on the session files of other clients while they grow. */
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { expect, test } from "vitest";
import { runCli } from "../../src/cli/run.ts";
import { openJournal } from "../../src/index.ts";
import { findDriver } from "../../src/store/sqlite/drivers.ts";
import { cli, root, temporaryFolder, values } from "../cli/cli.ts";
import { MadeClaude } from "./claude-made.ts";
import { fixtures } from "./lens-run.ts";
import { MadePi } from "./pi-made.ts";

const { connect } = await findDriver();

interface Told {
  readonly version: number;
  readonly turn: number;
  readonly actor: string;
  readonly at: string;
  readonly event: object;
  readonly state: object;
}

/** `session-journal follow FILE --from 0` until `stop`; `until` waits for so many lines. */
function follow(file: string, terminal: { readonly isTTY?: true; readonly columns?: number } = {}) {
  const stopped = new AbortController();
  let printed = "";
  const waiting: (() => void)[] = [];
  const stdout = {
    write: (text: string, done: () => void) => {
      printed += text;
      for (const wake of waiting.splice(0)) wake();
      done();
    },
    on: () => undefined,
    ...terminal,
  };
  const stderr = { write: (text: string) => (printed += JSON.stringify({ stderr: text })) };
  const argv = ["follow", file, "--from", "0"];
  const env = { HOME: join(root, "no-home") };
  const interruption = () => stopped.signal;
  const code = runCli({ argv, stdin: () => Readable.from([]), stdout, stderr, env, interruption });
  const told = () => values(printed) as Told[];
  return {
    told,
    printed: () => printed,
    untilPrinted: async (text: string) => {
      while (!printed.includes(text)) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    until: async (count: number) => {
      while (told().length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    stop: async () => {
      stopped.abort();
      return code;
    },
  };
}

const pi = new MadePi();
pi.said("go");
pi.todo("add", [[1, "a", false]]);
pi.todo("add", [
  [1, "a", false],
  [2, "b", false],
]);
pi.todo("toggle", [
  [1, "a", true],
  [2, "b", false],
]);

const growing: readonly (readonly [client: string, lines: readonly string[]])[] = [
  ...[
    "claude-code/2.1.330-todowrite-compaction-subagent.jsonl",
    "codex/0.169.0-update-plan-compaction.jsonl",
    "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-50-5806d217.jsonl",
    "droid/todo-text.jsonl",
  ].map((path) => [path, readFileSync(join(fixtures, path), "utf8").split("\n").slice(0, -1)] as const),
  ["pi", pi.lines.map((line) => JSON.stringify(line))],
];

test.each(growing)(
  "what is appended to a session of %s is told once, in order, and not before its line has ended",
  async (_, lines) => {
    const file = join(temporaryFolder(), "session.jsonl");
    writeFileSync(file, lines.map((line) => `${line}\n`).join(""));
    const whole = await openJournal(file, { readonly: true });
    const history: object[] = [];
    for await (const { version, turn, actor, at, event } of whole.history())
      history.push({ version, turn, actor, at, event });
    const { state } = whole;
    await whole.close();
    expect(history.length).toBeGreaterThan(1);
    // So much that the content tells whose it is.
    const begun = Math.min(lines.length - 1, Math.ceil(lines.length / 2));
    writeFileSync(
      file,
      lines
        .slice(0, begun)
        .map((line) => `${line}\n`)
        .join(""),
    );
    const following = follow(file);
    for (const line of lines.slice(begun)) {
      const half = Math.floor(line.length / 2);
      appendFileSync(file, line.slice(0, half));
      await new Promise((resolve) => setTimeout(resolve, 1));
      appendFileSync(file, `${line.slice(half)}\n`);
    }
    await following.until(history.length);
    expect(await following.stop()).toBe(0);
    const told = following.told();
    expect(told.map(({ version, turn, actor, at, event }) => ({ version, turn, actor, at, event }))).toEqual(history);
    expect(told.at(-1)?.state).toEqual(state);
  },
);

test("what OpenCode adds to a message while the model speaks, and to a call while it runs, is no other history", async () => {
  const file = join(temporaryFolder(), "opencode.db");
  copyFileSync(join(fixtures, "opencode/1.18.33-todowrite-compaction.db"), file);
  const session = "ses_dfbe2db8fffe36CYiq0RLoPNN7";
  const writer = connect(file);
  writer.prepare("PRAGMA journal_mode = WAL").get();
  const info = (more: object) =>
    JSON.stringify({ role: "assistant", modelID: "model-a", time: { created: 1795365366000 }, ...more });
  const part = (id: string, time: number, data: object) =>
    writer
      .prepare("INSERT OR REPLACE INTO part VALUES (?, 'msg_z', ?, ?, ?, ?)")
      .run(id, session, time, time, JSON.stringify(data));
  const task = (state: object) => ({ type: "tool", tool: "task", callID: "call_task", state });
  writer.prepare("INSERT INTO message VALUES ('msg_z', ?, 1795365366000, 1795365366000, ?)").run(session, info({}));
  part("prt_z2", 1795365366001, { type: "step-start" });
  await using journal = await openJournal(`${file}#${session}`, { readonly: true });
  const changes = journal.changes({ from: journal.version });
  const next = changes.next();
  part("prt_z3", 1795365366002, task({ title: "Look", metadata: {}, status: "running", input: {} }));
  await journal.refresh();
  part("prt_z3", 1795365366009, task({ status: "completed", input: {}, output: "none", time: { end: 1795365366009 } }));
  await journal.refresh();
  // One that ended at the same moment, though it stands before.
  part("prt_z1", 1795365366001, { type: "step-start" });
  writer
    .prepare("UPDATE message SET data = ? WHERE id = 'msg_z'")
    .run(info({ finish: "tool-calls", tokens: { total: 9 } }));
  await journal.refresh();
  const input = { todos: [{ content: "Ship it", status: "pending" }] };
  part("prt_z4", 1795365366010, {
    type: "tool",
    tool: "todowrite",
    callID: "call_todo",
    state: { status: "completed", input, time: { end: 1795365366010 } },
  });
  await journal.refresh();
  expect((await next).value).toMatchObject({ type: "event", event: { text: "- [ ] Ship it" } });
  await changes.return?.(undefined);
  writer.close();
});

test("results that OpenCode clears at a compaction stay what they were, in their order, and are no other history", async () => {
  const file = join(temporaryFolder(), "opencode.db");
  copyFileSync(join(fixtures, "opencode/1.18.33-todowrite-compaction.db"), file);
  const session = "ses_dfbe2db8fffe36CYiq0RLoPNN7";
  const start = 1795365366000;
  const writer = connect(file);
  const info = JSON.stringify({ role: "assistant", modelID: "model-a", time: { created: start } });
  writer.prepare(`INSERT INTO message VALUES ('msg_z', ?, ${start}, ${start}, ?)`).run(session, info);
  const part = (index: number, tool: string, input: object, compacted?: number): void => {
    const end = start + index * 10;
    const state = { status: "completed", input, output: "x".repeat(400), metadata: {}, title: "" };
    const time = { start: end - 1, end, ...(compacted === undefined ? {} : { compacted }) };
    writer
      .prepare(`INSERT OR REPLACE INTO part VALUES (?, 'msg_z', ?, ${end - 1}, ?, ?)`)
      .run(
        `prt_z${index}`,
        session,
        compacted ?? end,
        JSON.stringify({ type: "tool", tool, callID: `call_${index}`, state: { ...state, time } }),
      );
  };
  const parts = [
    [1, "todowrite", { todos: [{ content: "Ship it", status: "in_progress" }] }],
    [2, "bash", { command: "npm test" }],
    [3, "todowrite", { todos: [{ content: "Ship it", status: "completed" }] }],
  ] as const;
  for (const [index, tool, input] of parts) part(index, tool, input);
  writer.exec(`DELETE FROM todo WHERE session_id = '${session}'`);
  writer.exec(
    `INSERT INTO todo VALUES ('${session}', 'Ship it', 'completed', 'high', 0, ${start + 30}, ${start + 30})`,
  );
  await using journal = await openJournal(`${file}#${session}`, { readonly: true });
  const told: string[] = [];
  journal.onChange(({ type }) => told.push(type));
  const read = async () => {
    const events: object[] = [];
    await using whole = await openJournal(`${file}#${session}`, { readonly: true });
    for await (const { turn, actor, at, event } of whole.history()) events.push({ turn, actor, at, event });
    return events;
  };
  const before = await read();
  // The client begins with the newest.
  for (const [index, tool, input] of parts.toReversed()) part(index, tool, input, start + 1000 - index);
  await journal.refresh();
  expect(await read()).toEqual(before);
  expect([journal.version, journal.state.plan, told]).toEqual([before.length, "- [x] Ship it", []]);
  writer.close();
});

test("on a terminal, follow shows turn, actor and time of each event in a line, as log does", async () => {
  const file = join(fixtures, "claude-code/2.1.39-tasks-compaction.jsonl");
  const { stdout: log } = await cli(["log", file], { columns: 99, rows: 500 });
  const following = follow(file, { isTTY: true, columns: 99 });
  await following.untilPrinted("v14 ");
  expect(await following.stop()).toBe(0);
  const rows = (text: string) =>
    stripVTControlCharacters(text)
      .split("\n")
      .filter((line) => line.startsWith("v"))
      .map((line) => line.replace(/ {2,}/g, " ").slice(0, 60));
  expect(rows(following.printed())).toEqual(rows(log));
  expect(rows(log)[0]).toMatch(/^v1 2026-\d\d-\d\d \d\d:\d\d:\d\dZ t1 claude-code plan set/);
});

test("on a terminal, follow shows nothing of the control characters in what a client wrote", async () => {
  const file = join(temporaryFolder(), "session.jsonl");
  copyFileSync(join(fixtures, "codex/0.126-plans.jsonl"), file);
  const following = follow(file, { isTTY: true, columns: 99 });
  await following.untilPrinted("v2 ");
  const item = { type: "Plan", id: "p", text: "a\u001b]0;\u0007\u001b[2J\u202e\r\u0000end" };
  const line = { timestamp: "2026-05-01T00:00:00Z", type: "event_msg", payload: { type: "item_completed", item } };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
  await following.untilPrinted("end");
  expect(await following.stop()).toBe(0);
  for (const hostile of ["\u001b]", "\u001b[2J", "\u0000", "\u0007", "\r", "\u202e"])
    expect(following.printed()).not.toContain(hostile);
});

test("a call of Claude Code's that is answered behind a line of another branch brings its branch back, as for whoever opens the file then", async () => {
  const session = new MadeClaude();
  session.prompt("go");
  session.todos(["a", "pending"]);
  const parentUuid = session.last;
  session.prompt("go on");
  session.todos(["b", "pending"]);
  const call = session.call("Bash", { command: "npm test" });
  const tip = session.tip;
  session.prompt("another branch", { parentUuid });
  const file = join(temporaryFolder(), "session-1.jsonl");
  const write = () => writeFileSync(file, session.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  write();
  const followed = await openJournal(file, { readonly: true });
  expect([followed.version, followed.state.plan]).toEqual([1, "- [ ] a"]);
  session.tip = tip;
  session.result(call, { stdout: "" });
  session.call("Bash", { command: "npm run lint" });
  write();
  await followed.refresh();
  const opened = await openJournal(file, { readonly: true });
  for (const { version, state } of [followed, opened]) expect([version, state.plan]).toEqual([2, "- [ ] b"]);
  for (const journal of [followed, opened]) await journal.close();
});

/** Writes the lines of a session, and answers what one who follows it has then, and what one who opens it has. */
function followedAndOpened(session: MadeClaude) {
  const file = join(temporaryFolder(), "session-1.jsonl");
  let written = 0;
  let followed: Awaited<ReturnType<typeof openJournal>> | undefined;
  return async () => {
    const lines = session.lines.slice(written).map((line) => `${JSON.stringify(line)}\n`);
    written = session.lines.length;
    appendFileSync(file, lines.join(""));
    followed ??= await openJournal(file, { readonly: true });
    await followed.refresh();
    const opened = await openJournal(file, { readonly: true });
    const all: string[] = [];
    for await (const { version, event } of opened.history()) if ("text" in event) all.push(`v${version} ${event.text}`);
    const plans = [followed, opened].map(({ version, state }) => `v${version} ${state.plan}`);
    await opened.close();
    return { plans, all, close: followed.close.bind(followed) };
  };
}

test.each([1, 2, 4])(
  "%i lines of Claude Code's that stand again later are no rewind, and leave nothing behind",
  async (count) => {
    const session = new MadeClaude();
    session.prompt("go");
    const first = session.lines.length;
    session.todos(["a", "pending"]);
    session.prompt("go on");
    session.todos(["b", "pending"]);
    const look = followedAndOpened(session);
    await look();
    session.lines.push(...session.lines.slice(first, first + count));
    const plans = ["v2 - [ ] b", "v2 - [ ] b"];
    expect((await look()).plans).toEqual(plans);
    session.todos(["c", "pending"]);
    const { all, close, ...behind } = await look();
    expect(behind.plans).toEqual(["v3 - [ ] c", "v3 - [ ] c"]);
    expect(all).toEqual(["v1 - [ ] a", "v2 - [ ] b", "v3 - [ ] c"]);
    await close();
  },
);

test("what Claude Code goes on with behind a line that stands again is a rewind to where that stood first", async () => {
  const session = new MadeClaude();
  session.prompt("go");
  session.todos(["a", "pending"]);
  const kept = session.lines.at(-1) as Record<string, unknown>;
  session.prompt("go on");
  session.todos(["b", "pending"]);
  const look = followedAndOpened(session);
  await look();
  session.lines.push(kept);
  await look();
  session.tip = String(kept["uuid"]);
  session.prompt("another way");
  session.todos(["c", "pending"]);
  const { plans, all, close } = await look();
  // Its client still held the list that it had left.
  expect(all).toEqual(["v1 - [ ] a", "v2 - [ ] b", "v3 - [ ] c"]);
  expect(plans).toEqual(["v3 - [ ] c", "v3 - [ ] c"]);
  await close();
});

test("a result of Claude Code's that comes when its branch was left does not bring that branch back", async () => {
  const session = new MadeClaude();
  session.prompt("go");
  session.todos(["a", "pending"]);
  const kept = session.tip;
  session.prompt("wrong way");
  session.todos(["b", "pending"]);
  const call = session.call("Bash", { command: "npm test" });
  const left = session.tip;
  session.tip = kept;
  session.prompt("another way");
  session.todos(["c", "pending"]);
  const tip = session.tip;
  const look = followedAndOpened(session);
  await look();
  session.tip = left;
  session.result(call, { stdout: "" });
  expect((await look()).plans).toEqual(["v3 - [ ] c", "v3 - [ ] c"]);
  session.tip = tip;
  session.todos(["d", "pending"]);
  const { plans, close } = await look();
  expect(plans).toEqual(["v4 - [ ] d", "v4 - [ ] d"]);
  await close();
});

test.each(["spoken", "answered", "copied"])(
  "a note of Claude Code's at an older line is left again by what is %s behind the newest",
  async (how) => {
    const session = new MadeClaude();
    session.prompt("go");
    const kept = session.tip;
    session.todos(["a", "pending"]);
    const again = session.lines.length;
    const todos = [{ content: "b", status: "pending", activeForm: "b" }];
    const call = session.call("TodoWrite", { todos });
    const answer = () => session.result(call, { oldTodos: [], newTodos: todos });
    if (how !== "answered") answer();
    const tip = session.tip;
    const look = followedAndOpened(session);
    await look();
    session.tip = kept;
    session.line("system", { subtype: "informational", content: "a hook ran" });
    await look();
    session.tip = tip;
    if (how === "spoken") session.prompt("go on");
    else if (how === "answered") answer();
    else session.lines.push(...session.lines.slice(again, again + 1));
    const { plans, close } = await look();
    expect(plans[0]).toBe(plans[1]);
    if (how !== "copied") expect(plans[0]).toBe("v2 - [ ] b");
    await close();
  },
);

test.each(["noted", "answered"])(
  "what Claude Code goes on with behind a note at an older line is a rewind, though it was %s elsewhere since",
  async (how) => {
    const session = new MadeClaude();
    session.prompt("go");
    const kept = session.tip;
    session.todos(["a", "pending"]);
    const call = session.call("Bash", { command: "npm test" });
    const tip = session.tip;
    session.tip = kept;
    session.line("system", { subtype: "informational", content: "a hook ran" });
    const note = session.tip;
    session.tip = tip;
    if (how === "noted") session.line("system", { subtype: "informational", content: "another hook ran" });
    else session.result(call, { stdout: "" });
    const look = followedAndOpened(session);
    expect((await look()).plans).toEqual(["v1 - [ ] a", "v1 - [ ] a"]);
    session.tip = note;
    session.prompt("another way");
    const { plans, close } = await look();
    expect(plans).toEqual(["v0 ", "v0 "]);
    await close();
  },
);

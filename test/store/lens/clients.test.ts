import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { isJournalError } from "../../../src/errors.ts";
import { type Change, type Journal, openJournal } from "../../../src/index.ts";
import { allOf } from "../../../src/journal/readings.ts";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import { cli, temporaryFolder } from "../../cli/cli.ts";
import { fixtures, linesOf, lookOf, summary, tellFixture } from "../../lens/lens-run.ts";
import { MadePi } from "../../lens/pi-made.ts";

const { connect } = await findDriver();

const main = "ses_dfbe2db8fffe36CYiq0RLoPNN7";
const sub = "ses_dfbe2ca4cffeCwZebQPW8ZdhtM";
const exported = "opencode/1.18.33-todowrite-compaction.json";

function databaseCopy(): string {
  const file = path.join(temporaryFolder(), "opencode.db");
  fs.copyFileSync(path.join(fixtures, "opencode/1.18.33-todowrite-compaction.db"), file);
  return file;
}

async function storyOf(journal: Journal): Promise<unknown[]> {
  return (await allOf(journal.history())).map(({ event, turn, actor, at }) => ({ event, turn, actor, at }));
}

test("ls counts a command that begins a subagent as a turn, as the session does, and names one in which nobody spoke by its title", async () => {
  const file = databaseCopy();
  const writer = connect(file);
  writer.exec("PRAGMA foreign_keys = OFF");
  const part = JSON.stringify({ type: "subtask", prompt: "Review\n it", description: "x", agent: "general" });
  writer
    .prepare("INSERT INTO message VALUES ('msg_z', ?, 1795365366000, 1795365366000, ?)")
    .run(main, '{"role":"user","time":{"created":1795365366000}}');
  writer.prepare("INSERT INTO part VALUES ('prt_z', 'msg_z', ?, 1795365366001, 1795365366001, ?)").run(main, part);
  writer.exec(`DELETE FROM message WHERE session_id = '${sub}'`);
  const list = async () =>
    (await cli(["ls", file, "--json"])).stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
  await using journal = await openJournal(`${file}#${main}`, { readonly: true });
  const [first, second] = await list();
  expect([first.turns, journal.turn]).toEqual([4, 4]);
  expect([second.turns, second.firstMessage]).toEqual([0, "Look for other comparisons (@general subagent)"]);
  writer.exec(`DELETE FROM message WHERE session_id = '${main}' AND id <> 'msg_z'`);
  expect(await list()).toMatchObject([{ turns: 1, firstMessage: "Review it" }, {}]);
  writer.close();
});

test("a session in OpenCode's database tells the same as its export, and the database is left alone", async () => {
  const file = databaseCopy();
  const before = lookOf(path.dirname(file));
  for (const [session, fixture] of [
    [main, exported],
    [sub, "opencode/1.18.33-todowrite-compaction-subagent.json"],
    [`agent-${sub}`, "opencode/1.18.33-todowrite-compaction-subagent.json"],
  ] as const) {
    await using journal = await openJournal(`${file}#${session}`, { readonly: true });
    const told = tellFixture(fixture);
    expect(await storyOf(journal)).toEqual(
      told.events.map(({ event, turn, actor, at }) => ({ event, turn, actor, at })),
    );
    const foreign = await journal.foreign();
    expect(foreign).toMatchObject({ ...told.facts, repetitions: foreign?.repetitions });
    expect(foreign?.calls).toEqual(told.events.map(({ calls }) => calls));
    expect(foreign?.markers.map(({ marker, at }) => [marker, at])).toEqual(
      told.markers.map(({ marker, at }) => [marker, at]),
    );
    expect((await journal.verify()).ok).toBe(true);
  }
  expect(lookOf(path.dirname(file))).toEqual(before);
});

test("the list that the database holds is held against the calls", async () => {
  const file = databaseCopy();
  await using journal = await openJournal(`${file}#${main}`, { readonly: true });
  expect((await journal.foreign())?.repetitions).toEqual({ seen: 2, equal: 2, explained: 0, elsewhere: 0 });
  const database = connect(file);
  database.exec("UPDATE todo SET status = 'pending' WHERE position = 3");
  for (let position = 4; position < 12; position++) {
    database
      .prepare("INSERT INTO todo VALUES (?, ?, 'pending', 'low', ?, 1, 1)")
      .run(main, `Step ${position}`, position);
  }
  database.close();
  await journal.refresh();
  expect(journal.state.plan).toMatch(/- \[ \] Add a regression test\n- \[ \] Step 4\n(?:.*\n){6}- \[ \] Step 11$/);
  expect((await journal.foreign())?.repetitions).toEqual({ seen: 2, equal: 1, explained: 0, elsewhere: 1 });
});

test("another list than the calls said stays in its turn when the session goes on, whoever reads it when", async () => {
  const file = databaseCopy();
  const database = connect(file);
  database.exec("UPDATE todo SET status = 'pending' WHERE position = 3");
  await using journal = await openJournal(`${file}#${main}`, { readonly: true });
  const before = await storyOf(journal);
  expect(before.at(-1)).toMatchObject({ actor: "elsewhere", turn: 3 });
  const start = Date.UTC(2027, 0, 1);
  const add = (id: number, role: string, data: object): void => {
    const info = JSON.stringify({ role, time: { created: start + id } });
    database
      .prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)")
      .run(`msg_z${id}`, main, start + id, start + id, info);
    database
      .prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)")
      .run(`prt_z${id}`, `msg_z${id}`, main, start + id, start + id, JSON.stringify(data));
  };
  add(1, "user", { type: "text", text: "Go on" });
  const input = { filePath: "/home/dev/project/NOTES.md", content: "Notes" };
  const state = { status: "completed", input, output: "ok", metadata: { exists: false }, time: { end: start + 2 } };
  add(2, "assistant", { type: "tool", tool: "write", callID: "call_z", state });
  database.close();
  await journal.refresh();
  const told = await storyOf(journal);
  expect(told.slice(0, -1)).toEqual(before);
  expect(told.at(-1)).toMatchObject({ event: { name: "NOTES.md" }, turn: 4 });
  await using fresh = await openJournal(`${file}#${main}`, { readonly: true });
  expect(await storyOf(fresh)).toEqual(told);
});

test("a list that was changed beside the calls in a later turn is told there, to a follower and to who reads it anew", async () => {
  const file = databaseCopy();
  const database = connect(file);
  await using journal = await openJournal(`${file}#${main}`, { readonly: true });
  const told: unknown[] = [];
  journal.onChange((change) => told.push(change.type === "event" ? [change.version, change.event] : change.type));
  const time = Date.UTC(2027, 0, 1);
  const add = (id: number, role: string, data: object): void => {
    const info = JSON.stringify({ role, time: { created: time + id } });
    const times = [time + id, time + id];
    database.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)").run(`msg_z${id}`, main, ...times, info);
    database
      .prepare("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)")
      .run(`prt_z${id}`, `msg_z${id}`, main, ...times, JSON.stringify(data));
  };
  const noted = (id: number, content: string): void => {
    const input = { filePath: "/home/dev/project/NOTES.md", content };
    const state = { status: "completed", input, output: "ok", metadata: { exists: false }, time: { end: time + id } };
    add(id, "assistant", { type: "tool", tool: "write", callID: `call_${id}`, state });
  };
  const { version } = journal;
  add(1, "user", { type: "text", text: "Go on" });
  noted(2, "Notes");
  await journal.refresh();
  database.exec(`UPDATE todo SET status = 'pending', time_updated = ${time + 3} WHERE position = 3`);
  await journal.refresh();
  add(4, "user", { type: "text", text: "Go on" });
  noted(5, "Notes");
  database.close();
  await journal.refresh();
  await using fresh = await openJournal(`${file}#${main}`, { readonly: true });
  const anew = await allOf(fresh.history({ from: version }));
  expect(anew.map((recorded) => [recorded.version, recorded.event])).toEqual(told);
  expect(anew.filter(({ event }) => event.type === "plan.set")).toMatchObject([{ actor: "elsewhere", turn: 4 }]);
});

test("without a session the newest one of this folder is read; where there is none, the newest are named", async () => {
  const file = databaseCopy();
  const refused = await openJournal(file, { readonly: true }).catch((error: unknown) => error);
  expect(isJournalError(refused, "not_a_session") && refused.message).toContain(
    `#${main} ("Login bug" in /home/dev/project)`,
  );
  const database = connect(file);
  database.prepare("UPDATE session SET directory = ?").run(process.cwd());
  database.close();
  await using journal = await openJournal(file, { readonly: true });
  expect([await journal.sessionId(), journal.version]).toEqual([main, 11]);
  const other = openJournal(`${file}#ses_nobody`, { readonly: true });
  await expect(other).rejects.toMatchObject({ code: "not_a_session" });
});

test("a database of another program is refused with what to do, and none is opened to be written", async () => {
  const file = path.join(temporaryFolder(), "journals.db");
  const database = connect(file);
  database.exec("CREATE TABLE other (x)");
  database.close();
  const refused = await openJournal(file, { readonly: true }).catch((error: unknown) => error);
  expect(isJournalError(refused, "not_a_session") && refused.message).toContain(`sqlite:${file}#session`);
  await expect(openJournal(`${databaseCopy()}#${main}`)).rejects.toMatchObject({ code: "readonly" });
});

test("a session is followed while OpenCode writes it, in a log beside the database, call by call and without a reset", async () => {
  const file = databaseCopy();
  const writer = connect(file);
  writer.prepare("PRAGMA journal_mode = WAL").get();
  const message = '{"role":"assistant","time":{"created":1795365366000},"modelID":"model-a"}';
  const part = (status: string, end: number): string =>
    JSON.stringify({
      type: "tool",
      tool: "todowrite",
      callID: "call_new",
      state: { status, input: { todos: [{ content: "Ship it", status: "pending" }] }, time: { start: 1, end } },
    });
  await using journal = await openJournal(`${file}#${main}`, { readonly: true });
  const changes = journal.changes();
  const next = changes.next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  writer.prepare("INSERT INTO message VALUES ('msg_z', ?, 1795365366000, 1795365366000, ?)").run(main, message);
  writer
    .prepare("INSERT INTO part VALUES ('prt_z', 'msg_z', ?, 1795365366001, 1795365366001, ?)")
    .run(main, part("running", 0));
  writer.exec("DELETE FROM todo");
  writer.exec(`INSERT INTO todo VALUES ('${main}', 'Ship it', 'pending', 'high', 0, 1795365366002, 1795365366002)`);
  await journal.refresh();
  expect(journal.version).toBe(11);
  expect((await journal.foreign())?.unanswered).toMatchObject([{ tool: "todowrite", call: "call_new" }]);
  writer
    .prepare("UPDATE part SET data = ?, time_updated = 1795365366003 WHERE id = 'prt_z'")
    .run(part("completed", 1795365366003));
  expect((await next).value as Change).toMatchObject({ type: "event", version: 12 });
  expect(journal.state.plan).toBe("- [ ] Ship it");
  await changes.return?.(undefined);
  writer.close();
});

test("work that was asked for before a step was completed is work on it, though it ended later or has not ended yet", async () => {
  const file = databaseCopy();
  const writer = connect(file);
  const start = Date.UTC(2027, 0, 1);
  const part = (message: number, index: number, tool: string, more: object): void => {
    const data = JSON.stringify({ type: "tool", tool, callID: `call_${message}${index}`, state: more });
    const id = `prt_z${message}${index}`;
    writer
      .prepare(`INSERT OR REPLACE INTO part VALUES (?, ?, ?, ${start}, ?, ?)`)
      .run(id, `msg_z${message}`, main, Number((more as { time: { end?: number } }).time.end ?? start), data);
  };
  const todowrite = (message: number, index: number, status: string): void => {
    const end = start + message * 1000 + index;
    const input = { todos: [{ content: "Ship it", status }] };
    part(message, index, "todowrite", { status: "completed", input, output: "ok", metadata: {}, time: { start, end } });
    writer.exec(`DELETE FROM todo WHERE session_id = '${main}'`);
    writer.exec(`INSERT INTO todo VALUES ('${main}', 'Ship it', '${status}', 'high', 0, ${end}, ${end})`);
  };
  const ended = (message: number, index: number): void => {
    const end = start + message * 1000 + 500;
    part(message, index, "bash", { status: "completed", input: {}, output: "", metadata: {}, time: { start, end } });
  };
  for (const message of [1, 2]) {
    const info = JSON.stringify({ role: "assistant", time: { created: start + message }, modelID: "model-a" });
    writer
      .prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)")
      .run(`msg_z${message}`, main, start + message, start + message, info);
  }
  await using journal = await openJournal(`${file}#${main}`, { readonly: true });
  const work = async () => {
    await using fresh = await openJournal(`${file}#${main}`, { readonly: true });
    await journal.refresh();
    expect(await journal.foreign()).toEqual(await fresh.foreign());
    const [begun = 0, completed = 0] = (await fresh.foreign())?.calls.slice(-2) ?? [];
    return completed - begun;
  };
  todowrite(1, 2, "in_progress");
  part(2, 1, "bash", { status: "running", input: {}, time: { start } });
  todowrite(2, 2, "completed");
  expect(await work()).toBe(1);
  ended(2, 1);
  ended(2, 3);
  expect(await work()).toBe(1);
  expect((await cli(["doctor", `${file}#${main}`])).stdout).not.toContain("Ship it");
  writer.close();
});

test("what was reverted in the database is told anew without it", async () => {
  const file = databaseCopy();
  await using journal = await openJournal(`${file}#${main}`, { readonly: true });
  expect(journal.version).toBe(11);
  const database = connect(file);
  database
    .prepare("UPDATE session SET revert = ? WHERE id = ?")
    .run('{"messageID":"msg_2041d42250016KmX6i0JuAMKij"}', main);
  database.close();
  await journal.refresh();
  expect([journal.version, journal.turn]).toEqual([7, 3]);
});

test("a damaged database, and rows of other types, are refused or damage, never the end of the process", async () => {
  const file = databaseCopy();
  const whole = fs.readFileSync(file);
  const outcomes = new Set<string>();
  for (let round = 0; round < 60; round++) {
    const bytes = Buffer.from(whole);
    const isCut = round % 4 === 0;
    for (let flips = 0; flips < 20; flips++) {
      const at = 100 + ((round * 7919 + flips * 104_729) % (bytes.length - 100));
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (flips % 8));
    }
    fs.writeFileSync(file, isCut ? bytes.subarray(0, Math.floor((bytes.length * round) / 60)) : bytes);
    try {
      await using journal = await openJournal(`${file}#${main}`, { readonly: true });
      outcomes.add((await journal.verify()).ok ? "read" : "damage");
    } catch (error) {
      expect([round, isJournalError(error), String(error)]).toEqual([round, true, String(error)]);
      outcomes.add("refused");
    }
  }
  expect(outcomes.size).toBeGreaterThan(1);
  fs.writeFileSync(file, whole);
  const database = connect(file);
  database.exec("UPDATE part SET data = 7 WHERE id IN (SELECT id FROM part WHERE data LIKE '%todowrite%' LIMIT 1)");
  database.exec(
    "UPDATE part SET data = x'ff00fe' WHERE id IN (SELECT id FROM part WHERE data LIKE '%step-start%' LIMIT 1)",
  );
  database.exec("UPDATE message SET data = '[1' WHERE id IN (SELECT id FROM message ORDER BY id LIMIT 1)");
  database.close();
  await using journal = await openJournal(`${file}#${main}`, { readonly: true });
  expect(journal.version).toBe(10);
  expect((await journal.verify()).ok).toBe(false);
});

test("every verb reads a session in the database", async () => {
  const place = `${databaseCopy()}#${main}`;
  for (const words of [["show"], ["log"], ["diff"], ["blame"], ["lost"], ["doctor"], ["verify"], ["render"]]) {
    const [verb = "", ...more] = words;
    for (const format of [[], ["--json"]]) {
      const { code, stderr } = await cli([verb, place, ...more, ...format]);
      expect([verb, code, stderr]).toEqual([verb, 0, ""]);
    }
  }
});

test("a document that its client writes anew with another message is told anew", async () => {
  const file = path.join(temporaryFolder(), "session.json");
  const document = JSON.parse(fs.readFileSync(path.join(fixtures, "gemini-cli/legacy-write-todos.json"), "utf8"));
  const { messages, ...head } = document;
  fs.writeFileSync(file, JSON.stringify({ ...head, messages: messages.slice(0, 2) }, null, 2));
  await using journal = await openJournal(file, { readonly: true });
  expect([journal.version, journal.turn]).toEqual([0, 1]);
  fs.writeFileSync(file, JSON.stringify({ ...head, messages }, null, 2));
  await journal.refresh();
  expect([journal.version, journal.state.plan]).toEqual([1, "- [x] add another hello bob console log to @index.ts"]);
  fs.writeFileSync(file, JSON.stringify(document));
  await journal.refresh();
  expect([journal.version, (await journal.foreign())?.lines]).toEqual([1, 0]);
});

test("a document that was cut is told as far as it goes, with a note", async () => {
  const text = fs.readFileSync(path.join(fixtures, exported), "utf8");
  const file = path.join(temporaryFolder(), "export.json");
  for (const share of [0.2, 0.5, 0.9]) {
    fs.writeFileSync(file, text.slice(0, Math.floor(text.length * share)));
    await using journal = await openJournal(file, { readonly: true });
    expect((await journal.verify()).findings.some(({ kind }) => kind === "torn")).toBe(true);
  }
});

test("metadata with an empty list of messages begins lines, not a document", async () => {
  const file = path.join(temporaryFolder(), "session.jsonl");
  const [first = "", ...lines] = linesOf(
    "gemini-cli/0.61.0-plan-mode-approved/chats/session-2026-11-22T16-47-b1b65739.jsonl",
  );
  fs.writeFileSync(file, `${[JSON.stringify({ ...JSON.parse(first), messages: [] }), ...lines].join("\n")}\n`);
  await using journal = await openJournal(file, { readonly: true });
  expect(journal.version).toBe(1);
});

test("doctor names a client that does not say its version", async () => {
  const { stdout } = await cli(["doctor", path.join(fixtures, "gemini-cli/0.40-shape.jsonl")]);
  expect(stdout).toContain("  Gemini CLI, session gemini_stage0_jsonl\n");
});

test("a subagent of Gemini CLI is opened behind its parent's name", async () => {
  const parent = path.join(
    fixtures,
    "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-50-5806d217.jsonl",
  );
  const id = "4c72c25b-935d-43a7-8ad9-320b3967e366";
  await using journal = await openJournal(`${parent}#agent-${id}`, { readonly: true });
  expect([await journal.sessionId(), journal.state.plan]).toEqual([id, "- [>] Search for `if (x = y)`"]);
});

test("pi's own todos are told where we wrote nothing, and not any more once we did", async () => {
  const session = new MadePi();
  session.said("go");
  session.todo("add", [[1, "a", false]]);
  const file = path.join(temporaryFolder(), "session.jsonl");
  fs.writeFileSync(file, session.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const before = lookOf(path.dirname(file));
  {
    await using journal = await openJournal(file, { readonly: true });
    expect([journal.state.plan, journal.turn, (await journal.foreign())?.client]).toEqual(["- [ ] #1 a", 1, "pi"]);
    expect((await cli(["log", file])).stdout).toContain("pi");
  }
  expect(lookOf(path.dirname(file))).toEqual(before);
  {
    await using own = await openJournal(file);
    expect(own.state.plan).toBe("");
    await own.notes.append("ours");
  }
  await using journal = await openJournal(file, { readonly: true });
  expect([journal.state.plan, journal.state.notes, await journal.foreign()]).toEqual(["", "ours", undefined]);
});

test("a session of Droid is read by its path, and so is the story of the summary", async () => {
  await using journal = await openJournal(path.join(fixtures, "droid/todo-text.jsonl"), { readonly: true });
  expect([journal.version, summary(tellFixture("droid/todo-text.jsonl")).length]).toEqual([2, 2]);
});

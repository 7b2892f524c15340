import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { expect, test, vi } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import { copyJournal, openJournal } from "../../src/index.ts";
import { allOf } from "../../src/journal/readings.ts";
import { findDriver } from "../../src/store/sqlite/drivers.ts";
import { StreamStore } from "../../src/stream/stream-store.ts";
import { cli, root, temporaryFolder } from "../cli/cli.ts";
import { MadeClaude } from "../lens/claude-made.ts";

const fixtures = path.join(root, "fixtures", "sessions");
const plan = path.join(fixtures, "claude-code", "2.1.39-tasks-compaction.jsonl");

async function historyOf(where: string): Promise<RecordedEvent[]> {
  const journal = await openJournal(where, { readonly: true });
  const history = await allOf(journal.history());
  await journal.close();
  return history;
}

function essence({ event, at, actor, turn }: RecordedEvent) {
  return { event, at, actor, turn };
}

function added({ event }: RecordedEvent): boolean {
  return event.type === "turn.began" || event.type === "session.imported";
}

function written(made: MadeClaude, file: string): void {
  fs.writeFileSync(file, made.lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
}

function newSession() {
  const folder = temporaryFolder();
  const [source, target] = [path.join(folder, "source.jsonl"), path.join(folder, "target.jsonl")];
  return { made: new MadeClaude(), source, target };
}

function begunSession() {
  const session = newSession();
  session.made.prompt("Begin");
  session.made.todos(["One", "in_progress"]);
  return session;
}

async function copiedOnce() {
  const { made, source, target } = begunSession();
  written(made, source);
  await copyJournal(source, target);
  return { made, source, target };
}

const sessions = [
  ...["claude-code/2.1.39-tasks-compaction.jsonl", "claude-code/2.1.330-plan-mode-refused-approved.jsonl"],
  ...["claude-code/2.1.330-tasks-compaction-subagent.jsonl", "claude-code/1.0.108-todowrite-claude-md.jsonl"],
  ...["codex/0.169.0-update-plan-compaction.jsonl", "codex/0.126-plans.jsonl", "codex/0.118-subagent-compacted.jsonl"],
  ...["droid/todo-text.jsonl", "gemini-cli/legacy-write-todos.json"],
  "opencode/1.18.33-todowrite-compaction.json",
];

test.each(sessions)("an import of %s holds its events with their times, turns and actors", async (name) => {
  const source = path.join(fixtures, name);
  const target = path.join(temporaryFolder(), "copy.jsonl");
  const bytes = fs.readFileSync(source);
  const copied = await copyJournal(source, target);
  const [foreign, ours] = [await historyOf(source), await historyOf(target)];
  expect(ours[0]?.event).toMatchObject({
    type: "session.imported",
    from: {
      client: path.dirname(name),
      session: copied.session,
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    },
  });
  expect(ours.filter((recorded) => !added(recorded)).map(essence)).toEqual(foreign.map(essence));
  expect(copied).toMatchObject({ events: ours.length, version: ours.length, leftOut: 0 });
  expect(fs.readFileSync(source)).toEqual(bytes);

  const [a, b] = [await openJournal(source, { readonly: true }), await openJournal(target, { readonly: true })];
  expect(b.state).toEqual(a.state);
  expect(b.turn).toBe(a.turn);
  expect(await b.verify()).toMatchObject({ ok: true });
  await a.close();
  await b.close();
  expect(await toldWith(target)).toEqual(await toldWith(source));
});

/** Each event of the client's, and what the client did in between. */
async function toldWith(where: string): Promise<unknown[]> {
  const journal = await openJournal(where, { readonly: true });
  const told: unknown[] = [];
  for await (const item of journal.historyWithHost()) {
    if ("marker" in item) {
      const { after: _, ...marker } = item;
      told.push(marker);
    } else if ("event" in item && !added(item)) told.push(essence(item));
  }
  await journal.close();
  return told;
}

test("compactions stay where they were, in a file and in a database, in the log and in the report", async () => {
  const folder = temporaryFolder();
  const target = path.join(folder, "kept.jsonl");
  const { session } = await copyJournal(plan, target);
  const database = `sqlite:${path.join(folder, "kept.db")}#${session}`;
  await copyJournal(target, database);
  const wanted = await toldWith(plan);
  expect(JSON.stringify(wanted)).toContain('"compaction"');
  expect(await toldWith(database)).toEqual(wanted);
  for (const where of [target, database]) {
    expect((await cli(["log", where])).stdout).toContain("context compacted");
    const html = path.join(folder, "report.html");
    await cli(["report", where, "-o", html]);
    expect(fs.readFileSync(html, "utf8")).toMatch(/"marks":\[\{"marker":"compaction","detail":[^}]*"version":[1-9]/);
    const journal = await openJournal(where, { readonly: true });
    const version = (await historyOf(where)).find(({ markers }) => markers !== undefined)?.version;
    expect(await journal.hostMarkers()).toMatchObject([{ marker: "compaction", after: version }]);
    await journal.close();
  }
  const redacted = path.join(folder, "redacted.jsonl");
  const carrier = (await historyOf(target)).find(({ markers }) => markers !== undefined)?.version;
  expect((await cli(["redact", target, "--version", `v${carrier}`, "-o", redacted])).code).toBe(0);
  const kinds = (await toldWith(redacted)).map((item) => (item as { marker?: string }).marker);
  expect(kinds.filter(Boolean)).toEqual(["compaction"]);
});

test("a compaction that came after the last event, or after the last import, is carried once", async () => {
  const { made, source, target } = newSession();
  made.prompt("Begin");
  made.compaction();
  made.todos(["One", "in_progress"]);
  written(made, source);
  await copyJournal(source, target);
  made.compaction();
  written(made, source);
  expect(await copyJournal(source, target)).toMatchObject({ events: 1 });
  expect(await copyJournal(source, target)).toMatchObject({ events: 0 });
  made.todos(["One", "completed"]);
  made.compaction();
  written(made, source);
  await copyJournal(source, target);
  expect(await copyJournal(source, target)).toMatchObject({ events: 0 });
  expect(await toldWith(target)).toEqual(await toldWith(source));
});

test("more than one line has room for goes on in the next one", async () => {
  const { made, source, target } = begunSession();
  for (let count = 0; count < 1500; count += 1) made.compaction();
  written(made, source);
  expect((await copyJournal(source, target)).events).toBeGreaterThan(3);
  expect(await copyJournal(source, target)).toMatchObject({ events: 0 });
  expect(await toldWith(target)).toEqual(await toldWith(source));
});

test("done again it takes only what is new, and says again of which bytes", async () => {
  const { made, source, target } = begunSession();
  made.prompt("A turn in which nothing changes");
  written(made, source);
  expect(await copyJournal(source, target)).toMatchObject({ events: 4, version: 4 });
  const before = fs.readFileSync(target);
  expect(await copyJournal(source, target)).toMatchObject({ events: 0, version: 4 });
  expect(fs.readFileSync(target)).toEqual(before);

  made.prompt("Go on");
  made.todos(["One", "completed"]);
  written(made, source);
  expect(await copyJournal(source, target)).toMatchObject({ events: 3, version: 7 });
  const ours = await historyOf(target);
  expect(ours.map(({ event }) => event.type)).toEqual([
    ...["session.imported", "turn.began", "plan.set", "turn.began"],
    ...["session.imported", "turn.began", "plan.set"],
  ]);
  const { size } = fs.statSync(source);
  expect(ours[4]?.event).toMatchObject({ from: { bytes: size } });
  expect(ours[6]).toMatchObject({ turn: 3, event: { text: "- [x] One" } });
  const journal = await openJournal(target, { readonly: true });
  expect(await journal.verify()).toMatchObject({ ok: true });
  await journal.close();
});

test("what the client lost at a compaction, and says in a later turn only, is added to a copy that has begun it", async () => {
  const { made, source, target } = begunSession();
  made.todos(["One", "in_progress"], ["Two", "pending"]);
  made.compaction();
  made.prompt("Go on");
  written(made, source);
  await copyJournal(source, target);
  made.held = [];
  made.todos(["Three", "in_progress"]);
  written(made, source);
  // The loss, and the list of the open turn, behind another import.
  expect(await copyJournal(source, target)).toMatchObject({ events: 3 });
  expect(await copyJournal(source, target)).toMatchObject({ events: 0 });
  made.prompt("Once more");
  made.todos(["Three", "completed"]);
  written(made, source);
  expect(await copyJournal(source, target)).toMatchObject({ events: 3 });
  const withoutTurn = ({ event, at, actor }: RecordedEvent) => ({ event, at, actor });
  const ours = (await historyOf(target)).filter((recorded) => !added(recorded));
  expect(ours.map(withoutTurn)).toEqual((await historyOf(source)).map(withoutTurn));
  expect(ours.map(({ turn }) => turn)).toEqual([1, 1, 2, 2, 3]);
  expect((await toldWith(target)).filter((item) => (item as { marker?: string }).marker !== undefined)).toHaveLength(1);
});

test("what the client writes while it is copied is told under the digest of its bytes, and under no other", async () => {
  const { made, source, target } = newSession();
  const goOn = (status: string) => {
    made.prompt("Go on");
    made.todos(["One", status]);
    written(made, source);
  };
  goOn("pending");
  let digested = 0;
  vi.spyOn(StreamStore.prototype, "foreign").mockImplementationOnce(async function (this: StreamStore) {
    goOn("in_progress");
    digested = fs.statSync(source).size;
    const foreign = await this.foreign({ whole: true });
    goOn("completed");
    return foreign;
  });
  expect(await copyJournal(source, target)).toMatchObject({ events: 5 });
  vi.restoreAllMocks();
  expect(await copyJournal(source, target)).toMatchObject({ events: 3 });
  const ours = await historyOf(target);
  expect(ours[0]?.event).toMatchObject({ from: { bytes: digested } });
  expect(ours.map(({ event }) => event.type)).toEqual([
    ...["session.imported", "turn.began", "plan.set", "turn.began", "plan.set"],
    ...["session.imported", "turn.began", "plan.set"],
  ]);
});

test("a loss at a compaction that the client tells while it is copied is not told under a digest that does not tell it", async () => {
  const { made, source, target } = begunSession();
  made.todos(["One", "in_progress"], ["Two", "pending"]);
  made.compaction();
  written(made, source);
  vi.spyOn(StreamStore.prototype, "foreign").mockImplementationOnce(async function (this: StreamStore) {
    made.prompt("Go on");
    written(made, source);
    const foreign = await this.foreign({ whole: true });
    made.held = [];
    made.todos(["Three", "in_progress"]);
    written(made, source);
    return foreign;
  });
  await copyJournal(source, target);
  vi.restoreAllMocks();
  await copyJournal(source, target);
  expect((await historyOf(target)).map(({ event }) => event.type)).toEqual([
    ...["session.imported", "turn.began", "plan.set", "plan.set", "turn.began"],
    ...["session.imported", "plan.set", "plan.set"],
  ]);
});

/** A session in OpenCode's database, which its client goes on with. */
async function inOpenCode() {
  const { connect } = await findDriver();
  const folder = temporaryFolder();
  const [file, target] = [path.join(folder, "opencode.db"), path.join(folder, "kept.jsonl")];
  fs.copyFileSync(path.join(fixtures, "opencode/1.18.33-todowrite-compaction.db"), file);
  const id = "ses_dfbe2db8fffe36CYiq0RLoPNN7";
  const change = (sql: string, ...values: string[]): void => {
    const database = connect(file);
    database.prepare(sql).run(...values);
    database.close();
  };
  // Whatever it writes is newer than the copies of the session.
  let time = Date.now() + 86_400_000;
  const list = (content: string): void => {
    change("DELETE FROM todo WHERE session_id = ?", id);
    change(`INSERT INTO todo VALUES (?, ?, 'pending', 'high', 0, 1, ${++time})`, id, content);
  };
  const message = (role: string): string => {
    const [of, info] = [`msg_z${++time}`, JSON.stringify({ role, time: { created: time }, modelID: "model-a" })];
    change(`INSERT INTO message VALUES (?, ?, ${time}, ${time}, ?)`, of, id, info);
    return of;
  };
  const part = (of: string, data: object): void => {
    change(`INSERT INTO part VALUES (?, ?, ?, ${++time}, ${time}, ?)`, `prt_z${time}`, of, id, JSON.stringify(data));
  };
  const said = (text: string): void => part(message("user"), { type: "text", text });
  const todowrite = (content: string, of = message("assistant")): void => {
    list(content);
    const input = { todos: [{ content, status: "pending" }] };
    const state = { status: "completed", input, output: "ok", metadata: {}, time: { start: time, end: time } };
    part(of, { type: "tool", tool: "todowrite", callID: `call_${time}`, state });
  };
  return { source: `${file}#${id}`, target, list, message, said, todowrite };
}

test("an import goes on after OpenCode held another list than its calls said, and the list is then as in the session", async () => {
  const { source, target, list, said, todowrite } = await inOpenCode();
  const plans = async () => {
    const { events } = await copyJournal(source, target);
    const [told, kept] = [await historyOf(source), await historyOf(target)];
    const [a, b] = [await openJournal(source, { readonly: true }), await openJournal(target, { readonly: true })];
    expect([b.state, b.turn]).toEqual([a.state, a.turn]);
    await Promise.all([a.close(), b.close()]);
    expect((await copyJournal(source, target)).events).toBe(0);
    const ofNow = ({ actor, event }: RecordedEvent) => actor === "elsewhere" && event.type === "plan.set";
    const lasting = (history: RecordedEvent[]) =>
      history.filter((recorded) => !added(recorded) && !ofNow(recorded)).map(essence);
    expect(lasting(kept)).toEqual(lasting(told));
    const { stdout } = await cli(["compare", source, target, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ kinship: "imported", since: { a: 0, b: 0 } });
    const fresh = kept.filter(({ version }) => version > kept.length - events);
    return fresh.flatMap(({ actor, event }) => (event.type === "plan.set" ? `${actor}: ${event.text}` : []));
  };
  todowrite("One");
  list("By hand");
  expect((await plans()).slice(-2)).toEqual(["opencode: - [ ] One", "elsewhere: - [ ] By hand"]);
  said("Go on");
  expect(await plans()).toEqual([]);
  todowrite("Two");
  expect(await plans()).toEqual(["opencode: - [ ] Two"]);
  list("By hand again");
  expect(await plans()).toEqual(["elsewhere: - [ ] By hand again"]);
  list("Two");
  said("And now?");
  expect(await plans()).toEqual(["elsewhere: - [ ] Two"]);
  todowrite("Three");
  expect(await plans()).toEqual(["opencode: - [ ] Three"]);
});

test("an import goes on over a call of OpenCode's that ended after somebody had said more", async () => {
  const { source, target, message, said, todowrite } = await inOpenCode();
  said("One");
  const answer = message("assistant");
  said("Two");
  await copyJournal(source, target);
  todowrite("Fix it", answer);
  await copyJournal(source, target);
  const [told, kept] = [await historyOf(source), await historyOf(target)];
  expect([told, kept].map((history) => history.at(-1))).toMatchObject([
    { event: { text: "- [ ] Fix it" }, turn: 4 },
    { event: { text: "- [ ] Fix it" }, turn: 5 },
  ]);
  said("Three");
  todowrite("Fix it well");
  await copyJournal(source, target);
  expect((await historyOf(target)).at(-1)).toMatchObject({ event: { text: "- [ ] Fix it well" }, turn: 6 });
});

test("what a rewind brought back from a turn that the import has passed is not told in a later one", async () => {
  const { made, source, target } = await copiedOnce();
  const kept = made.last;
  made.prompt("One way");
  made.todos(["One", "completed"]);
  const left = made.last;
  made.tip = kept;
  made.prompt("Another way");
  written(made, source);
  expect(await copyJournal(source, target)).toMatchObject({ events: 3 });
  const before = fs.readFileSync(target);
  made.tip = left;
  made.prompt("The one way after all");
  written(made, source);
  await expect(copyJournal(source, target)).rejects.toThrow(
    /has begun turn 3, and .* says plan\.set of turn 2 now: the session was rewound since; copy it to a new place/,
  );
  expect(fs.readFileSync(target)).toEqual(before);
});

test("a turn that somebody began in an import is refused as anything that somebody wrote there", async () => {
  const { made, source, target } = await copiedOnce();
  const journal = await openJournal(target);
  await journal.beginTurn();
  await journal.close();
  made.prompt("Go on");
  made.todos(["One", "completed"]);
  written(made, source);
  await expect(copyJournal(source, target)).rejects.toThrow(/at version 4 turn.began .*somebody wrote to the import/);
});

test("an import goes on behind a refused call with numbers that are printed in another way", async () => {
  const { made, source, target } = newSession();
  made.prompt("Begin");
  const call = made.call("TodoWrite", { todos: [], least: "LEAST", most: "MOST" });
  made.result(call, "Error: no list", { isError: true });
  const write = () => {
    written(made, source);
    const printed = fs.readFileSync(source, "utf8").replace('"LEAST"', "-0").replace('"MOST"', "1e999");
    fs.writeFileSync(source, printed);
  };
  write();
  await copyJournal(source, target);
  made.todos(["One", "pending"]);
  write();
  expect(await copyJournal(source, target)).toMatchObject({ events: 2 });
  const [refused] = (await historyOf(target)).filter(({ event }) => event.type === "action.refused");
  expect(refused?.event).toMatchObject({ offered: { input: { least: 0, most: null } } });
});

test("a source that was rewritten, and an import that was gone on with, are refused and left as they are", async () => {
  const { made, source, target } = await copiedOnce();
  const before = fs.readFileSync(target);

  const other = new MadeClaude();
  other.prompt("Begin");
  other.todos(["Another", "in_progress"]);
  written(other, source);
  const rewritten = await cli(["copy", source, target]);
  expect(rewritten.code).toBe(2);
  expect(rewritten.stderr).toMatch(
    /was rewritten or rewound since.*copy it to a new place.*session-journal compare.*nothing was copied/,
  );
  expect(fs.readFileSync(target)).toEqual(before);

  written(made, source);
  const journal = await openJournal(target);
  await journal.plan.set("Mine");
  await journal.close();
  const goneOn = await cli(["copy", source, target]);
  expect(goneOn.stderr).toMatch(/goes on at version 4 .*somebody wrote to it/);
});

test("a journal that is no import of this session is not added to", async () => {
  const target = path.join(temporaryFolder(), "target.jsonl");
  await copyJournal(plan, target);
  const other = path.join(fixtures, "codex/0.126-plans.jsonl");
  const { code, stderr } = await cli(["copy", other, target]);
  expect(code).toBe(2);
  expect(stderr).toContain("nothing was copied");
});

test("an import goes to a database, too, and from there to a file", async () => {
  const folder = temporaryFolder();
  const { to } = await copyJournal(plan, `sqlite:${path.join(folder, "journals.db")}`);
  const back = path.join(folder, "back.jsonl");
  await copyJournal(to.startsWith("sqlite:") ? to : `sqlite:${to}`, back);
  expect((await historyOf(back)).map(({ event }) => event.type)).toContain("session.imported");
});

test("a seal holds over an import", async () => {
  const folder = temporaryFolder();
  const target = path.join(folder, "sealed.jsonl");
  await copyJournal(plan, target, { seal: "key" });
  const journal = await openJournal(target, { seal: "key", readonly: true });
  expect(await journal.verify()).toMatchObject({ ok: true });
  expect(journal.state.plan).toContain("[>] #5");
  await journal.close();
});

test("fork gives the state to another session, which says where it comes from", async () => {
  const target = path.join(temporaryFolder(), "child.jsonl");
  const { code, stderr } = await cli(["fork", plan, target, "--at", "v5"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [source, child] = [await openJournal(plan, { readonly: true }), await openJournal(target)];
  expect(child.state).toEqual((await source.at("v5")).state);
  const [first] = await historyOf(target);
  expect(first?.event).toMatchObject({
    type: "session.forked",
    from: { session: await source.sessionId(), version: 5 },
  });
  expect((await child.plan.set("- [ ] Go on")).ok).toBe(true);
  expect(await child.verify()).toMatchObject({ ok: true });
  await Promise.all([source.close(), child.close()]);
});

test("a compaction that was copied before the session was rewound did not come after the step that is in progress", async () => {
  const { made, source, target } = begunSession();
  const { tip } = made;
  made.compaction();
  made.prompt("Go on");
  written(made, source);
  await copyJournal(source, target);
  const doubts = async (where: string) => (await cli(["doctor", where])).stdout.match(/"One" is in progress.*/)?.[0];
  expect(await doubts(target)).toMatch(/and a compaction came after it$/);
  made.tip = tip;
  made.prompt("Not so");
  written(made, source);
  await copyJournal(source, target);
  expect(await doubts(source)).toMatch(/never touched again$/);
  expect(await doubts(target)).toMatch(/never touched again$/);
  await using journal = await openJournal(target, { readonly: true });
  // The copy only grows.
  expect((await journal.hostMarkers()).map(({ marker }) => marker)).toEqual(["compaction", "branch"]);
  expect((await journal.verify()).ok).toBe(true);
  made.compaction();
  made.prompt("Again");
  written(made, source);
  await copyJournal(source, target);
  expect(await doubts(target)).toMatch(/and a compaction came after it$/);
});

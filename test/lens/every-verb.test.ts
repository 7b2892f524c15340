/** Every verb that reads, on every session: what it says is held against the calls that the file confirms, added up by hand here. */
import { createHash } from "node:crypto";
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import jsonPatch, { type Operation } from "fast-json-patch";
import { expect, test } from "vitest";
import {
  type Change,
  copyJournal,
  type HostMarker,
  memoryStore,
  openJournal,
  planProgress,
  planSteps,
  type RecordedEvent,
} from "../../src/index.ts";
import { allOf } from "../../src/journal/readings.ts";
import { cli, json, temporaryFolder } from "../cli/cli.ts";
import { fixtures, foreignFixtures, linesOf, tellFixture } from "./lens-run.ts";

/** What people who read the files say of the end of each: so many turns, so many versions, and how far the plan has come. */
const ends: Readonly<Record<string, readonly [turns: number, versions: number, progress: string]>> = {
  "claude-code/1.0.108-todowrite-claude-md.jsonl": [1, 8, "4 of 4"],
  "claude-code/1.0.111-todowrite.jsonl": [1, 2, "2 of 6"],
  "claude-code/1.0.98-todowrite.jsonl": [1, 4, "1 of 1"],
  "claude-code/2.1.119-plan-file.jsonl": [2, 2, "0 of 0"],
  "claude-code/2.1.199-tasks-reminders.jsonl": [0, 6, "0 of 3"],
  "claude-code/2.1.239-every-line-type.jsonl": [2, 2, "0 of 9"],
  "claude-code/2.1.330-no-checklist.jsonl": [1, 2, "0 of 0"],
  "claude-code/2.1.330-plan-mode-refused-approved.jsonl": [1, 3, "0 of 0"],
  "claude-code/2.1.330-tasks-compaction-subagent.jsonl": [3, 21, "3 of 4"],
  "claude-code/2.1.330-tasks-compaction-subagent/subagents/agent-a5c03a8c4b4d7d83a.jsonl": [1, 1, "0 of 1"],
  "claude-code/2.1.330-todowrite-compaction-subagent.jsonl": [3, 10, "3 of 3"],
  "claude-code/2.1.330-todowrite-compaction-subagent/subagents/agent-a96920db47abe00b0.jsonl": [1, 1, "0 of 1"],
  "claude-code/2.1.39-tasks-compaction.jsonl": [1, 14, "4 of 5"],
  "codex/0.118-subagent-compacted.jsonl": [14, 3, "4 of 5"],
  "codex/0.126-plans.jsonl": [9, 2, "4 of 4"],
  "codex/0.149-every-line-type.jsonl": [3, 2, "0 of 0"],
  "codex/0.169.0-agents-subagent.jsonl": [1, 2, "1 of 1"],
  "codex/0.169.0-agents.jsonl": [1, 2, "1 of 2"],
  "codex/0.169.0-code-mode-compaction.jsonl": [3, 10, "3 of 3"],
  "codex/0.169.0-fork-subagent.jsonl": [2, 2, "1 of 1"],
  "codex/0.169.0-fork.jsonl": [1, 2, "1 of 2"],
  "codex/0.169.0-no-plan-goal.jsonl": [1, 2, "0 of 0"],
  "codex/0.169.0-update-plan-compaction.jsonl": [3, 10, "3 of 3"],
  "codex/0.66-no-plan.jsonl": [2, 0, "0 of 0"],
  "droid/todo-text.jsonl": [1, 2, "1 of 1"],
  "gemini-cli/0.40-shape.jsonl": [1, 0, "0 of 0"],
  "gemini-cli/0.61.0-plan-mode-approved/chats/session-2026-11-22T16-47-b1b65739.jsonl": [1, 1, "0 of 0"],
  "gemini-cli/0.61.0-todos-compressed/chats/5806d217-fc74-43f1-ab9b-a3e8d6cd3e7b/4c72c25b-935d-43a7-8ad9-320b3967e366.jsonl":
    [1, 1, "0 of 1"],
  "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-50-5806d217.jsonl": [3, 14, "3 of 3"],
  "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-51-5806d217.jsonl": [0, 0, "0 of 0"],
  "gemini-cli/0.61.0-tracker/chats/session-2026-11-22T16-37-0409a72e.jsonl": [2, 11, "2 of 4"],
  "gemini-cli/legacy-write-todos.json": [1, 1, "1 of 1"],
  "opencode/1.18.33-todowrite-compaction-subagent.json": [1, 1, "0 of 0"],
  "opencode/1.18.33-todowrite-compaction.json": [3, 11, "3 of 3"],
};

interface State {
  readonly plan: string;
  readonly notes: string;
  readonly sections: ReadonlyMap<string, string>;
}

/** The states from the first to the last, by the meaning of the few events that a lens tells. */
function added(events: readonly { readonly event: RecordedEvent["event"] }[]): State[] {
  const states: State[] = [{ plan: "", notes: "", sections: new Map() }];
  for (const { event } of events) {
    const before = states.at(-1) as State;
    const sections = new Map(before.sections);
    if (event.type === "section.written") sections.set(event.name, event.text);
    if (event.type === "section.cleared") sections.delete(event.name);
    const plan = event.type === "plan.set" ? event.text : before.plan;
    const more = event.type === "notes.appended" ? event.text : "";
    states.push({ plan, notes: [before.notes, more].filter((text) => text !== "").join("\n"), sections });
  }
  return states;
}

interface GivenState {
  readonly plan: string;
  readonly notes: string;
  readonly sections: Readonly<Record<string, { readonly text: string }>>;
}

function plain({ plan, notes, sections }: GivenState): State {
  return { plan, notes, sections: new Map(Object.entries(sections).map(([name, { text }]) => [name, text])) };
}

const essence = ({ version, turn, actor, at, event }: RecordedEvent) => ({ version, turn, actor, at, event });

/** Every line that stands in an event, with the version in which it first does. */
function firstLines(events: readonly { readonly event: RecordedEvent["event"] }[]): ReadonlyMap<string, number> {
  const firsts = new Map<string, number>();
  for (const [index, { event }] of events.entries()) {
    const { type: _, ...said } = event;
    JSON.stringify(said, (name, value) => {
      if (typeof value === "string" && name !== "at")
        for (const line of value.split("\n")) if (/\S/u.test(line) && !firsts.has(line)) firsts.set(line, index + 1);
      return value;
    });
  }
  return firsts;
}

const files = foreignFixtures.map((fixture) => [fixture, join(fixtures, fixture)] as const);

test.each(files)("%s: history, at, diff, blame, lost and changes agree with its calls", async (fixture, file) => {
  const told = tellFixture(fixture);
  const states = added(told.events);
  await using journal = await openJournal(file, { readonly: true });
  const history = await allOf(journal.history());
  expect(history.map(essence)).toEqual(
    told.events.map(({ turn, actor, at, event }, index) => ({ version: index + 1, turn, actor, at, event })),
  );
  expect(plain(journal.state)).toEqual(states.at(-1));
  expect(journal.turn).toBe(told.turns);
  const { done, total } = planProgress(journal.state.plan);
  expect([journal.turn, journal.version, `${done} of ${total}`]).toEqual(ends[fixture.replaceAll("\\", "/")]);

  let from = 0;
  let sum = JSON.parse(JSON.stringify((await journal.at(0)).state));
  for (let turn = 0; turn <= journal.turn; turn++) {
    const version = history.findLast((recorded) => recorded.turn <= turn)?.version ?? 0;
    const moment = await journal.at(`t${turn}`);
    expect([turn, moment.version, plain(moment.state)]).toEqual([turn, version, states[version]]);
    const diff = await journal.diff(from, version);
    expect(diff.events).toEqual(history.slice(from, version));
    sum = jsonPatch.applyPatch(sum, structuredClone(diff.patch) as Operation[]).newDocument;
    from = version;
  }
  expect(sum).toEqual(JSON.parse(JSON.stringify(journal.state)));

  const blamed = await journal.blame();
  for (const { version, turn, actor, at, text } of blamed) {
    const recorded = history[version - 1];
    expect(recorded).toMatchObject({ turn, actor, at });
    const { event } = recorded as RecordedEvent;
    expect("text" in event ? event.text?.split("\n") : []).toContain(text);
  }
  const linesAt = (wanted: string, name?: string) =>
    blamed.filter(({ space, key }) => space === wanted && key === name).map(({ text }) => text);
  expect(linesAt("plan").join("\n")).toBe(journal.state.plan);
  for (const [name, text] of states.at(-1)?.sections ?? []) expect(linesAt("sections", name).join("\n")).toBe(text);

  const losses = await journal.lost();
  const refused = history.flatMap(({ version, event }) => (event.type === "action.refused" ? [version] : []));
  expect(losses.filter(({ reason }) => reason === "refused").map(({ version }) => version)).toEqual(refused);
  const open = planSteps(journal.state.plan).filter(({ status }) => status !== "completed" && status !== "cancelled");
  expect(losses.filter(({ reason }) => reason === "unfinished").map(({ text }) => text)).toEqual(
    open.map(({ text }) => text),
  );

  const changes = journal.changes({ from: 0 });
  for (const [index, { version, event }] of history.entries()) {
    const { value: change } = await changes.next();
    expect(change).toMatchObject({ type: "event", version, event });
    expect(plain(change.state)).toEqual(states[index + 1]);
  }
  await changes.return?.(undefined);
});

test.each(files)("%s: show, log, grep, ls, lost, blame, doctor, verify and report agree", async (fixture, file) => {
  const told = tellFixture(fixture);
  const states = added(told.events);
  const { plan } = states.at(-1) as State;
  const { total, done, ...current } = planProgress(plan);
  const progress = total === 0 ? undefined : { done, total, ...current };
  const [shown] = await json("show", file);
  expect(shown).toMatchObject({ version: told.events.length, turn: told.turns });
  expect((shown as { progress?: unknown }).progress).toEqual(progress);
  const { stdout: page } = await cli(["show", file]);
  for (const line of plan.split("\n")) expect(page).toContain(line);
  if (progress !== undefined) expect(page).toContain(`plan  ${done} of ${total} done`);
  expect(page).not.toContain("/2000");

  const rows = (await json("log", file)) as (RecordedEvent & { progress?: unknown })[];
  expect(rows.map(essence)).toEqual(
    told.events.map(({ turn, actor, at, event }, index) => ({ version: index + 1, turn, actor, at, event })),
  );
  for (const [index, row] of rows.entries()) {
    const { plan: after = "" } = states[index + 1] ?? {};
    const isOther = after !== states[index]?.plan && planSteps(after).length > 0;
    expect([index, row.progress]).toEqual([index, isOther ? planProgress(after) : undefined]);
  }

  const hits = (await json("grep", "\\S", file)) as { text: string; version: number }[];
  expect(hits.map(({ text, version }) => [text, version])).toEqual([...firstLines(told.events)]);

  const [listed] = await json("ls", file);
  // Nobody said anything in what Gemini CLI leaves where it goes on in another file.
  if (told.turns > 0 || told.events.length > 0) {
    expect(listed).toMatchObject({ session: told.facts.session, turns: told.turns });
    expect((listed as { progress?: unknown }).progress).toEqual(progress);
  }

  await using journal = await openJournal(file, { readonly: true });
  expect(await json("lost", file)).toEqual(JSON.parse(JSON.stringify(await journal.lost())));
  if (told.events.length > 0)
    expect(await json("blame", file)).toEqual(JSON.parse(JSON.stringify(await journal.blame())));
  const [diagnosis] = await json("doctor", file);
  const { repetitions, session } = told.facts;
  const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
  expect(diagnosis).toMatchObject({ foreign: { repetitions, session, sha256 } });
  expect(await json("verify", file)).toMatchObject([{ ok: true, head: { version: told.events.length, hash: "" } }]);

  const { stdout: html } = await cli(["report", file, "-o", "-"]);
  const data = JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(html)?.[1] ?? "");
  expect(data).toMatchObject({ client: { sha256, session }, verification: { ok: true } });
  expect(data.marks.map(({ marker, detail }: HostMarker) => [marker, detail])).toEqual(
    told.markers.map(({ marker, detail }) => [marker, detail]),
  );
  const history = JSON.stringify(data.history);
  for (const { text } of states.flatMap((state) => planSteps(state.plan)))
    expect(history).toContain(JSON.stringify(text).slice(1, -1));

  const { stdout: handoff } = await cli(["render", file, "--face", "handoff"]);
  const [head = "", ...chapters] = handoff.split(/^## /m);
  const chapter = (name: string) => chapters.find((each) => each.startsWith(`${name}\n`)) ?? "";
  const chapterOf = { completed: "Done", cancelled: "Dropped", pending: "Open", in_progress: "Open", blocked: "Open" };
  for (const { text, status } of planSteps(plan)) expect(chapter(chapterOf[status])).toContain(text);
  const [finished, open] = ["Done", "Open"].map((name) => chapter(name).match(/^- \[/gm)?.length ?? 0);
  if (progress !== undefined) {
    expect(progress).toMatchObject({ done: finished, total: (finished ?? 0) + (open ?? 0) });
    expect(head).toContain(`. Plan: ${progress.done} of ${progress.total} done.`);
  }
});

const growing = files.filter(([fixture]) => fixture.endsWith(".jsonl"));

test.each(growing)(
  "%s: who follows it while it grows is told what a reader finds in the end",
  async (fixture, source) => {
    await using whole = await openJournal(source, { readonly: true });
    const lines = linesOf(fixture).map((line) => `${line}\n`);
    const file = join(temporaryFolder(), "session.jsonl");
    // So much that it shows whose it is.
    const begun = Math.min(lines.length, Math.max(20, Math.ceil(lines.length / 3)));
    writeFileSync(file, lines.slice(0, begun).join(""));
    await using journal = await openJournal(file, { readonly: true });
    const brief = ({ version, event }: Pick<RecordedEvent, "version" | "event">) => ({ version, event });
    let told = (await allOf(journal.history())).map(brief);
    let toldFrom = 0;
    journal.onChange((change: Change) => {
      if (change.type === "reset") [told, toldFrom] = [[], change.version];
      else told.push(brief(change));
    });
    const step = Math.ceil((lines.length - begun) / 12) || 1;
    for (let from = begun; from < lines.length; from += step) {
      const piece = lines.slice(from, from + step).join("");
      appendFileSync(file, piece.slice(0, -7));
      await journal.refresh();
      appendFileSync(file, piece.slice(-7));
      await journal.refresh();
    }
    const history = await allOf(journal.history());
    expect(history.map(essence)).toEqual((await allOf(whole.history())).map(essence));
    expect(told).toEqual(history.slice(toldFrom).map(brief));
    expect(journal.state).toEqual(whole.state);
    expect(journal.turn).toBe(whole.turn);
  },
);

test.each(files)(
  "%s: its copy and its fork go on from its state, and compare says how they are related",
  async (_, file) => {
    await using journal = await openJournal(file, { readonly: true });
    const target = memoryStore();
    const { leftOut } = await copyJournal(file, target);
    expect(leftOut).toBe(0);
    await using copy = await openJournal(target);
    await using child = await journal.fork(memoryStore());
    for (const { state } of [copy, child]) expect(state).toEqual(journal.state);
    const told = (await allOf(copy.history())).filter(
      ({ event }) => !["session.imported", "turn.began"].includes(event.type),
    );
    const plainly = ({ turn, actor, at, event }: RecordedEvent) => ({ turn, actor, at, event });
    expect(told.map(plainly)).toEqual((await allOf(journal.history())).map(plainly));
    expect(copy.turn).toBe(journal.turn);
    const [comparison] = await json("compare", file, file);
    expect(comparison).toMatchObject({ since: { a: 0, b: 0 }, diff: { patch: [], text: "" } });
  },
);

const writing: readonly (readonly string[])[] = [
  ["apply", "FILE", '{"action":"set_plan","content":"x"}'],
  ["restore", "FILE", "v0"],
  ["snapshot", "FILE"],
  ["merge", "FILE", "OTHER"],
  ["import", "tasks", "TASKS", "FILE"],
  ["doctor", "FILE", "--fix"],
  ["mcp", "FILE"],
  ["assemble", "FILE", "-o", "NEW"],
];

/** One of each client, in each form. */
const ofEach = [
  "claude-code/2.1.39-tasks-compaction.jsonl",
  "codex/0.169.0-update-plan-compaction.jsonl",
  "droid/todo-text.jsonl",
  "gemini-cli/0.40-shape.jsonl",
  "gemini-cli/legacy-write-todos.json",
  "opencode/1.18.33-todowrite-compaction.json",
].map((fixture) => [fixture, join(fixtures, fixture)] as const);

test.each(ofEach)(
  "%s: no verb writes into it or beside it, and what would names copy and fork",
  async (fixture, source) => {
    const folder = temporaryFolder();
    const own = (name: string) => join(folder, name);
    const bytes = readFileSync(source);
    const [file, other, tasks] = [
      own(fixture.endsWith(".json") ? "session.json" : "session.jsonl"),
      own("other.jsonl"),
      own("tasks.md"),
    ];
    writeFileSync(file, bytes);
    writeFileSync(tasks, "- [ ] a\n");
    writeFileSync(
      other,
      `${JSON.stringify({ type: "session", version: 3, id: "o", timestamp: "2026-03-09T13:00:00Z", cwd: "/" })}\n`,
    );
    const before = readdirSync(folder);
    const words: Readonly<Record<string, string>> = { FILE: file, OTHER: other, TASKS: tasks, NEW: own("new.md") };
    for (const verb of writing) {
      const { code, stdout, stderr } = await cli(verb.map((word) => words[word] ?? word));
      expect([verb[0], code, stdout]).toEqual([verb[0], 2, ""]);
      expect([verb[0], stderr]).toEqual([verb[0], expect.stringMatching(/read and never written.* copy or fork\n$/)]);
    }
    for (const verb of ["show", "log", "doctor", "ls"]) await cli([verb, file]);
    expect(readFileSync(file)).toEqual(bytes);
    expect(readdirSync(folder)).toEqual(before);
  },
);

test.each(ofEach)(
  "%s: a program that writes to it is told to copy or fork it, however it was opened",
  async (_, file) => {
    const refusal = { name: "ReadonlyError", code: "readonly", message: expect.stringMatching(/copy or fork$/) };
    await expect(openJournal(file)).rejects.toMatchObject(refusal);
    await using journal = await openJournal(file, { readonly: true });
    const writes = [
      () => journal.apply({ action: "set_plan", content: "x" }),
      () => journal.restore("v0"),
      () => journal.beginTurn(),
      () => journal.snapshot(),
    ];
    for (const write of writes) await expect(write()).rejects.toMatchObject(refusal);
  },
);

const others = [
  "claude-code/1.0.108-todowrite-claude-md.jsonl#agent-6340ddef",
  "opencode/1.18.33-todowrite-compaction.db#ses_dfbe2db8fffe36CYiq0RLoPNN7",
  "opencode/1.18.33-todowrite-compaction.db#ses_dfbe2ca4cffeCwZebQPW8ZdhtM",
];

test.each(others)("%s: an address of a session in a file is taken by every verb that reads", async (address) => {
  const where = join(fixtures, address);
  await using journal = await openJournal(where, { readonly: true });
  const history = await allOf(journal.history());
  expect(await json("show", where)).toMatchObject([
    { version: history.length, turn: journal.turn, state: journal.state },
  ]);
  expect(((await json("log", where)) as RecordedEvent[]).map(essence)).toEqual(history.map(essence));
  expect(((await json("grep", "\\S", where)) as { text: string }[]).map(({ text }) => text)).toEqual([
    ...firstLines(history).keys(),
  ]);
  for (const [verb = "", ...more] of [
    ["diff", "0..head"],
    ["lost"],
    ["doctor"],
    ["verify"],
    ["render", "--face", "handoff"],
    ["report", "-o", "-"],
  ]) {
    const { code, stdout, stderr } = await cli([verb, where, ...more]);
    expect([verb, code, stderr, stdout === ""]).toEqual([verb, 0, "", false]);
  }
});

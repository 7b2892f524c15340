/** A conversation of Codex that a person rewound on a terminal, or forked, goes on in another file. */
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { cli, json, temporaryFolder } from "../../cli/cli.ts";
import { packed, putZstdBack, setZstd } from "../../find/packed.ts";

afterEach(putZstdBack);

const thread = "01a20878-fcbc-76d3-9e75-f8803097c45c";
const segments = ["01a20879-4a34-7e01-821d-5222e1ab8163", "01a20879-5a34-7e01-821d-5222e1ab8164"];
const day = new Date(Number.parseInt(thread.replaceAll("-", "").slice(0, 12), 16)).toISOString().slice(0, 10);

/** Lines as the client writes them: each has its number, which goes on from one file to the next. */
class Rollout {
  readonly file: string;
  size = 0;
  #ordinal: number;

  readonly #thread: string;

  constructor(
    file: string,
    base?: { readonly rollout: Rollout; readonly size: number; readonly ordinal: number; readonly segment?: string },
    own = thread,
  ) {
    this.file = file;
    this.#thread = own;
    this.#ordinal = base === undefined ? 0 : base.ordinal;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, "");
    const from = base && {
      thread_id: base.segment ?? base.rollout.#thread,
      end_ordinal_exclusive: base.ordinal,
      end_byte_offset: base.size,
    };
    const before = base === undefined ? own : base.rollout.#thread;
    const origin = before === own ? {} : { forked_from_id: before };
    const meta = { id: own, ...origin, cwd: "/home/dev/project", cli_version: "0.169.0", history_mode: "paginated" };
    this.line("session_meta", from === undefined ? meta : { ...meta, history_base: from });
  }

  get end() {
    return { rollout: this, size: this.size, ordinal: this.#ordinal };
  }

  line(type: string, payload: object): void {
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, this.#ordinal)).toISOString();
    const text = `${JSON.stringify({ timestamp, ordinal: this.#ordinal++, type, payload })}\n`;
    appendFileSync(this.file, text);
    this.size += text.length;
  }

  turn(step: string): void {
    const call = `call-${this.#ordinal}`;
    this.line("event_msg", { type: "task_started", turn_id: `turn-${this.#ordinal}` });
    const item = { type: "UserMessage", id: call, content: [{ type: "text", text: step }] };
    this.line("event_msg", { type: "item_completed", item });
    const plan = JSON.stringify({ plan: [{ step, status: "pending" }] });
    this.line("response_item", { type: "function_call", name: "update_plan", arguments: plan, call_id: call });
    this.line("response_item", { type: "function_call_output", call_id: call, output: "Plan updated" });
  }
}

/** Rewound to behind "a", and then to behind "c": the files lie in the folders of their days. */
function rewound() {
  const folder = join(temporaryFolder(), "sessions");
  const own = join(folder, ...day.split("-"));
  const first = new Rollout(join(own, `rollout-${day}T12-54-36-${thread}.jsonl`));
  first.turn("a");
  const { end } = first;
  for (const step of ["b", "left behind", "as well"]) first.turn(step);
  const second = new Rollout(join(own, `rollout-${day}T12-54-56-${thread}_${segments[0]}.jsonl`), end);
  second.turn("c");
  const { end: again } = second;
  second.turn("d");
  const third = new Rollout(join(folder, `2027/01/02/rollout-2027-01-02T08-00-00-${thread}_${segments[1]}.jsonl`), end);
  third.turn("z");
  return { folder, own, first, second, third, again };
}

async function told(file: string): Promise<string[]> {
  await using journal = await openJournal(file, { readonly: true });
  const rows: string[] = [];
  for await (const item of journal.historyWithHost()) {
    if ("marker" in item) rows.push(item.marker);
    else if ("event" in item && item.event.type === "plan.set") rows.push(`t${item.turn} ${item.event.text}`);
  }
  return rows;
}

test("what stands before a rewind is read from the file that it goes on from, and what was left behind is not", async () => {
  const { second, third, own, again } = rewound();
  expect(await told(second.file)).toEqual(["t1 - [ ] a", "branch", "t2 - [ ] c", "t3 - [ ] d"]);
  // On another day, in another folder.
  expect(await told(third.file)).toEqual(["t1 - [ ] a", "branch", "t2 - [ ] z"]);
  const fourth = new Rollout(join(own, `rollout-${day}T13-00-00-${thread}_${segments[1]}.jsonl`), again);
  fourth.turn("e");
  expect(await told(fourth.file)).toEqual(["t1 - [ ] a", "branch", "t2 - [ ] c", "branch", "t3 - [ ] e"]);
});

test("who follows the file behind a rewind is told what is appended to it", async () => {
  const { second } = rewound();
  await using journal = await openJournal(second.file, { readonly: true });
  expect([journal.version, journal.turn]).toEqual([3, 3]);
  second.turn("e");
  await journal.refresh();
  expect([journal.version, journal.turn, journal.state.plan]).toEqual([4, 4, "- [ ] e"]);
  expect((await journal.verify()).ok).toBe(true);
});

test("what has the name of the file before a rewind, but is none, hides neither that file nor the one that goes on", async () => {
  const { first, second } = rewound();
  const other = `${first.file.slice(0, -".jsonl".length)}-elsewhere.jsonl`;
  symlinkSync(second.file, other);
  mkdirSync(`${first.file}.d`);
  expect(await told(second.file)).toEqual(["t1 - [ ] a", "branch", "t2 - [ ] c", "t3 - [ ] d"]);
  rmSync(first.file);
  symlinkSync(other, first.file);
  expect(await told(second.file)).toEqual(["t1 - [ ] c", "t2 - [ ] d"]);
});

test("the file before a rewind is also read where the client has compressed it since", async () => {
  setZstd(true);
  const { first, second } = rewound();
  const bytes = packed(readFileSync(first.file));
  rmSync(first.file);
  writeFileSync(`${first.file}.zst`, bytes);
  expect(await told(second.file)).toEqual(["t1 - [ ] a", "branch", "t2 - [ ] c", "t3 - [ ] d"]);
  writeFileSync(`${first.file}.zst`, bytes.subarray(0, -1));
  expect(await told(second.file)).toEqual(["t1 - [ ] c", "t2 - [ ] d"]);
});

test("where the file before a rewind is not there, or is another one, doctor says so", async () => {
  const { first, second } = rewound();
  // As long, and its lines end in the same places, but they have other numbers.
  const bytes = statSync(first.file).size;
  writeFileSync(first.file, `${"x".repeat(bytes - 1)}\n`);
  const missing = /goes on from line \d+ of the file of thread 01a20878-\S+, which was not found/;
  for (const _ of ["another one", "none"]) {
    expect(await told(second.file)).toEqual(["t1 - [ ] c", "t2 - [ ] d"]);
    expect((await cli(["doctor", second.file])).stdout).toMatch(missing);
    rmSync(first.file, { force: true });
  }
});

/** A fork of a conversation, which goes on itself, and a fork of the fork on another day. */
function forkedTwice() {
  const folder = join(temporaryFolder(), "sessions");
  const name = (day: string, id: string) => join(folder, ...day.split("-"), `rollout-${day}T12-54-36-${id}.jsonl`);
  const origin = new Rollout(name(day, thread));
  origin.turn("a");
  const spawned = { type: "CollabAgentToolCall", tool: "spawn_agent", receiver_thread_ids: ["agent-1"] };
  origin.line("event_msg", { type: "item_completed", item: { ...spawned, sender_thread_id: thread } });
  const [forkId = "", lastId = ""] = segments;
  const fork = new Rollout(name(day, forkId), origin.end, forkId);
  origin.turn("of the origin alone");
  fork.turn("b");
  const last = new Rollout(name("2027-01-02", lastId), fork.end, lastId);
  fork.turn("of the fork alone");
  last.turn("c");
  return { folder, origin, fork, last };
}

test("a fork begins with what its origin told up to there, once, and is a session of its own", async () => {
  const { origin, fork, last } = forkedTwice();
  expect(await told(origin.file)).toEqual(["t1 - [ ] a", "t2 - [ ] of the origin alone"]);
  expect(await told(fork.file)).toEqual(["t1 - [ ] a", "fork", "t2 - [ ] b", "t3 - [ ] of the fork alone"]);
  expect(await told(last.file)).toEqual(["t1 - [ ] a", "fork", "t2 - [ ] b", "fork", "t3 - [ ] c"]);
  await using journal = await openJournal(fork.file, { readonly: true });
  const { session, parentSession, agents, findings } = (await journal.foreign()) ?? {};
  expect({ session, parentSession, agents }).toEqual({ session: segments[0], parentSession: thread, agents: [] });
  expect(findings).toMatchObject([{ kind: "inherited", detail: expect.stringContaining(thread) }]);
});

test("a fork whose first line holds long instructions is read from its origin, too", async () => {
  const { fork } = forkedTwice();
  const [meta = "", ...lines] = readFileSync(fork.file, "utf8").split("\n");
  const instructed = meta.replace('"cwd"', `"base_instructions":{"text":"${"x".repeat(100_000)}"},"cwd"`);
  writeFileSync(fork.file, [instructed, ...lines].join("\n"));
  expect(await told(fork.file)).toEqual(["t1 - [ ] a", "fork", "t2 - [ ] b", "t3 - [ ] of the fork alone"]);
});

test("a fork of a conversation that was rewound says of which session it is, not of which file", async () => {
  const { own, second, again } = rewound();
  const forkId = "01a20879-6a34-7e01-821d-5222e1ab8165";
  const base = { ...again, segment: segments[0] ?? "" };
  const fork = new Rollout(join(own, `rollout-${day}T14-00-00-${forkId}.jsonl`), base, forkId);
  fork.turn("e");
  expect(await told(fork.file)).toEqual(["t1 - [ ] a", "branch", "t2 - [ ] c", "fork", "t3 - [ ] e"]);
  const detail = `what stands before this line was copied from session ${thread}`;
  expect((await cli(["doctor", fork.file])).stdout).toContain(detail);
  expect((await cli(["doctor", second.file])).stdout).not.toContain("inherited");
});

test("who follows a fork is told how it goes on, and its copy goes on, too", async () => {
  const { fork, folder } = forkedTwice();
  const copy = join(folder, "copy.jsonl");
  await cli(["copy", fork.file, copy]);
  await using journal = await openJournal(fork.file, { readonly: true });
  fork.turn("d");
  await journal.refresh();
  expect([journal.version, journal.turn, journal.state.plan]).toEqual([4, 4, "- [ ] d"]);
  expect((await cli(["copy", fork.file, copy])).code).toBe(0);
  expect((await cli(["log", copy])).stdout.match(/plan set/g)).toHaveLength(4);
});

test("the origin of a fork is found where the client put what was archived, and so are those of a fork there", async () => {
  const { folder, origin, fork, last } = forkedTwice();
  const archived = (file: string) => join(folder, "../archived_sessions", basename(file));
  const whole = [
    ["t1 - [ ] a", "fork", "t2 - [ ] b", "t3 - [ ] of the fork alone"],
    ["t1 - [ ] a", "fork", "t2 - [ ] b", "fork", "t3 - [ ] c"],
  ];
  mkdirSync(join(folder, "../archived_sessions"));
  renameSync(origin.file, archived(origin.file));
  expect([await told(fork.file), await told(last.file)]).toEqual(whole);
  renameSync(last.file, archived(last.file));
  renameSync(archived(origin.file), origin.file);
  expect([await told(fork.file), await told(archived(last.file))]).toEqual(whole);
});

test("ls lists a fork beside its origin, with what both told", async () => {
  const { folder, fork, origin } = forkedTwice();
  const listed = (await json("ls", folder)) as { session: string; turns: number; firstMessage: string }[];
  const of = (id: string) => listed.find(({ session }) => session === id);
  expect(of(segments[0] ?? "")).toMatchObject({ where: fork.file, turns: 3, firstMessage: "a" });
  expect(of(thread)).toMatchObject({ where: origin.file, turns: 2, firstMessage: "a" });
});

test("ls lists a conversation that was rewound once, as it goes on now", async () => {
  const { folder, first, second, third } = rewound();
  for (const [index, { file }] of [first, third, second].entries())
    utimesSync(file, 1_800_000_000 + index, 1_800_000_000 + index);
  const listed = (await json("ls", folder)) as { where: string; turns: number; firstMessage: string }[];
  expect(listed).toMatchObject([{ where: second.file, turns: 3, firstMessage: "a" }]);
});

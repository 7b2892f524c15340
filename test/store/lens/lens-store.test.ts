import fs from "node:fs";
import path from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Change, type Journal, NotASessionError, openJournal } from "../../../src/index.ts";
import { allOf } from "../../../src/journal/readings.ts";
import { cli, json, temporaryFolder } from "../../cli/cli.ts";
import { MadeClaude } from "../../lens/claude-made.ts";
import { fixtures, foreignFixtures, linesOf, lookOf, tellFixture } from "../../lens/lens-run.ts";
import { MadePi } from "../../lens/pi-made.ts";
import { isFull } from "../../reliability/results.ts";

function copyOf(fixture: string): string {
  const file = path.join(temporaryFolder(), "session.jsonl");
  fs.copyFileSync(path.join(fixtures, fixture), file);
  return file;
}

function printed(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

test.each(foreignFixtures)(
  "%s: history, at, diff, blame, lost and verify work, and nothing is written",
  async (fixture) => {
    const file = copyOf(fixture);
    const before = lookOf(path.dirname(file));
    await using journal = await openJournal(file, { readonly: true });
    const told = tellFixture(fixture);
    const history = await allOf(journal.history());
    expect(
      history.map(({ version, event, at, turn, actor, origin }) => ({ version, event, at, turn, actor, origin })),
    ).toEqual(
      told.events.map(({ event, at, turn, actor }, index) => ({
        version: index + 1,
        event,
        at,
        turn,
        actor,
        origin: "host",
      })),
    );
    expect([journal.version, journal.turn, await journal.sessionId()]).toEqual([
      told.events.length,
      told.turns,
      told.facts.session,
    ]);
    for (const version of [0, Math.floor(journal.version / 2), journal.version]) {
      expect((await journal.at(version)).version).toBe(version);
    }
    expect((await journal.at("head")).state).toEqual(journal.state);
    expect((await journal.diff(0)).to).toBe(journal.version);
    expect((await journal.blame("plan")).map(({ text }) => text).join("\n")).toBe(journal.state.plan);
    expect((await journal.lost()).filter(({ reason }) => reason === "refused").length).toBe(
      told.events.filter(({ event }) => event.type === "action.refused").length,
    );
    const verification = await journal.verify();
    expect(verification.ok).toBe(true);
    expect(verification.findings.some(({ detail }) => detail.includes("has no chain"))).toBe(true);
    expect(lookOf(path.dirname(file))).toEqual(before);
  },
);

/** The first and the largest of each client; `npm run test:full` has all of them. */
const someFixtures = [...new Set(foreignFixtures.map((fixture) => fixture.split(path.sep)[0]))].flatMap((client) => {
  const sizeOf = (fixture: string) => fs.statSync(path.join(fixtures, fixture)).size;
  const all = foreignFixtures.filter((fixture) => fixture.split(path.sep)[0] === client);
  const bySize = all.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  return [...new Set([...all.slice(0, 1), ...bySize.slice(0, 1)])];
});

test.each(isFull ? foreignFixtures : someFixtures)(
  "%s: every verb that reads works, as text and as JSON, and nothing is written",
  async (fixture) => {
    const file = copyOf(fixture);
    const before = lookOf(path.dirname(file));
    const verbs = [
      ["show"],
      ["log"],
      ["log", "-p"],
      ["diff"],
      ["blame"],
      ["lost"],
      ["doctor"],
      ["verify"],
      ["render"],
      ["compare", file],
      ["health"],
      ["replay"],
      ["render", "--face", "handoff"],
      ["grep", "-F", "] "],
      ["export", "--format", "atif"],
      ["export", "--format", "cloudevents"],
    ];
    const { version, noChecklist } = JSON.parse((await cli(["show", file, "--json"])).stdout);
    const ofNothing = /^session-journal: (no line in 1 session matches|the scratchpad is empty).*\n/;
    const ofEmptyLog = version === 0 ? `session-journal: ${noChecklist}\n` : "";
    for (const [verb = "", ...more] of verbs) {
      for (const format of [[], ["--json"]]) {
        const words = verb === "grep" ? [verb, ...more, file] : [verb, file, ...more];
        const { code, stderr: told } = await cli([...words, ...format]);
        const stderr = format.length === 0 ? told.replace(ofNothing, "") : told;
        expect([verb, code, stderr]).toEqual([verb, 0, verb === "log" && format.length === 0 ? ofEmptyLog : ""]);
      }
    }
    const page = await cli(["report", file, "-o", "-"]);
    expect(page.code).toBe(0);
    expect(page.stdout).toMatch(/SHA-256 [0-9a-f]{64}/);
    expect(lookOf(path.dirname(file))).toEqual(before);
  },
);

test("whatever would write says what to do instead, in a program and on the command line, and writes nothing", async () => {
  const file = copyOf("claude-code/1.0.98-todowrite.jsonl");
  const before = lookOf(path.dirname(file));
  await expect(openJournal(file)).rejects.toMatchObject({
    code: "readonly",
    message: expect.stringMatching(/Claude Code.*copy or fork/) as string,
  });
  for (const words of [["apply", '{"action":"set_plan","content":"x"}'], ["restore", "v1"], ["snapshot"], ["mcp"]]) {
    const [verb = "", ...more] = words;
    const { code, stderr } = await cli([verb, file, ...more]);
    expect([verb, code]).toEqual([verb, 2]);
    expect(stderr).toMatch(/^session-journal: .*Claude Code.*copy or fork[^\n]*\n$/);
  }
  await using journal = await openJournal(file, { readonly: true });
  await expect(journal.apply({ action: "set_plan", content: "x" })).rejects.toMatchObject({
    code: "readonly",
    message: expect.stringMatching(/copy or fork$/),
  });
  expect(lookOf(path.dirname(file))).toEqual(before);
});

test("a session that is forked gives another agent's session its state", async () => {
  const file = copyOf("claude-code/2.1.39-tasks-compaction.jsonl");
  const child = path.join(temporaryFolder(), "child.jsonl");
  expect((await cli(["fork", file, child])).code).toBe(0);
  await using parent = await openJournal(file, { readonly: true });
  await using journal = await openJournal(child, { readonly: true });
  expect(journal.state).toEqual(parent.state);
});

test("a file that grows is followed line by line, also when lines come in pieces", async () => {
  const file = path.join(temporaryFolder(), "session.jsonl");
  const lines = linesOf("claude-code/2.1.330-tasks-compaction-subagent.jsonl");
  fs.writeFileSync(file, `${lines.slice(0, 40).join("\n")}\n`);
  await using journal = await openJournal(file, { readonly: true });
  const seen: Change[] = [];
  const stop = new AbortController();
  const done = (async () => {
    for await (const change of journal.changes({ from: 0, signal: stop.signal })) {
      seen.push(change);
      if (change.version === 21) stop.abort();
    }
  })();
  const rest = `${lines.slice(40).join("\n")}\n`;
  const pieces = 30;
  for (let piece = 0; piece < pieces; piece++) {
    const at = (part: number): number => Math.floor((rest.length * part) / pieces);
    fs.appendFileSync(file, rest.slice(at(piece), at(piece + 1)));
    await journal.refresh();
  }
  await done;
  expect(seen.map(({ type, version }) => `${type} ${version}`)).toEqual(
    Array.from({ length: 21 }, (_, index) => `event ${index + 1}`),
  );
  expect(seen.at(-1)?.state.plan).toContain("- [x] #4 Add a regression test");
  expect(journal.turn).toBe(3);
});

test("a rewind while it is followed is a reset to the branch that the conversation is on", async () => {
  const session = new MadeClaude();
  session.prompt("go");
  session.task("1", "a");
  const kept = session.last;
  session.task("2", "wrong");
  const file = path.join(temporaryFolder(), "session.jsonl");
  fs.writeFileSync(file, printed(session.lines));
  await using journal = await openJournal(file, { readonly: true });
  const written = session.lines.length;
  session.tip = kept;
  session.prompt("another way");
  session.task("3", "c");
  const changes = journal.changes();
  const next = changes.next();
  await new Promise((resolve) => setTimeout(resolve, 50));
  fs.appendFileSync(file, printed(session.lines.slice(written)));
  const reset = (await next).value as Change;
  expect(reset).toMatchObject({ type: "reset", reason: "branch", version: 2 });
  expect(reset.state.plan).toBe("- [ ] #1 a\n- [ ] #3 c");
  session.task("4", "d");
  fs.appendFileSync(file, printed(session.lines.slice(-2)));
  expect((await changes.next()).value).toMatchObject({ type: "event", version: 3 });
  await changes.return?.(undefined);
});

test("a file that is written anew is told anew", async () => {
  const session = new MadeClaude();
  session.task("1", "a");
  const file = path.join(temporaryFolder(), "session.jsonl");
  fs.writeFileSync(file, printed(session.lines));
  await using journal = await openJournal(file, { readonly: true });
  const other = new MadeClaude();
  other.task("1", "b");
  other.task("2", "c");
  fs.writeFileSync(file, printed(other.lines));
  await journal.refresh();
  expect([journal.version, journal.state.plan]).toEqual([2, "- [ ] #1 b\n- [ ] #2 c"]);
});

/** All that `changes` gave, with "failed: …" where it ended so. */
function followed(journal: Pick<Journal, "changes">): string[] {
  const seen: string[] = [];
  const follow = async () => {
    for await (const change of journal.changes({ from: 0 }))
      seen.push(change.type === "event" ? change.event.type : `${change.type} ${change.reason}`);
  };
  void follow().catch((error: Error) => seen.push(`failed: ${error.message}`));
  return seen;
}

const overwritten = [
  ["claude-code/2.1.39-tasks-compaction.jsonl", "codex/0.126-plans.jsonl", "codex"],
  ["codex/0.126-plans.jsonl", "gemini-cli/legacy-write-todos.json", "gemini-cli"],
  ["gemini-cli/legacy-write-todos.json", "droid/todo-text.jsonl", "droid"],
  ["droid/todo-text.jsonl", "opencode/1.18.33-todowrite-compaction.json", "opencode"],
  ["opencode/1.18.33-todowrite-compaction.json", "claude-code/1.0.98-todowrite.jsonl", "claude-code"],
] as const;

test.each(overwritten)(
  "%s that is overwritten with %s while it is followed is read as what it is by then",
  async (first, second, client) => {
    const file = copyOf(first);
    await using journal = await openJournal(file, { readonly: true });
    const seen = followed(journal);
    await vi.waitFor(() => expect(seen).toHaveLength(journal.version), { timeout: 30_000 });
    const before = seen.length;
    const bytes = fs.readFileSync(path.join(fixtures, second));
    // Whoever writes it may be in the middle of the first line when it is looked at.
    fs.writeFileSync(file, bytes.subarray(0, 30));
    await journal.refresh();
    fs.writeFileSync(file, bytes);
    await journal.refresh();
    // Once for the beginning of a line, and once for what it became.
    await vi.waitFor(() => expect(seen.slice(before)).toEqual(["reset rewritten", "reset rewritten"]), {
      timeout: 30_000,
    });
    await using anew = await openJournal(file, { readonly: true });
    expect([journal.version, journal.state]).toEqual([anew.version, anew.state]);
    expect(await journal.foreign()).toEqual(await anew.foreign());
    expect(await journal.foreign()).toMatchObject({ client });
  },
);

test("another client's session that is asked about before it is read on is read as what it is, too", async () => {
  const file = copyOf("droid/todo-text.jsonl");
  await using journal = await openJournal(file, { readonly: true });
  fs.writeFileSync(file, "");
  await journal.refresh();
  fs.copyFileSync(path.join(fixtures, "codex/0.126-plans.jsonl"), file);
  expect(await journal.foreign()).toMatchObject({ client: "codex" });
  await journal.refresh();
  await using anew = await openJournal(file, { readonly: true });
  expect([journal.version, journal.state]).toEqual([anew.version, anew.state]);
});

test("who follows a session in whose place one of ours is written, or the file of another subagent's, is told to open it again", async () => {
  const ours = path.join(temporaryFolder(), "ours.jsonl");
  {
    await using own = await openJournal(ours);
    await own.plan.set("mine");
  }
  const inline = copyOf("claude-code/1.0.108-todowrite-claude-md.jsonl");
  for (const [where, file, by] of [
    [...Array(2).fill(copyOf("codex/0.126-plans.jsonl")), ours],
    [`${inline}#agent-83e2917c`, inline, path.join(fixtures, "codex/0.126-plans.jsonl")],
  ] as [string, string, string][]) {
    await using journal = await openJournal(where, { readonly: true });
    const seen = followed(journal);
    fs.writeFileSync(file, fs.readFileSync(by));
    await expect(journal.refresh()).rejects.toThrow(NotASessionError);
    await expect(journal.refresh()).rejects.toThrow(/and another one is there by now: open it again$/);
    await vi.waitFor(() => expect(seen.at(-1)).toMatch(/^failed: .*: open it again$/), { timeout: 30_000 });
  }
});

test("who follows the todos of pi is told to open the file again when we wrote into it", async () => {
  const pi = new MadePi();
  pi.said("go");
  pi.todo("add", [[1, "a", false]]);
  const file = path.join(temporaryFolder(), "session.jsonl");
  fs.writeFileSync(file, printed(pi.lines));
  await using journal = await openJournal(file, { readonly: true });
  const seen = followed(journal);
  await vi.waitFor(() => expect(seen).toEqual(["plan.set"]), { timeout: 30_000 });
  pi.todo("toggle", [[1, "a", true]]);
  fs.appendFileSync(file, printed(pi.lines.slice(-2)));
  await journal.refresh();
  expect(journal.state.plan).toBe("- [x] #1 a");
  {
    await using own = await openJournal(file);
    await own.plan.set("mine");
  }
  await expect(journal.refresh()).rejects.toThrow(/was a session of pi alone.*open it again$/);
  await vi.waitFor(() => expect(seen.slice(1)).toEqual(["plan.set", expect.stringMatching(/^failed: /)]), {
    timeout: 30_000,
  });
  await using anew = await openJournal(file, { readonly: true });
  expect(anew.state.plan).toBe("mine");
});

test("a line that has not ended is in flight, unless it is whole; a broken one is damage, and what follows is read", async () => {
  const session = new MadeClaude();
  session.task("1", "a");
  session.task("2", "b");
  const file = path.join(temporaryFolder(), "session.jsonl");
  const whole = printed(session.lines);
  fs.writeFileSync(file, whole.slice(0, -5));
  await using journal = await openJournal(file, { readonly: true });
  expect(journal.version).toBe(1);
  expect(await journal.verify()).toMatchObject({ ok: true, findings: [{ kind: "torn", line: 4 }, {}] });
  fs.writeFileSync(file, whole.slice(0, -1));
  await journal.refresh();
  expect(journal.version).toBe(2);
  fs.writeFileSync(file, `{"parentUuid":null,"uuid":"x\n${whole}`);
  const { ok, findings } = await journal.verify();
  expect([ok, findings[0]]).toMatchObject([false, { kind: "corrupt", severity: "damage", line: 1, offset: 0 }]);
  expect((await cli(["verify", file])).code).toBe(1);
  await journal.refresh();
  expect(journal.version).toBe(2);
});

test.each(["claude-code/1.0.98-todowrite.jsonl", "codex/0.126-plans.jsonl", "gemini-cli/legacy-write-todos.json"])(
  "%s behind a BOM, and with NUL around a line, is read whole",
  async (fixture) => {
    const file = copyOf(fixture);
    const read = async () => {
      await using journal = await openJournal(file, { readonly: true });
      const { client, session, cwd, firstMessage, turns } = (await journal.foreign()) ?? {};
      const { ok } = await journal.verify();
      return { client, session, cwd, firstMessage, turns, ok, version: journal.version, state: journal.state };
    };
    const whole = await read();
    const text = fs.readFileSync(file, "utf8");
    const isLines = fixture.endsWith(".jsonl");
    fs.writeFileSync(file, `\ufeff${isLines ? text.replaceAll("\n", "\0\0\n\0\0\0") : text}`);
    expect(await read()).toEqual(whole);
  },
);

test("a subagent is opened behind its parent's name, whether its lines stand in a file of their own or not", async () => {
  const folder = path.join(fixtures, "claude-code");
  const apart = path.join(folder, "2.1.330-tasks-compaction-subagent.jsonl#agent-a5c03a8c4b4d7d83a");
  expect((await json("log", apart)).map((event) => (event as { actor: string }).actor)).toEqual(["a5c03a8c4b4d7d83a"]);
  const inline = path.join(folder, "1.0.108-todowrite-claude-md.jsonl#agent-83e2917c");
  await using journal = await openJournal(inline, { readonly: true });
  expect([await journal.sessionId(), journal.turn, journal.version]).toEqual(["83e2917c", 1, 0]);
});

test.each([
  ["claude-code/1.0.108-todowrite-claude-md.jsonl#agent-83e2917d", "no subagent"],
  ["claude-code/2.1.330-tasks-compaction-subagent.jsonl#agent-a5c03a8c4b4d7d83b", "no subagent"],
  ["codex/0.126-plans.jsonl#agent-83e2917c", "does not exist"],
])("a subagent that there is none of is not shown as an empty session, nor as its parent: %s", async (place, fault) => {
  const opened = openJournal(path.join(fixtures, place), { readonly: true });
  await expect(opened).rejects.toMatchObject({ code: "not_a_session" });
  await expect(opened).rejects.toThrow(fault);
});

test("a session file of ours or of pi stays ours, whatever lines of other clients it holds", async () => {
  const file = path.join(temporaryFolder(), "session.jsonl");
  {
    await using own = await openJournal(file);
    await own.plan.set("mine");
  }
  fs.appendFileSync(file, `${linesOf("claude-code/1.0.98-todowrite.jsonl").join("\n")}\n`);
  await using journal = await openJournal(file, { readonly: true });
  expect([await journal.foreign(), journal.state.plan]).toEqual([undefined, "mine"]);
  await using pi = await openJournal(path.join(fixtures, "pi-0.87.1.jsonl"), { readonly: true });
  expect(await pi.foreign()).toBeUndefined();
});

test("a file of nobody's is refused as before", async () => {
  const file = path.join(temporaryFolder(), "session.jsonl");
  fs.writeFileSync(file, '{"type":"message"}\n{"type":"user"}\n');
  await expect(openJournal(file, { readonly: true })).rejects.toMatchObject({ code: "not_a_session" });
});

test("option files adds files whose edits are told", async () => {
  const session = new MadeClaude();
  const path_ = "/home/dev/project/docs/design.txt";
  session.result(session.call("Write", { file_path: path_, content: "x" }), {
    type: "create",
    filePath: path_,
    content: "x",
    originalFile: null,
  });
  const file = path.join(temporaryFolder(), "session.jsonl");
  fs.writeFileSync(file, printed(session.lines));
  await using plain = await openJournal(file, { readonly: true });
  await using more = await openJournal(file, { readonly: true, files: ["docs/*"] });
  expect([plain.version, more.version, Object.keys(more.state.sections)]).toEqual([0, 1, ["docs/design.txt"]]);
  await expect(openJournal(file, { readonly: true, files: "docs" as unknown as string[] })).rejects.toThrow(TypeError);
});

test("show says what is done, or why there is no checklist; doctor names the step that was left in progress", async () => {
  const at = (fixture: string): string => path.join(fixtures, "claude-code", fixture);
  const shown = (await cli(["show", at("2.1.39-tasks-compaction.jsonl")])).stdout;
  expect(shown).toContain("Claude Code 2.1.39 · v14 · turn 1");
  expect(shown).toContain("4 of 5 done");
  expect(shown).not.toContain("chars");
  expect((await cli(["show", at("2.1.330-no-checklist.jsonl")])).stdout).toContain(
    "no checklist in this session: Claude Code 2.1.330 offers none",
  );
  const doctor = (await cli(["doctor", at("2.1.39-tasks-compaction.jsonl")])).stdout;
  expect(doctor).toContain(
    'doubtful: "Run fmt, lint, and tests" is in progress since v14, turn 1, and was never touched again, and a compaction came after it',
  );
  expect(doctor).toContain("checked against Claude Code 1.0.98");
});

// Nothing smaller is too long.
if (isFull) {
  test("a line of more than 64 MB is passed over, and the session around it is read", async () => {
    const session = new MadeClaude();
    session.task("1", "a");
    const file = path.join(temporaryFolder(), "session.jsonl");
    const [call, result] = session.lines.map((line) => JSON.stringify(line));
    const content = Buffer.alloc(64 * 1024 * 1024, "x");
    const pieces = [`${call}\n{"type":"user","message":{"content":"`, content, `"}}\n${result}\n`];
    fs.writeFileSync(file, Buffer.concat(pieces.map((piece) => Buffer.from(piece))));
    await using journal = await openJournal(file, { readonly: true });
    expect(journal.version).toBe(1);
    const foreign = await journal.foreign();
    expect(foreign?.findings).toMatchObject([
      { kind: "foreign", line: 2, detail: expect.stringContaining("longer than 64 MB") },
    ]);
  });
}

test("a session of another user is read, though only its owner may leave the time of its reading alone", async () => {
  const { O_NOATIME = 0 } = fs.constants;
  const openSync = fs.openSync;
  const refusing = vi.spyOn(fs, "openSync").mockImplementation((file, flags, mode) => {
    if (typeof flags === "number" && (flags & O_NOATIME) !== 0)
      throw Object.assign(new Error("EPERM: operation not permitted, open"), { code: "EPERM" });
    return openSync(file, flags, mode);
  });
  onTestFinished(() => refusing.mockRestore());
  const file = path.join(fixtures, "claude-code/2.1.39-tasks-compaction.jsonl");
  const journal = await openJournal(file, { readonly: true });
  expect(journal.version).toBe(14);
  await journal.close();
});

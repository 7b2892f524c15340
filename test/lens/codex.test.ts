import { expect, test } from "vitest";
import { codex } from "../../src/lens/codex.ts";
import { summary, type Told, tell, tellFixture } from "./lens-run.ts";

/** A session of Codex, made line by line as its client does. */
class MadeCodex {
  readonly lines: object[] = [];

  line(type: string, payload: object): void {
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, this.lines.length)).toISOString();
    this.lines.push({ timestamp, type, payload });
  }

  meta(id = "s-1", more: object = {}): void {
    this.line("session_meta", { id, cwd: "/home/dev/project", cli_version: "0.126.0", ...more });
  }

  event(type: string, more: object = {}): void {
    this.line("event_msg", { type, ...more });
  }

  turn(id = `turn-${this.lines.length}`): void {
    this.event("task_started", { turn_id: id });
  }

  call(name: string, args: string, output: unknown, kind = "function_call"): void {
    const id = `call-${this.lines.length}`;
    const input = kind === "function_call" ? { arguments: args } : { input: args };
    this.line("response_item", { type: kind, name, ...input, call_id: id });
    if (output !== undefined) this.line("response_item", { type: `${kind}_output`, call_id: id, output });
  }

  plan(...steps: readonly (readonly [string, string])[]): void {
    this.call(
      "update_plan",
      JSON.stringify({ plan: steps.map(([step, status]) => ({ step, status })) }),
      "Plan updated",
    );
  }

  script(code: string, ...output: readonly string[]): void {
    this.call(
      "exec",
      code,
      output.map((text) => ({ type: "input_text", text })),
      "custom_tool_call",
    );
  }
}

function told(make: (session: MadeCodex) => void): Told {
  const session = new MadeCodex();
  session.meta();
  make(session);
  return tell(codex, session.lines);
}

const story = [
  "t1 codex plan.set - [ ] Reproduce the login bug | - [ ] Fix the comparison in login.js | - [ ] Rename the login module | - [ ] Add a regression test",
  "t1 codex plan.set - [>] Reproduce the login bug | - [ ] Fix the comparison in login.js | - [ ] Rename the login module | - [ ] Add a regression test",
  "t1 codex action.refused",
  "t1 codex plan.set - [x] Reproduce the login bug | - [ ] Fix the comparison in login.js | - [ ] Rename the login module | - [ ] Add a regression test",
  "t1 codex section.written PLAN.md # Plan |  | - [x] Reproduce the login bug | - [ ] Fix the comparison | ",
  "t1 codex action.refused",
  "t2 codex plan.set - [x] Reproduce the login bug | - [>] Fix the comparison in login.js | - [ ] Rename the login module | - [ ] Add a regression test",
  "t2 codex plan.set - [x] Reproduce the login bug | - [x] Fix the comparison in login.js | - [>] Add a regression test",
  "t2 codex section.written PLAN.md # Plan |  | - [x] Reproduce the login bug | - [x] Fix the comparison | - [ ] Add a regression test | ",
  "t3 codex plan.set - [x] Reproduce the login bug | - [x] Fix the comparison in login.js | - [x] Add a regression test",
];

test.each(["update-plan", "code-mode"])("the scripted story is told whole, by %s", (mode) => {
  const found = tellFixture(`codex/0.169.0-${mode}-compaction.jsonl`);
  expect(summary(found)).toEqual(story);
  expect(found.markers.map(({ marker }) => marker)).toEqual(["compaction"]);
  expect(found.findings.map(({ detail }) => detail)).toEqual([
    "AGENTS.md was changed, but what it held before is not in the file: its text is not known",
  ]);
  expect([found.turns, found.facts.unanswered]).toEqual([3, []]);
});

test("what a subagent's file has of its parent is inherited, with the times of its turns instead of the fork's", () => {
  const found = tellFixture("codex/0.118-subagent-compacted.jsonl");
  expect(found.events.map(({ turn, actor, at }) => [turn, actor, at])).toEqual([
    [1, "codex", "2026-04-11T14:53:51.442Z"],
    [7, "codex", "2026-04-11T20:14:03.179Z"],
    [9, "019d7e3d-0164-79d1-af76-e4ee6689b94f", "2026-04-11T20:31:34.859Z"],
  ]);
  expect(found.markers[0]).toMatchObject({
    marker: "fork",
    detail: "copied from session 019d7d08-46c9-7f73-affe-4e6ca9852d56",
  });
  expect(found.findings).toMatchObject([{ kind: "inherited", line: 2 }]);
  expect(found.turns).toBe(14);
});

test("a subagent without its parent's context is a session of its own, and says whose", () => {
  const found = tellFixture("codex/0.169.0-agents-subagent.jsonl");
  expect(found.facts).toMatchObject({ parentSession: "01a20423-3a36-7b52-9aec-1c1da08219f4" });
  expect(found.events.map(({ actor }) => actor)).toEqual(Array(2).fill("01a20423-3b2a-7763-b8b3-b8ba6703d890"));
  expect(found.markers).toEqual([]);
});

test("a session names the subagents that it began, and none of the session that it was copied from", () => {
  const subagent = "01a20423-3b2a-7763-b8b3-b8ba6703d890";
  expect(tellFixture("codex/0.169.0-agents.jsonl").facts.agents).toEqual([subagent]);
  expect(tellFixture("codex/0.169.0-agents-subagent.jsonl").facts.agents).toEqual([]);
  const found = told((session) => {
    session.turn();
    const call = { type: "CollabAgentToolCall", tool: "spawn_agent", receiver_thread_ids: ["not-its-own"] };
    session.event("item_completed", { item: { ...call, sender_thread_id: "another session" } });
  });
  expect(found.facts.agents).toEqual([]);
});

test("a goal is a document with one step, and a session without a checklist says what brings it back", () => {
  const found = tellFixture("codex/0.169.0-no-plan-goal.jsonl");
  expect(summary(found)).toEqual([
    "t1 codex section.written plan document - [>] Every wrong password is refused",
    "t1 codex section.written plan document - [x] Every wrong password is refused",
  ]);
  expect(found.facts.noChecklist).toBe(
    "no checklist in this session: Codex 0.169.0 by itself offers none to gpt-5.5 (enabled = true under [tools.update_plan] in config.toml brings it back)",
  );
  expect(tellFixture("codex/0.66-no-plan.jsonl").facts.noChecklist).toContain("did not use update_plan");
});

test("a goal that is held up is blocked, whatever holds it up", () => {
  const found = told((session) => {
    for (const status of ["active", "blocked", "active", "usage_limited", "active", "budget_limited", "complete"])
      session.event("thread_goal_updated", { goal: { objective: "g", status } });
  });
  const boxes = found.events.map(({ event }) => ("text" in event ? event.text?.slice(2, 5) : undefined));
  expect(boxes).toEqual(["[>]", "[!]", "[>]", "[!]", "[>]", "[!]", "[x]"]);
});

test("a goal that the client did not take is refused", () => {
  const found = told((session) => session.call("create_goal", '{"objective":"g"}', "there is a goal"));
  expect(found.events.map(({ event }) => event)).toMatchObject([
    { action: "sections.write", offered: { input: { objective: "g" }, message: "there is a goal" } },
  ]);
});

test("a plan document and a goal of the older form are told", () => {
  const found = told((session) => {
    session.turn();
    session.event("item_completed", { item: { type: "Plan", id: "plan-1", text: "1. a\n2. b" } });
    session.event("thread_goal_updated", { goal: { objective: "all\ngreen", status: "active" } });
  });
  expect(summary(found)).toEqual([
    "t1 codex section.written plan document 1. a | 2. b",
    "t1 codex section.written plan document - [>] all green",
  ]);
  expect(found.events[0]?.entryId).toBe("plan-1");
});

test("a plan call counts by its output: another one than Plan updated is a refusal, none leaves it unanswered", () => {
  const found = told((session) => {
    session.turn();
    session.call("update_plan", '{"plan":[{"step":"a","status":"pending"}]}', "failed to parse function arguments");
    session.call("update_plan", '{"plan":[{"step":"b","status":"pending"}]}', undefined);
    session.call("shell", "{}", "failed");
  });
  expect(found.events.map(({ event }) => event)).toMatchObject([
    {
      code: "rejected",
      offered: { tool: "update_plan", content: "- [ ] a", message: "failed to parse function arguments" },
    },
  ]);
  expect(found.facts.unanswered.map(({ tool, line }) => [tool, line])).toEqual([["update_plan", 5]]);
});

test("in code mode literals are read in every notation, and what is none is listed", () => {
  const found = told((session) => {
    session.turn();
    session.script(
      "await tools.update_plan({plan: [{step: 'it\\'s \\u0061', status: `pending`,}], // why\n});",
      "Script completed\n",
    );
    session.script("const plan = make(); await tools.update_plan({ plan });", "Script completed\n");
    const said = ["Script failed\nWall time 0.0 seconds\nOutput:\n", "Script error:\nboom: b\nat 1"];
    session.script("await tools.update_plan({ plan: [{ step: 'b', status: 'pending' }] })", ...said);
    session.script("await tools.update_plan({ plan: [{ step: 'c', status: 'pending' }] })", "Script failed\n");
  });
  expect(summary(found)).toEqual(["t1 codex plan.set - [ ] it's a", ...Array(2).fill("t1 codex action.refused")]);
  const offered = found.events.map(({ event }) => (event.type === "action.refused" ? event.offered : undefined));
  expect(offered.slice(1)).toMatchObject([{ message: "boom: b\nat 1" }, { message: "Script failed\n" }]);
  expect(found.findings.map(({ line, detail }) => [line, detail])).toEqual([
    [5, "a plan call could not be read: its list is no literal"],
  ]);
});

test("in code mode the plan of a script that runs on counts once the script has ended, and no sooner", () => {
  const script = (step: string): string =>
    `await tools.update_plan({ plan: [{ step: '${step}', status: 'pending' }] })`;
  const wait = (session: MadeCodex, cell: string, output: string | undefined): void => {
    session.turn();
    session.call("wait", JSON.stringify({ cell_id: cell, yield_time_ms: 1000 }), output);
  };
  const found = told((session) => {
    session.turn();
    session.script(script("a"), "Script running with cell ID 1\nWall time 0.1 seconds\nOutput:\n", "so far");
    wait(session, "9", "Script failed\n");
    wait(session, "1", "Script running with cell ID 1\n");
    wait(session, "1", "Script completed\nWall time 3.0 seconds\n");
    session.script(script("b"), "Script running with cell ID 2\n");
    wait(session, "2", "Script terminated\n");
    session.script(script("c"), "Script running with cell ID 3\n");
    wait(session, "3", undefined);
    session.script(script("d"), "Script running with cell ID 4\n");
  });
  expect(summary(found)).toEqual(["t4 codex plan.set - [ ] a", "t5 codex action.refused"]);
  expect(found.events.map(({ entryId }) => entryId)).toEqual(["call-2", "call-13"]);
  expect(found.facts.unanswered).toEqual([
    { tool: "exec", call: "call-18", line: 19 },
    { tool: "exec", call: "call-22", line: 23 },
  ]);
});

test("a long script that is waited for often is searched once, and not at each call that waits", () => {
  const startedMs = performance.now();
  const found = told((session) => {
    session.turn();
    const script = `await tools.update_plan({ plan: [{ step: 'a', status: 'pending' }] });${"// why\n".repeat(60_000)}`;
    session.script(script, "Script running with cell ID 1\n");
    for (let waited = 0; waited < 2000; waited++) {
      session.call("wait", JSON.stringify({ cell_id: "1" }), "Script running with cell ID 1\n");
    }
    session.call("wait", JSON.stringify({ cell_id: "1" }), "Script completed\n");
  });
  expect(summary(found)).toEqual(["t1 codex plan.set - [ ] a"]);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
});

test("in code mode a script that only speaks of the plan changes nothing, and a call by another name is listed", () => {
  const found = told((session) => {
    session.turn();
    const scripts = [
      "text(await tools.exec_command({ cmd: 'rg \"tools.update_plan({ plan: [] })\"' }));",
      "// await tools.update_plan({ plan: [] })\ntext('update_plan');",
      "const { update_plan } = tools; await update_plan({ plan: [{ step: 'a', status: 'pending' }] });",
      "await tools['update_plan']({ plan: [{ step: 'a', status: 'pending' }] });",
    ];
    for (const script of scripts) session.script(script, "Script completed\n");
  });
  expect(found.events).toEqual([]);
  expect(found.findings.map(({ line }) => line)).toEqual([7, 9]);
});

test("a plan that a person has carried out was approved, and one that the person speaks about was not", () => {
  const found = told((session) => {
    const said = (text: string) =>
      session.event("item_completed", { item: { type: "UserMessage", content: [{ type: "text", text }] } });
    const plan = (text: string) => session.event("item_completed", { item: { type: "Plan", id: text, text } });
    for (const [prompt, offered] of [
      ["Implement the plan.", "first"],
      ["No renaming.", "second"],
      ["Implement the plan.", undefined],
      ["Implement the plan.", undefined],
    ] as const) {
      session.turn();
      said(prompt);
      if (offered !== undefined) plan(offered);
    }
  });
  expect(summary(found)).toEqual([
    "t1 codex section.written plan document first",
    "t2 codex section.written plan document second",
  ]);
  expect(found.markers.map(({ marker, line }) => [marker, line])).toEqual([["plan approved", 9]]);
});

test("a call that was refused shows that the newest client offered a checklist", () => {
  const none = (make: (session: MadeCodex) => void) =>
    told((session) => {
      session.meta("s-1", { cli_version: "0.169.0" });
      make(session);
    }).facts.noChecklist;
  expect(none(() => undefined)).toContain("Codex 0.169.0 by itself offers none to this model (enabled = true");
  expect(none((session) => session.call("update_plan", "{", "failed to parse function arguments: EOF"))).toBe(
    "no checklist in this session: every call of update_plan was refused",
  );
});

test("a script that did not run to its end changes nothing, whatever it says instead", () => {
  const found = told((session) => {
    session.turn();
    for (const said of ["aborted by user after 3.1s", ""])
      session.script("await tools.update_plan({ plan: [{ step: 'a', status: 'pending' }] })", said);
  });
  expect(summary(found)).toEqual(Array(2).fill("t1 codex action.refused"));
});

test("work is work, though what it is about looks like a call of the plan", () => {
  for (const every of [false, true]) {
    const session = new MadeCodex();
    session.meta();
    session.turn();
    session.plan(["a", "in_progress"]);
    session.call("shell_command", JSON.stringify({ command: "rg 'tools.update_plan(' src" }), "src/a.ts:1");
    session.script("await tools.update_plan({ plan: [{ step: 'a', status: 'pending' }] })", "Script completed");
    session.plan(["a", "completed"]);
    expect(tell(codex, session.lines, { every }).events.map(({ calls }) => calls)).toEqual([0, 1, 1]);
  }
});

test("white space around the lines of a patch that name files hides none of them, and a line of a file names none", () => {
  const found = told((session) => {
    session.turn();
    const patch = (text: string): void => session.call("apply_patch", text, "Exit code: 0\n", "custom_tool_call");
    patch("*** Begin Patch\n\t*** Add File: PLAN.md \n+a\n  *** Add File: TODO.md\n+b\n  *** End Patch ");
    patch("*** Begin Patch\n*** Update File: PLAN.md  \n*** Move to: NOTES.md \n@@\n-a\n+c\n *** End Patch");
    patch("*** Begin Patch\n*** Update File: TODO.md\n@@\n b\n+ *** Add File: PLAN.md\n*** End Patch");
    patch("*** Begin Patch\n*** Update File: TODO.md\n@@\n b\n  *** Add File: PLAN.md\n+d\n  *** End Patch\n\n");
  });
  expect(summary(found)).toEqual([
    "t1 codex section.written PLAN.md a | ",
    "t1 codex section.written TODO.md b | ",
    "t1 codex section.cleared PLAN.md",
    "t1 codex section.written NOTES.md c | ",
    "t1 codex section.written TODO.md b |  *** Add File: PLAN.md | ",
    "t1 codex section.written TODO.md b |  *** Add File: PLAN.md | d | ",
  ]);
});

test("patches of clients that do not say what they changed are read from the patch", () => {
  const found = told((session) => {
    session.turn();
    const patch = (text: string, output: string): void => session.call("apply_patch", text, output, "custom_tool_call");
    patch("*** Begin Patch\n*** Add File: PLAN.md\n+a\n+b\n*** End Patch", "Exit code: 0\nOutput:\nSuccess");
    patch(
      "*** Begin Patch\n*** Update File: PLAN.md\n@@\n-b\n+c\n*** End Patch",
      '{"output":"Success","metadata":{"exit_code":0}}',
    );
    patch("*** Begin Patch\n*** Update File: PLAN.md\n@@\n-x\n+y\n*** End Patch", "Exit code: 1\nOutput:\nno");
    patch(
      "*** Begin Patch\n*** Update File: PLAN.md\n*** Move to: TODO.md\n@@\n-c\n+d\n*** End Patch",
      "Exit code: 0\n",
    );
    patch(
      "*** Begin Patch\n*** Delete File: TODO.md\n*** Update File: src/a.ts\n@@\n-c\n+d\n*** End Patch",
      "Exit code: 0\n",
    );
  });
  expect(summary(found)).toEqual([
    "t1 codex section.written PLAN.md a | b | ",
    "t1 codex section.written PLAN.md a | c | ",
    "t1 codex action.refused",
    "t1 codex section.cleared PLAN.md",
    "t1 codex section.written TODO.md a | d | ",
    "t1 codex section.cleared TODO.md",
  ]);
});

/** What becomes of a text whose patch has these lines. */
function patchedBy(text: string, ...lines: readonly string[]): string | undefined {
  const found = told((session) => {
    session.turn();
    const patch = (body: readonly string[]): void =>
      session.call(
        "apply_patch",
        ["*** Begin Patch", ...body, "*** End Patch", ""].join("\n"),
        "Exit code: 0\n",
        "custom_tool_call",
      );
    patch(["*** Add File: PLAN.md", ...text.split("\n").map((line) => `+${line}`)]);
    patch(["*** Update File: PLAN.md", ...lines]);
  });
  expect(found.events.length + found.findings.length).toBe(2);
  const { event } = found.events[1] ?? {};
  return event?.type === "section.written" ? event.text : undefined;
}

test.each<[string, string, string[], string | undefined]>([
  ["an empty line is one of the text", "a\n\nb\nc", ["@@", " a", "", "-b", "+B", " c"], "a\n\nB\nc\n"],
  ["what is only added stands at the end", "a\nb\nc", ["@@", "+d"], "a\nb\nc\nd\n"],
  ["a hunk stands behind the line that it names", "x\n- a\ny\n- a", ["@@ y", "-- a", "+- b"], "x\n- a\ny\n- b\n"],
  ["of two places the first one is meant", "- a\n- a", ["@@", "-- a", "+- b"], "- b\n- a\n"],
  ["each hunk stands behind the one before", "a\nb\na\nb", ["@@", "-b", "+1", "@@", "-b", "+2"], "a\n1\na\n2\n"],
  ["the end is looked for at the end", "a\nb\na", ["@@", "-a", "+z", "*** End of File"], "a\nb\nz\n"],
  ["white space at the end of a line is none", "a  \nb", ["@@", " a", "-b", "+c"], "a\nc\n"],
  ["the last line feed is no line", "a\nb", ["@@", "-b", "+c", ""], "a\nc\n"],
  ["a line that is not there fits nowhere", "a\nb", ["@@ q", "-b", "+c"], undefined],
  ["nor does one that stands only before", "b\na", ["@@ a", "-b", "+c"], undefined],
])("a patch is read as its client does: %s", (_, text, lines, result) => {
  expect(patchedBy(text, ...lines)).toBe(result);
});

test("a patch of a text that repeats itself over and over is given up", () => {
  const [text, lines] = ["a\n".repeat(40_000), Array<string>(20_000).fill(" a")];
  expect(patchedBy(text, "@@", ...lines, "-b", "+c")).toBeUndefined();
});

test("what a client says that a patch changed counts once, and so does what it could not do; hunks that do not fit are noted, not guessed", () => {
  const failing = "*** Begin Patch\n*** Update File: PLAN.md\n@@\n-q\n+r\n*** End Patch";
  const found = told((session) => {
    session.turn();
    const changes = (more: object): void =>
      session.event("patch_apply_end", { call_id: "p", success: true, changes: more });
    changes({ "/home/dev/project/PLAN.md": { type: "add", content: "a\nb\nc\n" } });
    changes({
      "/home/dev/project/PLAN.md": { type: "update", unified_diff: "@@ -2 +2,2 @@\n b\n+B\n", move_path: null },
    });
    changes({
      "/home/dev/project/PLAN.md": { type: "update", unified_diff: "@@ -1 +1 @@\n-z\n+y\n", move_path: null },
    });
    session.event("patch_apply_end", {
      call_id: "q",
      success: false,
      changes: { "/home/dev/project/PLAN.md": { type: "delete" } },
    });
    // What the client says of it stands before the output, and counts instead of it.
    const call_id = `call-${session.lines.length}`;
    session.call("apply_patch", failing, undefined, "custom_tool_call");
    session.event("patch_apply_end", { call_id, success: false, stderr: "no such line", changes: {} });
    session.line("response_item", { type: "custom_tool_call_output", call_id, output: "failed" });
  });
  expect(summary(found)).toEqual([
    "t1 codex section.written PLAN.md a | b | c | ",
    "t1 codex section.written PLAN.md a | b | B | c | ",
    "t1 codex action.refused",
  ]);
  expect(found.events[2]?.event).toMatchObject({
    offered: { name: "PLAN.md", content: failing, message: "no such line" },
  });
  expect(found.findings.map(({ line }) => line)).toEqual([5]);
});

test("a file that was moved in turns that were rolled back is as they left it, under its new name", () => {
  const found = told((session) => {
    const change = (name: string, more: object): void => {
      const changes = { [`/home/dev/project/${name}`]: { move_path: null, ...more } };
      session.event("patch_apply_end", { call_id: "p", success: true, changes });
    };
    const hunk = (from: string, to: string) => ({ type: "update", unified_diff: `@@ -1 +1 @@\n-${from}\n+${to}\n` });
    session.turn();
    change("PLAN.md", { type: "add", content: "a\n" });
    session.turn();
    change("PLAN.md", { ...hunk("a", "b"), move_path: "/home/dev/project/TODO.md" });
    session.event("thread_rolled_back", { num_turns: 1 });
    session.turn();
    change("TODO.md", hunk("b", "c"));
  });
  expect(summary(found).slice(1)).toEqual(["t3 codex section.written TODO.md c | "]);
  expect(found.findings).toEqual([]);
});

test("a rollback leaves its turns behind, but they count", () => {
  const found = told((session) => {
    session.turn();
    session.plan(["a", "pending"]);
    session.turn();
    session.plan(["b", "pending"]);
    session.turn();
    session.plan(["c", "pending"]);
    session.event("thread_rolled_back", { num_turns: 2 });
    session.turn();
    session.plan(["a", "pending"], ["d", "pending"]);
  });
  expect(summary(found)).toEqual(["t1 codex plan.set - [ ] a", "t4 codex plan.set - [ ] a | - [ ] d"]);
  expect(found.markers.map(({ marker, detail }) => `${marker}: ${detail}`)).toEqual(["branch: rolled back 2 turns"]);
  expect([found.turns, found.readings]).toEqual([4, 2]);
});

test("a turn that only compacted the context is rolled back with the one before it, and is not counted", () => {
  const turn = (session: MadeCodex, step: string) => {
    session.turn();
    session.event("user_message", { message: "go" });
    session.plan([step, "pending"]);
  };
  const compaction = (session: MadeCodex) => {
    session.turn();
    session.line("compacted", { replacement_history: [] });
  };
  const found = told((session) => {
    turn(session, "a");
    compaction(session);
    turn(session, "b");
    compaction(session);
    session.event("thread_rolled_back", { num_turns: 1 });
    turn(session, "c");
  });
  expect(summary(found)).toEqual(["t1 codex plan.set - [ ] a", "t5 codex plan.set - [ ] c"]);
  expect(found.markers.map(({ marker, detail }) => [marker, detail])).toEqual([
    ["compaction", ""],
    ["branch", "rolled back 2 turns"],
  ]);
  const asked = told((session) => {
    turn(session, "a");
    session.turn();
    session.line("compacted", { replacement_history: [] });
    session.event("item_completed", { item: { type: "UserMessage", content: [{ type: "text", text: "go" }] } });
    session.plan(["b", "pending"]);
    session.event("thread_rolled_back", { num_turns: 1 });
    session.turn();
  });
  expect(summary(asked)).toEqual(["t1 codex plan.set - [ ] a"]);
});

test("a compaction in a turn that was rolled back is left behind", () => {
  const found = told((session) => {
    session.turn();
    session.plan(["a", "in_progress"]);
    session.turn();
    session.line("compacted", { replacement_history: [] });
    session.event("thread_rolled_back", { num_turns: 1 });
    session.turn();
    session.line("compacted", { replacement_history: [] });
  });
  expect(found.markers.map(({ marker }) => marker)).toEqual(["branch", "compaction"]);
});

test.each(["the client says what a patch changed", "only the patch says it"])(
  "a file stays as a turn left it that was rolled back, and nobody else changed it: %s",
  (how) => {
    const change = (session: MadeCodex, file: string, lines: readonly string[], isNew = false): void => {
      session.turn();
      if (how.startsWith("only")) {
        const text = ["*** Begin Patch", `*** ${isNew ? "Add" : "Update"} File: ${file}`, ...lines, "*** End Patch"];
        session.call("apply_patch", text.join("\n"), "Exit code: 0\n", "custom_tool_call");
        return;
      }
      const content = lines.map((line) => `${line.slice(1)}\n`).join("");
      const update = { type: "update", unified_diff: `@@ -1,2 +1,2 @@\n${lines.join("\n")}\n` };
      const changes = { [file]: isNew ? { type: "add", content } : update };
      session.event("patch_apply_end", { call_id: "p", success: true, changes });
    };
    const found = told((session) => {
      change(session, "PLAN.md", ["+a"], true);
      change(session, "NOTES.md", ["+n"], true);
      change(session, "PLAN.md", [" a", "+b"]);
      change(session, "NOTES.md", ["-n", "+o"]);
      change(session, "TODO.md", ["+t"], true);
      session.event("thread_rolled_back", { num_turns: 3 });
      change(session, "PLAN.md", [" a", "-b", "+c"]);
      change(session, "PLAN.md", [" a", "-c", "+d"]);
      change(session, "NOTES.md", ["-n", "+p"]);
      change(session, "TODO.md", ["-t", "+u"]);
    });
    expect(summary(found)).toEqual([
      "t1 codex section.written PLAN.md a | ",
      "t2 codex section.written NOTES.md n | ",
      "t6 codex section.written PLAN.md a | c | ",
      "t7 codex section.written PLAN.md a | d | ",
      // A person had taken it back.
      "t8 codex section.written NOTES.md p | ",
      "t9 codex section.written TODO.md u | ",
    ]);
    expect(found.findings).toEqual([]);
  },
);

test("a plan file that is moved to another name is cleared, and what it is there is not told", () => {
  const found = told((session) => {
    session.turn();
    const patch = (...lines: readonly string[]): void => {
      const text = `*** Begin Patch\n${lines.join("\n")}\n*** End Patch`;
      session.call("apply_patch", text, "Exit code: 0\n", "custom_tool_call");
    };
    patch("*** Add File: PLAN.md", "+a");
    patch("*** Update File: PLAN.md", "*** Move to: old/plan.txt", "-a", "+b");
  });
  expect(summary(found)).toEqual(["t1 codex section.written PLAN.md a | ", "t1 codex section.cleared PLAN.md"]);
});

test("the same session_meta again, as the desktop client writes it, begins nothing that was inherited", () => {
  const found = told((session) => {
    session.turn();
    session.meta();
    session.plan(["a", "pending"]);
  });
  expect(found.markers).toEqual([]);
  expect(found.events[0]).toMatchObject({ actor: "codex", at: "2026-01-01T00:00:04.000Z" });
});

test("turns begin at messages only where the client does not say when they begin", () => {
  const old = told((session) => {
    session.event("user_message", { message: "one" });
    session.event("user_message", { message: "two" });
  });
  expect([old.turns, old.facts.firstMessage]).toEqual([2, "one"]);
  const both = told((session) => {
    session.turn();
    session.event("user_message", { message: "one" });
    session.event("user_message", { message: "two" });
  });
  expect(both.turns).toBe(1);
});

test("the oldest form, bare items behind a header without a type, is read", () => {
  const found = tell(codex, [
    { id: "old-1", timestamp: "2025-05-01T00:00:00.000Z", instructions: null },
    { type: "message", role: "user", content: [{ type: "input_text", text: "<environment_context>" }] },
    { type: "message", role: "user", content: [{ type: "input_text", text: "go" }] },
    {
      type: "function_call",
      name: "update_plan",
      arguments: '{"plan":[{"step":"a","status":"completed"}]}',
      call_id: "c1",
    },
    { type: "function_call_output", call_id: "c1", output: "Plan updated" },
  ]);
  expect(summary(found)).toEqual(["t1 codex plan.set - [x] a"]);
  expect(found.facts).toMatchObject({ session: "old-1", unknownTypes: {} });
});

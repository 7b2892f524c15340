/** Most lines of Codex's are passed by a look at their bytes. What is told must be what parsing every line tells. */

import { expect, test, vi } from "vitest";
import { codex } from "../../src/lens/codex.ts";
import { foreignFixtures, linesOf, tell, tellPieces } from "./lens-run.ts";
import { expectNoneDeceives, type Line, type Oddities, object, otherwisePrinted, story } from "./passing.ts";

const found = foreignFixtures.filter((fixture) => fixture.startsWith("codex"));

test.each(found)("%s: in pieces, line by line and parsed as a whole, the same is told", (fixture) => {
  const lines = linesOf(fixture);
  const parsed = story(tell(codex, lines, { every: true }));
  expect(story(tell(codex, lines))).toEqual(parsed);
  for (const pieceLength of [1777, 64 * 1024, 1024 * 1024]) {
    expect(story(tellPieces(codex, lines, pieceLength))).toEqual(parsed);
  }
  for (const pieceLength of [20_001, 1024 * 1024]) {
    expect(story(tellPieces(codex, lines, pieceLength, { isInRoom: true }))).toEqual(parsed);
  }
});

const call = { type: "custom_tool_call", call_id: "c-odd", name: "apply_patch" };
const at = "2026-11-22T16:42:21.448Z";

function item(payload: Line): string {
  return JSON.stringify({ timestamp: at, type: "response_item", payload });
}

function context(model: unknown, more: Line = {}): string {
  const ids = { turn_id: "01a20423-2343-7ac3-80fa-594a7e364a1c" };
  return event("turn_context", { ...ids, cwd: "/home/dev", model, ...more });
}

function spoken(message: unknown, more: Line = {}): string {
  return event("event_msg", { type: "user_message", message, images: [], ...more });
}

function event(type: string, payload: object): string {
  return JSON.stringify({ timestamp: at, type, payload });
}

function said(changes: Line): string {
  const payload = {
    type: "patch_apply_end",
    call_id: "c-odd",
    stdout: "",
    success: true,
    changes,
    status: "completed",
  };
  return event("event_msg", payload);
}

function turn(more: string): string {
  const payload = { type: "task_started", turn_id: "01a20423-2343-7ac3-80fa-594a7e364a1c" };
  return event("event_msg", payload).replace(/\}\}$/, `,${more}}}`);
}

function compacted(payload: Line): string {
  return event("compacted", payload);
}

/** What may happen to a line that stays JSON, and that a look at its bytes must not be deceived by. */
const oddities: Oddities = {
  ...otherwisePrinted,
  "keys of the payload in another order": (line) => {
    const payload = Object.fromEntries(Object.entries(object(JSON.stringify(object(line)["payload"] ?? {}))).reverse());
    return JSON.stringify({ ...object(line), payload });
  },
  "a carriage return": (line) => `${line}\r`,
  "a number of the line": (line) => line.replace(',"type"', ',"ordinal":123456,"type"'),
  "a key with an escape": (line) => line.replace('"payload":', '"p\\u0061yload":'),
  "a type with an escape": (line) => line.replace('"type":"', '"type":"\\u0065').replace("\\u0065e", "\\u0065"),
  "a time of another length": (line) => line.replace(/("timestamp":"[^"]*)\.\d{3}Z"/, '$1Z"'),
  "a field in the time's place": (line) => line.replace(/^\{"timestamp":/, '{"more":{"type":"event_msg"},"timestamp":'),
  "a text that looks like another head": (line) =>
    line.replace(
      /"(?:message|text|input|output|arguments)":"/,
      `$&\\",\\"type\\":\\"event_msg\\",\\"payload\\":{\\"type\\":\\"token_count\\"}}`,
    ),
  "a type that nobody knows": (line) => line.replace('"type":"event_msg"', '"type":"novelty"'),
  "a payload that nobody knows": (line) => line.replace('"type":"token_count"', '"type":"novelty"'),
  "another model": () => context("gpt-other"),
  "the model once more": () => context("gpt-odd"),
  "a patch of a plan": () => item({ ...call, input: "*** Begin Patch\n*** Add File: PLAN.md\n+a\n*** End Patch" }),
  "a patch of a plan with an escape": () =>
    item({ ...call, input: "*** Begin Patch\n*** Add File: PLAN.md\n+a" }).replace("PLAN", "PL\\u0041N"),
  "a patch that moves to a plan": () =>
    item({ ...call, input: "*** Begin Patch\n*** Update File: a.ts\n*** Move to: PLAN.md\n@@\n-a\n+b" }),
  "a patch of a plan with a space behind its name": () =>
    item({ ...call, input: "*** Begin Patch\n*** Add File: PLAN.md \n+a\n*** End Patch" }),
  "a patch of code": () => item({ ...call, input: '*** Begin Patch\n*** Add File: a "b".ts\n+File: PLAN\n' }),
  "a patch about plan calls": () => item({ ...call, input: "*** Add File: a.ts\n+tools.update_plan({})" }),
  "another tool": (line) => line.replace(/"name":"[^"]*"/, '"name":"nobody_knows"'),
  "a call of the plan's tool": (line) => line.replace(/"name":"exec_command"/, '"name":"update_plan"'),
  "a name with an escape": (line) =>
    line.replace(/"name":"(.)/, (_, first) => `"name":"\\u00${first.charCodeAt(0).toString(16)}`),
  "a name in the arguments": (line) => line.replace('"arguments":"', '"more":{"name":"update_plan"},"arguments":"'),
  "a number that is too long": (line) => line.replace(',"type"', ',"ordinal":1234567890123456,"type"'),
  "a patch that was applied": () => said({ "/home/dev/a.ts": { type: "add", content: 'a\n"b" \u0001' } }),
  "a patch of a plan that was applied": () =>
    said({ "a.ts": { type: "delete" }, "PLAN.md": { type: "add", content: "a" } }),
  "a patch that moved a file to a plan": () =>
    said({ "a.ts": { type: "update", unified_diff: "@@ -1 +1 @@\n-a\n+b\n", move_path: "docs/PLAN.md" } }),
  "a patch of a plan whose name has an escape": () =>
    said({ "PLAN.md": { type: "add", content: "a" } }).replace('"PLAN', '"PL\\u0041N'),
  "a patch that moved a file to a plan whose name has an escape": () =>
    said({ "a.ts": { type: "update", move_path: "PLAN.md" } }).replace('"PLAN', '"PL\\u0041N'),
  "changes that are told twice": () =>
    said({ "a.ts": { type: "delete" } }).replace(
      '"status"',
      '"changes":{"PLAN.md":{"type":"add","content":"a"}},"status"',
    ),
  "changes that are no objects": () => said({ "a.ts": "deleted" }),
  "no changes": () => said({}),
  "a compaction with another payload behind the first": () =>
    `${compacted({}).slice(0, -1)},"payload":{"type":"task_started","turn_id":"odd"}}`,
  "a compaction with another type behind the first": () => `${compacted({}).slice(0, -1)},"type":"event_msg"}`,
  "a patch with another type behind the first": () =>
    said({ "a.ts": { type: "delete" } }).replace(/\}\}$/, ',"type":"thread_rolled_back","num_turns":1}}'),
  "a context without a model": () => context(undefined, { collaboration_mode: { settings: { model: "gpt-odd" } } }),
  "a context whose model is none": () => context(null),
  "a context whose model has an escape": () => context("gpt-odd").replace("gpt-odd", "gpt-\\u006fdd"),
  "a context with two models": () => context("gpt-odd", { summary: "auto" }).replace('"summary"', '"model"'),
  "a context whose model stands under a key with an escape": () =>
    context("gpt-5.5", { summary: "gpt-odd" }).replace('"summary"', '"mod\\u0065l"'),
  "a context beside an object that names a model": () =>
    context("gpt-odd").replace(/\}$/, ',"more":{"model":"gpt-5.5"}}'),
  "a context with more members than are told": () =>
    context("gpt-odd", Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`m${index}`, index]))),
  "a context without a folder": () => context("gpt-odd", { cwd: null }),
  "a message": () => spoken('Do "this"\n\tand that\u2028 😀'),
  "a message in white space": () => spoken(` \n${" \t".repeat(300)}a  b${" ".repeat(500)}c`),
  "a message that is none": () => spoken(["Do this"]),
  "a message that is said twice": () => spoken("Do this", { more: "Do that" }).replace('"more"', '"message"'),
  "a message under a key with an escape": () =>
    spoken("Do this", { more: "Do that" }).replace('"more"', '"mess\\u0061ge"'),
  "a message of another type behind it": () => spoken("Do this", { type: "token_count" }),
  "a message beside an object that holds one": () => spoken("Do this").replace(/\}$/, ',"more":{"message":"Do that"}}'),
  "a message with half a character": () => spoken("Do this").replace("this", "\\ud83d this"),
  "a message at no time": () => spoken("Do this").replace("2026-11-22", "2026-13-22"),
  "an approval of a plan": () => spoken("Implement the plan."),
  "a plan": () => event("event_msg", { type: "item_completed", item: { type: "Plan", id: "p", text: "1. a" } }),
  "a beginning of a turn that says first who began it": () =>
    turn('"more":1').replace('"turn_id"', '"turn_attribution":{"turn_id":"odd"},"turn_id"'),
  "a beginning of a turn": () => turn('"started_at":1777506651,"more":null,"what":"default"'),
  "a beginning of a turn with an escape": () => turn('"what":"\\u0041"'),
  "a beginning of a turn that names two": () => turn('"turn_id":"01a20423-2343-7ac3-80fa-594a7e364a1d"'),
  "a beginning of a turn that holds more": () => turn('"more":{"a":[1]}'),
  "a compaction": () =>
    compacted({ message: "", replacement_history: [{ type: "message", content: [{ text: 'a "b"' }] }] }),
  "a compaction on the last of a month": () => compacted({}).replace("2026-11-22", "2026-10-31"),
  "an answer whose call has an escape": () =>
    item({ type: "custom_tool_call_output", call_id: "c-odd", output: "Success" }).replace("c-odd", "c-\\u006fdd"),
  "an answer to a call with a long id": () =>
    item({ type: "custom_tool_call_output", call_id: "c".repeat(90), output: "Success" }),
  "a patch whose file ends the line": () => item({ ...call, input: "*** Begin Patch\n*** Delete File: PLAN.md" }),
  "a patch with a file that is cut short": () => item({ ...call, input: "*** Begin Patch\n*** Delete File: a.ts\t" }),
  "a patch with File: and nothing": () => item({ ...call, input: "*** Begin Patch\n*** Delete File: " }),
  "an answer": () => item({ type: "custom_tool_call_output", call_id: "c-odd", output: "Success" }),
};

const sources = [
  ...["codex/0.126-plans.jsonl", "codex/0.169.0-update-plan-compaction.jsonl"],
  "codex/0.118-subagent-compacted.jsonl",
].map((fixture) => linesOf(fixture).slice(0, 200));

test("no line deceives the look at its bytes, whatever stands in it and in which order", () => {
  expectNoneDeceives(codex, sources, oddities);
});

test.each(Object.keys(oddities))("%s at each line of a session changes nothing that is told", (name) => {
  const lines = (sources[1] ?? []).slice(0, 60);
  const harmed = lines.flatMap((line) => [line, oddities[name]?.(line, []) ?? ""]);
  expect(story(tellPieces(codex, harmed, 64 * 1024))).toEqual(story(tell(codex, harmed, { every: true })));
});

test("an answer is not passed if the key of its call is printed as no client prints it", () => {
  const printed = ['"c\\u0061ll_id":', '"call_id" :'];
  for (const key of printed) {
    const lines = (sources[1] ?? []).map((line) => line.replace('"call_id":', key));
    const told = tellPieces(codex, lines, 64 * 1024);
    expect(story(told)).toEqual(story(tell(codex, lines, { every: true })));
    expect(told.events.length).toBeGreaterThan(0);
  }
});

const broken: Readonly<Record<string, string>> = {
  "a string that does not end": compacted({ message: "a" }).slice(0, -3),
  "a brace too few": compacted({ message: "a" }).slice(0, -1),
  "a brace too many": `${compacted({ message: "a" })}}`,
  "an escape that is none": compacted({ message: "a" }).replace('"a"', '"\\q"'),
  "a number that is none": compacted({ message: 1 }).replace(":1", ":01"),
  "half a word": compacted({ message: null }).replace("null", "nul"),
  "a comma too many": compacted({ message: [1] }).replace("[1]", "[1,]"),
  "a control character": compacted({ message: "a" }).replace('"a"', '"\u0001"'),
  "a patch with a key without a value": said({ "a.ts": { type: "delete" } }).replace(':{"type":"delete"}', ""),
  "a context that does not end": context("gpt-odd").slice(0, -1),
  "a context with a word that is none": context("gpt-odd").replace('"cwd"', '"more":nil,"cwd"'),
  "a message that does not end": spoken("Do this").slice(0, -6),
  "a message with an escape that is none": spoken("Do this").replace("this", "\\this").replace("\\t", "\\q"),
  "a message with a comma too many": spoken("Do this").replace("[]", "[1,]"),
  "a beginning of a turn that does not end": turn('"more":1').slice(0, -1),
  "a beginning of a turn with a number that is none": turn('"more":01'),
  "a beginning of a turn with a word that is none": turn('"more":nil'),
};

test.each(Object.keys(broken))("%s makes a line damage that would have been settled", (name) => {
  const lines = (sources[1] ?? []).slice(0, 60).flatMap((line) => [line, broken[name] ?? ""]);
  const { events, markers, turns, findings } = tell(codex, lines, { every: true });
  expect(tellPieces(codex, lines, 64 * 1024)).toMatchObject({ events, markers, turns, findings });
  expect(findings.length).toBeGreaterThan(50);
});

test("turns that go on with the same model and what people say are not parsed", () => {
  const lines = (sources[0] ?? []).flatMap((line) => [line, turn('"more":1'), context("gpt-5.5"), spoken("Do this.")]);
  const expected = tell(codex, lines, { every: true });
  const parses = vi.spyOn(JSON, "parse");
  const told = tellPieces(codex, lines, 1024 * 1024, { isInRoom: true });
  const parsed = parses.mock.calls.length;
  parses.mockRestore();
  expect(story(told)).toEqual(story(expected));
  expect(told.turns).toBeGreaterThan(200);
  expect(parsed).toBeLessThan(100);
});

test("compactions are not parsed, however long they are, whether they stand in a piece or straddle two", () => {
  const history = Array.from({ length: 300 }, (_, index) => ({
    type: "message",
    content: `${index} "said" `.repeat(200),
  }));
  const lines = (sources[0] ?? []).flatMap((line, index) =>
    index % 40 === 39 ? [line, compacted({ message: "", replacement_history: history })] : [line],
  );
  const expected = tell(codex, lines, { every: true });
  const parses = vi.spyOn(JSON, "parse");
  const told = tellPieces(codex, lines, 1024 * 1024, { isInRoom: true });
  const longest = parses.mock.calls.reduce((most, [text]) => Math.max(most, text.length), 0);
  parses.mockRestore();
  expect(story(told)).toEqual(story(expected));
  expect(told.markers.filter(({ marker }) => marker === "compaction").length).toBe(5);
  expect(longest).toBeLessThan(100_000);
});

/** Most lines of Gemini CLI's are passed by a look at their bytes. What is told must be what parsing every line tells. */

import { expect, test, vi } from "vitest";
import { gemini } from "../../src/lens/gemini.ts";
import { foreignFixtures, linesOf, tell, tellPieces } from "./lens-run.ts";
import { expectNoneDeceives, type Line, type Oddities, object, otherwisePrinted, story } from "./passing.ts";

const found = foreignFixtures.filter((fixture) => fixture.startsWith("gemini-cli") && fixture.endsWith(".jsonl"));

test.each(found)("%s: in pieces, line by line and parsed as a whole, the same is told", (fixture) => {
  const lines = linesOf(fixture);
  const parsed = story(tell(gemini, lines, { every: true }));
  expect(story(tell(gemini, lines))).toEqual(parsed);
  for (const pieceLength of [20_001, 64 * 1024, 1024 * 1024, 2 * 1024 * 1024]) {
    expect(story(tellPieces(gemini, lines, pieceLength))).toEqual(parsed);
    expect(story(tellPieces(gemini, lines, pieceLength, { isInRoom: true }))).toEqual(parsed);
  }
});

const id = "99999999-9999-4999-8999-999999999999";
const head = { id, timestamp: "2026-11-22T16:50:59.008Z" };

function calling(name: string, args: Line, more: Line = {}): string {
  const call = { id: "odd", name, args, status: "success", timestamp: head.timestamp, ...more };
  return JSON.stringify({ ...head, type: "gemini", content: "", model: "gemini-2.5-pro", toolCalls: [call] });
}

const snapshot = "<state_snapshot>odd";

function summary(of: string): Line {
  return { id: of, timestamp: head.timestamp, type: "user", content: [{ text: snapshot }] };
}

function setting(messages: readonly Line[], more: Line = {}): string {
  return JSON.stringify({ $set: { messages, ...more } });
}

/** What may happen to a line that stays JSON, and that a look at its bytes must not be deceived by. */
const oddities: Oddities = {
  ...otherwisePrinted,
  "a carriage return": (line) => `${line}\r`,
  "a key with an escape": (line) => line.replace('"type":', '"t\\u0079pe":'),
  "calls under a key with an escape": (line) => line.replace('"toolCalls":', '"tool\\u0043alls":'),
  "an id with an escape": (line) =>
    line.replace(/"id":"(.)/, (_, first) => `"id":"\\u00${first.charCodeAt(0).toString(16)}`),
  "a long id": (line) => line.replace(/"id":"([^"]*)"/, `"id":"${"long-".repeat(20)}$1"`),
  "a time of another length": (line) => line.replace(/("timestamp":"[^"]*)\.\d{3}Z"/, '$1Z"'),
  "a time that is none": (line) => line.replace(/"timestamp":"\d{4}-\d\d/, '"timestamp":"2026-99'),
  "no time": (line) => line.replace(/"timestamp":"[^"]*",/, ""),
  "another model": (line) => line.replace(/"model":"[^"]*"/, '"model":"gemini-3-flash"'),
  "a model that is no text": (line) => line.replace(/"model":"[^"]*"/, '"model":null'),
  "a model within a call": (line) => line.replace('"args":{', '"args":{"model":"gemini-other",'),
  "a model within a call alone": (line) =>
    line.replace(/"model":"[^"]*",/, "").replace('"args":{', '"args":{"model":"gemini-other",'),
  "another tool": (line) => line.replace(/"name":"run_shell_command"/g, '"name":"nobody_knows"'),
  "a tool of the plan": (line) => line.replace(/"name":"run_shell_command"/g, '"name":"write_todos"'),
  "a name with an escape": (line) =>
    line.replace(/"name":"(.)/, (_, one) => `"name":"\\u00${one.charCodeAt(0).toString(16)}`),
  "a second call": (line) =>
    line.replace(
      /"toolCalls":\[/,
      '"toolCalls":[{"id":"odd-2","name":"save_memory","args":{"fact":"odd"},"status":"success"},',
    ),
  "no calls": (line) => line.replace(/"toolCalls":\[.*\]/, '"toolCalls":[]'),
  "a text that looks like a call": (line) =>
    line.replace('"content":"', '"content":"\\"toolCalls\\":[{\\"name\\":\\"write_todos\\"}]'),
  "words beside an answer": (line) =>
    line.replace('"content":[{"functionResponse"', '"content":[{"text":"And now?"},{"functionResponse"'),
  "words behind an answer": (line) =>
    line.includes('"content":[{"functionResponse"') ? line.replace(/\]\}$/, ',{"text":"And now?"}]}') : line,
  "more names than are learned": () =>
    calling("nobody_knows", { items: Array.from({ length: 100 }, (_, index) => ({ name: `item-${index}` })) }),
  "names of its own": (_, before) =>
    calling("nobody_knows", { items: [1, 2, 3].map((index) => ({ name: `${index}-${before.length}` })) }),
  "a person's words": () => JSON.stringify({ ...head, type: "user", content: [{ text: "Go on" }] }),
  "a file of the plan": () => calling("write_file", { file_path: "/home/dev/PLAN.md", content: "odd" }),
  "a file of the plan that only the client shows": () =>
    calling(
      "write_file",
      { file_path: "odd.md", content: "odd" },
      { resultDisplay: { filePath: "/home/dev/.gemini/tmp/x/s/plans/odd.md", newContent: "odd", isNewFile: true } },
    ),
  "a call without a time": (line) => line.replace(/"timestamp":"[^"]*",?/g, ""),
  "a file of the code": () => calling("write_file", { file_path: "/home/dev/a.ts", content: "odd" }),
  "a subagent": () => calling("invoke_agent", {}, { resultDisplay: { recentActivity: [{ id: "agent-odd#1" }] } }),
  "a history that is set": () => JSON.stringify({ $set: { messages: [{ ...head, content: "<state_snapshot>odd" }] } }),
  "a history that is set without a summary": (_, before) =>
    JSON.stringify({ $set: { messages: before.slice(0, 5).map(object), lastUpdated: head.timestamp } }),
  "a history that is set in white space": () =>
    JSON.stringify({ $set: { messages: [{ ...head, content: "<state_snapshot>odd" }] } }).replace(":", ": "),
  "a summary that is set twice": () =>
    JSON.stringify({ $set: { messages: [1, 2].map(() => ({ ...head, content: "<state_snapshot>odd" })) } }),
  "a summary that is set again": () => setting([summary(id)]),
  "a summary that is set again before a new one": (_, before) =>
    setting([summary(id), summary(`summary-${before.length}`)]),
  "a summary with the id of another one in it": (_, before) =>
    setting([{ ...summary(`summary-${before.length}`), content: [{ data: { ...head } }, { text: snapshot }] }]),
  "a summary within a call": (_, before) =>
    setting([{ ...summary(`summary-${before.length}`), content: [{ functionCall: { args: summary(id) } }] }]),
  "a summary with a folder": () => setting([summary(id)], { directories: ["/home/odd"] }),
  "a folder that is set": () => JSON.stringify({ $set: { directories: ["/home/odd"] } }),
  "a session that is set": () => JSON.stringify({ $set: { sessionId: "odd" } }),
  "a kind that is set": () => JSON.stringify({ $set: { lastUpdated: head.timestamp, kind: "subagent" } }),
  "a kind that is set behind a history": (_, before) =>
    setting(before.length % 2 === 0 ? [summary(id)] : [head], { kind: "subagent", sessionId: "odd" }),
  "something else that is set": () =>
    JSON.stringify({ $set: { memoryScratchpad: "odd", lastUpdated: head.timestamp } }),
  "a rewind": (_, before) => JSON.stringify({ $rewindTo: object(before[Math.floor(before.length / 2)])["id"] ?? id }),
  "a type that nobody knows": (line) => line.replace('"type":"gemini"', '"type":"novelty"'),
};

const sources = found.map((fixture) => linesOf(fixture)).filter((lines) => lines.length > 20);

test("no line deceives the look at its bytes, whatever stands in it and in which order", () => {
  expectNoneDeceives(gemini, sources, oddities);
});

test.each(Object.keys(oddities))("%s at each line of a session changes nothing that is told", (name) => {
  for (const lines of sources) {
    const harmed = lines.map((line, index) => oddities[name]?.(line, lines.slice(0, index)) ?? "");
    const expected = story(tell(gemini, harmed, { every: true }));
    expect(story(tellPieces(gemini, harmed, 64 * 1024, { isInRoom: true }))).toEqual(expected);
    const between = lines.flatMap((line, index) => [line, harmed[index] ?? ""]);
    expect(story(tellPieces(gemini, between, 64 * 1024))).toEqual(story(tell(gemini, between, { every: true })));
  }
});

test("what is set is not parsed if it names no folder and holds no summary", () => {
  const lines = linesOf(found.find((fixture) => fixture.includes("compressed")) ?? "");
  const history = Array.from({ length: 50 }, (_, index) => ({ ...head, id: `${index}`, content: `said "${index}"` }));
  const set = JSON.stringify({ $set: { messages: history, lastUpdated: head.timestamp } });
  const long = lines.flatMap((line, index) => (index > 20 ? [line, set] : [line]));
  const expected = tell(gemini, long, { every: true });
  const parses = vi.spyOn(JSON, "parse");
  const told = tellPieces(gemini, long, 1024 * 1024, { isInRoom: true });
  const parsed = parses.mock.calls.filter(([text]) => text === set).length;
  parses.mockRestore();
  expect(story(told)).toEqual(story(expected));
  expect(parsed).toBe(0);
});

test("a summary that is set again is not parsed again, and a new one behind it is told", () => {
  const lines = linesOf(found.find((fixture) => fixture.includes("compressed")) ?? "");
  const again = setting([summary(id), { ...head, id: "later", content: [{ text: "Go on" }] }]);
  const other = setting([summary(id), summary("other")]);
  const long = [...lines, again, again, again, again, other, again];
  const parses = vi.spyOn(JSON, "parse");
  const told = tellPieces(gemini, long, 1024 * 1024, { isInRoom: true });
  const parsed = parses.mock.calls.filter(([text]) => text === again).length;
  parses.mockRestore();
  expect(story(told)).toEqual(story(tell(gemini, long, { every: true })));
  expect(parsed).toBe(1);
  expect(told.markers.filter(({ entryId }) => entryId === "other" || entryId === id)).toHaveLength(2);
});

test("the time of a change in a file that nobody follows is the time of what comes behind it without one", () => {
  const at = (second: number) => `2026-11-22T16:00:0${second}.000Z`;
  const call = (name: string, args: Line) => ({ id: "odd", name, args, status: "success" });
  const written = (second: number) => ({
    ...{ id: `g${second}`, timestamp: at(second), type: "gemini", content: "x".repeat(9000), model: "gemini-2.5-pro" },
    toolCalls: [call("write_file", { file_path: "/p/a.ts", content: "x" })],
  });
  const begin = [
    { sessionId: "s", projectHash: "h", startTime: at(0), lastUpdated: at(0), kind: "main" },
    { id: "u1", timestamp: at(1), type: "user", content: [{ text: "hello" }] },
  ];
  const todos = call("write_todos", { todos: [{ description: "a", status: "pending" }] });
  const tellBoth = (last: Line) => {
    const lines = [...begin, ...[2, 3, 4, 5].map(written), last];
    const told = tellPieces(gemini, lines, 1024 * 1024, { isInRoom: true });
    expect(story(told)).toEqual(story(tell(gemini, lines, { every: true })));
    return told;
  };
  const { events } = tellBoth({ id: "g9", type: "gemini", content: "", toolCalls: [todos] });
  const { markers } = tellBoth({ $rewindTo: "g5" });
  expect([events[0]?.at, markers.at(-1)?.at]).toEqual([at(5), at(5)]);
});

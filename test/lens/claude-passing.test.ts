/** Most lines of Claude Code's are passed by a look at their bytes. What is told must be what parsing every line tells. */

import { expect, test } from "vitest";
import { claudeCode } from "../../src/lens/claude-code.ts";
import { foreignFixtures, linesOf, tell, tellPieces } from "./lens-run.ts";
import { expectNoneDeceives, type Oddities, object, otherwisePrinted, story } from "./passing.ts";

const found = foreignFixtures.filter((fixture) => fixture.startsWith("claude-code"));

test.each(found)("%s: in pieces, line by line and parsed as a whole, the same is told", (fixture) => {
  const lines = linesOf(fixture);
  const parsed = story(tell(claudeCode, lines, { every: true }));
  expect(story(tell(claudeCode, lines))).toEqual(parsed);
  for (const pieceLength of [1777, 64 * 1024, 1024 * 1024, 2 * 1024 * 1024]) {
    expect(story(tellPieces(claudeCode, lines, pieceLength))).toEqual(parsed);
  }
  for (const pieceLength of [20_001, 1024 * 1024]) {
    expect(story(tellPieces(claudeCode, lines, pieceLength, { isInRoom: true }))).toEqual(parsed);
  }
});

/** What may happen to a line that stays JSON, and that a look at its bytes must not be deceived by. */
const oddities: Oddities = {
  ...otherwisePrinted,
  "a carriage return": (line) => `${line}\r`,
  "ids of others inside": (line) => {
    const inner = { uuid: other, parentUuid: other, type: "assistant", list: [{ uuid: other }], deep: [{}] };
    return JSON.stringify({ ...object(line), toolUseResult: { ...inner, inner }, data: inner });
  },
  "an id behind the time": (line) => line.replace(/\}$/, `,"more":{"uuid":"${other}"}}`),
  // JSON takes the last; no client writes such a line.
  "the same key twice": (line) => line.replace(/\}$/, `,"uuid":"${other}"}`),
  // Behind a result, and in a long line, nobody looks for a key that is printed as no client prints it.
  "the same key twice, with an escape": (line) =>
    /tool_use_id|"attachment"/.test(line) || line.length > 8000
      ? line
      : line.replace(/\}$/, `,"u\\u0075id":"${other}"}`),
  "a name of a tool with an escape": (line) =>
    line.replace('"name":"', '"name":"\\u0054').replace("\\u0054T", "\\u0054"),
  "another tool": (line) => line.replace(/"name":"[^"]*"/, '"name":"NobodyKnows"'),
  "a call of a plan's tool": (line) => line.replace(/"name":"(?:Read|Bash|Grep)"/, '"name":"TaskUpdate"'),
  "an edit of a plan": (line) =>
    line.replace(/"name":"(?:Read|Bash|Grep)","input":\{/, '"name":"Edit","input":{"file_path":"/home/dev/PLAN.md",'),
  "a key with an escape": (line) => line.replace('"uuid":', '"u\\u0075id":'),
  "an id with an escape": (line) =>
    line.replace(/"uuid":"(.)/, (_, first) => `"uuid":"\\u00${first.charCodeAt(0).toString(16)}`),
  "an id of another length": (line) => line.replace(/("parentUuid":"[^"]*)"/, '$1-and-more"'),
  "a text that looks like the end": (line) =>
    line.replace('"content":"', `"content":"\\"}]},\\"uuid\\":\\"${other}\\",`),
  "a quote in the head": (line) => line.replace(/"cwd":"[^"]*"/, `"cwd":"a\\",\\"type\\":\\"progress\\",`.concat('"')),
  "the line of a subagent": (line) => line.replace('"isSidechain":false', '"isSidechain":true'),
  "another parent": (line, before) =>
    line.replace(
      /"parentUuid":"[^"]*"/,
      `"parentUuid":"${object(before[Math.floor(before.length / 2)])["uuid"] ?? other}"`,
    ),
  "a parent that is nowhere": (line) => line.replace(/"parentUuid":"[^"]*"/, `"parentUuid":"${other}"`),
  "the line before once more": (_, before) => before.at(-1) ?? "",
  "another model": (line) => line.replace(/"model":"[^"]*"/, '"model":"claude-other"'),
  "two calls": (line) =>
    line.replace(
      /"content":\[(\{"type":"tool_use".*?\})\]\}/,
      '"content":[$1,{"type":"tool_use","id":"t","name":"Bash","input":{}}]}',
    ),
  "a type that nobody knows": (line) => line.replace(/"type":"(progress|file-history-snapshot)"/, '"type":"novelty"'),
};

const other = "99999999-9999-4999-8999-999999999999";

const sources = [
  "claude-code/2.1.39-tasks-compaction.jsonl",
  "claude-code/2.1.330-tasks-compaction-subagent.jsonl",
].map((fixture) => linesOf(fixture).slice(0, 200));

test("no line deceives the look at its bytes, whatever stands in it and in which order", () => {
  expectNoneDeceives(claudeCode, sources, oddities);
});

test.each(Object.keys(oddities))("%s at each line of a session changes nothing that is told", (name) => {
  const lines = (sources[0] ?? []).slice(0, 120);
  const harmed = lines.map((line, index) => oddities[name]?.(line, lines.slice(0, index)) ?? "");
  expect(story(tellPieces(claudeCode, harmed, 64 * 1024))).toEqual(story(tell(claudeCode, harmed, { every: true })));
});

/** Most lines of pi's are passed by a look at their bytes. What is told must be what parsing every line tells. */

import { readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { pi } from "../../src/lens/pi.ts";
import { notUtf8 } from "../../src/lens/telling.ts";
import { isFull } from "../reliability/results.ts";
import { fixtures, type Told, tell, tellPieces } from "./lens-run.ts";
import { MadePi } from "./pi-made.ts";

type Line = Record<string, unknown>;

/** Without how often lines were read, and without bytes that are no UTF-8: these are told only where a line is parsed. */
function story({ readings, findings, ...told }: Told): unknown {
  return { ...told, findings: findings.filter(({ detail }) => detail !== notUtf8) };
}

const talk = { type: "text", text: 'I said "yes",\nand more' };
const long = { type: "text", text: `é${"text of some length\n".repeat(400)}` };
const call = (name: string): Line => ({ type: "toolCall", id: `call_${name}`, name, arguments: { path: "a.ts" } });
/** It stands for the id of the line before: what hangs on that line hangs on this one, too. */
const before = "9999aaaa";
const places = { id: before, parentId: before, timestamp: "2026-01-01T00:59:00.000Z" };

function message(fields: Line, more: Line = {}): string {
  return JSON.stringify({ type: "message", ...places, ...more, message: fields });
}

function result(toolName: unknown, more: Line = {}): string {
  const details = { action: "add", todos: [{ id: 7, text: "odd", done: false }], nextId: 8 };
  return message({ role: "toolResult", toolCallId: "c", toolName, content: [talk], details, isError: false, ...more });
}

function spoken(...content: readonly unknown[]): string {
  return message({ role: "assistant", content, api: "x", model: "m", usage: { input: 1, cost: { total: 0.5e-3 } } });
}

/** The same members in each object, in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([name, item]) => [name, reversed(item)] as const)
      .reverse(),
  );
}

function changed(line: string, change: (value: Line) => unknown): string {
  try {
    return JSON.stringify(change(JSON.parse(line) as Line));
  } catch {
    return line;
  }
}

/** Lines that are much alike, and of which a look at their bytes must not take one for another. */
const oddities: Readonly<Record<string, (line: string) => string | Buffer>> = {
  "an answer": () => result("bash"),
  "an answer of the list's": () => result("todo"),
  "a long answer of the list's": () => result("todo", { content: [long] }),
  "a long answer of the list's that failed": () => result("todo", { content: [long], isError: true, details: {} }),
  "a long answer of the list's that failed, without an error's text": () =>
    result("todo", { content: [long], isError: true, details: { error: 7 } }),
  "a long answer of the list's with an error": () => result("todo", { content: [long], details: { error: "No" } }),
  "a long answer of the list's that did and did not fail": () =>
    result("todo", { content: [long] }).replace(/"isError":false/, '"isError":true,"isError":false'),
  "a long answer of the list's, twice": () =>
    result("todo", { content: [long] }).replace('"details":', '"content":"odd","details":'),
  "a long answer of the list's that is cut": () => result("todo", { content: [long] }).slice(0, 4500),
  "a long answer of the list's with an escape that is none": () =>
    result("todo", { content: [long] }).replace("é", "\\x"),
  "a long answer of the list's without content": () => result("todo", { content: undefined, more: long }),
  "a person's words in two blocks": () => message({ role: "user", content: [talk, { type: "text", text: "more" }] }),
  "a person's words beside an image": () => message({ role: "user", content: [{ type: "image", data: "x" }, talk] }),
  "a person's words as a text": () => message({ role: "user", content: 'I say\n"yes", é' }),
  "a person's words with an escape that is none": () =>
    message({ role: "user", content: [talk] }).replace("\\n", "\\x"),
  "a person's words with an escaped key": () =>
    message({ role: "user", content: [talk] }).replace('"text":"I', '"te\\u0078t":"I'),
  "a person's words twice in a block": () =>
    message({ role: "user", content: [talk] }).replace('"text":"I', '"text":"He","text":"I'),
  "a person's words twice in a block, then none": () =>
    message({ role: "user", content: [{ ...talk, text: "He" }] }).replace('"text":"He"', '"text":"He","text":7'),
  "a person's content twice": () =>
    message({ role: "user", content: [talk] }).replace('"content":', '"content":"He","content":'),
  "a person's content twice, then none": () =>
    message({ role: "user", content: [talk] }).replace(/\}\}$/, ',"content":[]}}'),
  "a person's words that are none": () => message({ role: "user", content: [{ type: "text", text: 7 }] }),
  "a person's words that are a list": () => message({ role: "user", content: [{ type: "text", text: ["Go"] }] }),
  "a person's content that is an object": () => message({ role: "user", content: { text: "Go" } }),
  "a person's words in no block": () => message({ role: "user", content: [] }),
  "a person who says nothing": () => message({ role: "user" }),
  "a person's call": () => message({ role: "user", content: [{ ...call("read"), text: "call" }] }),
  "a person's words, of which some are no UTF-8": () =>
    withByte(message({ role: "user", content: [talk] }), '"text":"'),
  "a surrogate in a person's words": () => message({ role: "user", content: [{ type: "text", text: "\ud800" }] }),
  "a person's long words": () => message({ role: "user", content: [long] }),
  "a long message that is none": () => JSON.stringify({ type: "message", ...places, message: 7, long }),
  "an answer of the list's that failed": () => result("todo", { isError: true, details: { action: "add" } }),
  "an answer of a tool whose name begins like the list's": () => result("todos"),
  "an answer of no tool": () => result(7),
  "an answer whose tool has an escape in its name": () => result("todo").replace('"todo"', '"t\\u006fdo"'),
  "an answer with the name of its tool behind its list": () => changed(result("todo"), reversed),
  "an answer without blocks": () => result("bash", { content: [] }),
  "an answer that is a text": () => result("bash", { content: "plain" }),
  "an answer with a call in it": () => result("bash", { content: [call("read")] }),
  "an answer with a call of the list's in it": () => result("bash", { content: [call("todo")] }),
  "an answer with the list's name in it": () => result("bash", { details: { toolName: "todo" } }),
  "an answer that names another tool, too": () =>
    result("bash").replace('"toolName":', '"toolName":"todo","toolName":'),
  "an answer that names the list, too": () => result("todo").replace('"toolName":', '"toolName":"bash","toolName":'),
  talk: () => spoken(talk),
  "talk as a text": () => message({ role: "assistant", content: "plain" }),
  "talk without content": () => message({ role: "assistant" }),
  "talk of nothing": () => spoken(),
  "talk in blocks that are none": () => spoken("text", 7, null, [], {}, [call("todo")]),
  "two calls": () => spoken(talk, call("read"), call("bash")),
  "a call of the list's": () => spoken(call("todo")),
  "a call of the list's behind another one": () => spoken(call("read"), call("todo")),
  "a call whose type stands last": () => spoken(reversed(call("read")), call("read")),
  "a call of the list's whose type stands last": () => spoken(reversed(call("todo"))),
  "a call without a name": () => spoken({ type: "toolCall", id: "c" }),
  "a call whose name is no text": () => spoken({ ...call("read"), name: 7 }),
  "a call within the arguments of a call": () => spoken({ ...call("read"), arguments: { more: call("todo") } }),
  "a call within a block of another type": () => spoken({ type: "odd", more: call("read") }),
  "a block that is a call, too": () => spoken(talk).replace('"type":"text"', '"type":"text","type":"toolCall"'),
  "a call that is a text, too": () =>
    spoken(call("read")).replace('"type":"toolCall"', '"type":"toolCall","type":"text"'),
  "a call that has two names": () => spoken(call("read")).replace('"name":', '"name":"todo","name":'),
  "a block whose type begins like that of a call": () => spoken({ ...call("read"), type: "toolCalls" }),
  "content twice, the first with a call": () => spoken(call("read")).replace('"api":', '"content":[],"api":'),
  "a type with an escape": () => spoken(call("read")).replace('"toolCall"', '"\\u0074oolCall"'),
  "a key of a block with an escape": () => spoken(call("todo")).replace('"name":', '"n\\u0061me":'),
  "a key of a message with an escape": () => spoken(call("read")).replace('"role":', '"r\\u006fle":'),
  "a key of a line with an escape": (line) => line.replace('"parentId":', '"p\\u0061rentId":'),
  "a text that looks like a call": () => spoken({ type: "text", text: `"},${JSON.stringify(call("read"))}` }),
  "a person's words": () => message({ role: "user", content: [talk] }),
  "a message that a person said, too": () => spoken(talk).replace('"role":', '"role":"user","role":'),
  "a person's message that the model said, too": () =>
    message({ role: "user", content: [talk] }).replace('"role":', '"role":"assistant","role":'),
  "a message of a command": () => message({ role: "bashExecution", command: "ls", output: "a" }),
  "a message that is none": () => message({}).replace('"message":{}', '"message":null'),
  "a message without a role": () => message({ content: [talk] }),
  "two messages": () => spoken(call("read")).replace(/\}$/, ',"message":{"role":"user","content":"Odd"}}'),
  "two types": (line) => line.replace(/\}$/, ',"type":"custom"}'),
  "two ids": (line) => line.replace('"id":', '"id":"odd","id":'),
  "two parents": (line) => line.replace('"parentId":', '"parentId":null,"parentId":'),
  "two parents, the last of them none": (line) => line.replace(/"timestamp":/, '"parentId":null,"timestamp":'),
  "two ids, the last of them none": (line) => line.replace(/"timestamp":/, '"id":7,"timestamp":'),
  "two times": (line) => line.replace('"timestamp":', '"timestamp":"2027-01-01T00:00:00.000Z","timestamp":'),
  "another type": (line) => line.replace('"type":"message"', '"type":"messages"'),
  "no type": (line) => line.replace('"type":"message",', ""),
  "no id": (line) => changed(line, ({ id, parentId, ...value }) => value),
  "an empty id": (line) => line.replace(/"id":"[^"]*"/, '"id":""'),
  "an id that is no text": (line) => line.replace(/"id":"[^"]*"/, '"id":7'),
  "an id with an escape": (line) => line.replace(/"id":"[^"]/, '"id":"\\u0065'),
  "an id with other characters": (line) => line.replace(/"id":"[^"]/, '"id":"é'),
  "an id that is long": (line) => line.replace(/"id":"/, `"id":"${"long".repeat(20)}`),
  "a parent that is none": (line) => line.replace(/"parentId":"[^"]*"/, '"parentId":null'),
  "a parent that is nowhere": (line) => line.replace(/"parentId":"[^"]*"/, '"parentId":"nowhere"'),
  "a parent that is no text": (line) => line.replace(/"parentId":"[^"]*"/, '"parentId":{"a":1}'),
  "the first entry as parent": (line) => line.replace(/"parentId":"[^"]*"/, '"parentId":"e0000001"'),
  "no time": (line) => line.replace(/"timestamp":"[^"]*",/, ""),
  "a time that is none": (line) => line.replace(/"timestamp":"[^"]*"/, '"timestamp":"2026-99-01T00:00:00.000Z"'),
  "a time with an escape": (line) => line.replace(/"timestamp":"[^"]*"/, '"timestamp":"2026-\\/1-01T00:00:00.000Z"'),
  "a time without parts of seconds": (line) =>
    line.replace(/"timestamp":"[^"]*"/, '"timestamp":"2026-01-01T00:00:00Z"'),
  "other members": (line) => line.replace(/^\{/, '{"odd":[{"type":"x"},null,true,-1.5e+7],'),
  "members in the opposite order": (line) => changed(line, reversed),
  "white space": (line) => changed(line, (value) => value).replaceAll('":', '": '),
  "a carriage return": (line) => `${line}\r`,
  "a byte order mark": (line) => `\ufeff${line}`,
  "bytes that are no UTF-8 in a text": (line) => withByte(line, '"text":"'),
  "bytes that are no UTF-8 in an id": (line) => withByte(line, '"id":"'),
  "a line that is cut": (line) => line.slice(0, Math.floor(line.length * 0.7)),
  "a line without its last brace": (line) => line.slice(0, -1),
  "a line with a brace too many": (line) => `${line}}`,
  "a comma too many": (line) => line.replace(/\}$/, ",}"),
  "a number that is none": (line) => line.replace(/\}$/, ',"n":01}'),
  "an escape that is none": (line) => line.replace(/\}$/, ',"n":"\\x"}'),
  "two lines in one": (line) => line + line,
  "nested too deeply to be looked at": (line) => line.replace(/\}$/, `,"n":${"[".repeat(300)}${"]".repeat(300)}}`),
  "a list": () => "[1]",
  "an empty object": () => "{}",
  "an empty line": () => "",
};

function withByte(line: string, before: string): Buffer {
  const bytes = Buffer.from(line);
  const at = bytes.indexOf(before);
  return at === -1
    ? bytes
    : Buffer.concat([bytes.subarray(0, at + before.length), Buffer.from([0xff]), bytes.subarray(at + before.length)]);
}

/** A session with each kind of line, with two branches. */
function made(): string[] {
  const session = new MadePi();
  session.said("go");
  session.todo("add", [[1, "a", false]]);
  session.result("bash", {});
  session.planMode({ enabled: true, todos: [{ step: 1, text: "a", completed: false }], executing: true });
  const { tip } = session;
  session.entry("message", { message: { role: "assistant", content: [talk, call("read"), call("bash")] } });
  session.result("read", {});
  session.said("on");
  session.todo("toggle", [[1, "a", true]]);
  session.tip = tip;
  session.entry("message", { message: { role: "assistant", content: [talk] } });
  session.todo("list", [[1, "a", true]]);
  session.entry("model_change", { provider: "p", modelId: "m" });
  session.entry("compaction", { summary: "s" });
  return session.lines.map((line) => JSON.stringify(line));
}

const source = made();
/** The same lines once more, behind the last one. */
const again = (round: number) =>
  source
    .slice(1)
    .map((line) =>
      line
        .replace(/"((?:parentI|i)d)":"e/g, `"$1":"${round}e`)
        .replace('"parentId":null', `"parentId":"${round === 1 ? "" : round - 1}${idIn(source.at(-1))}"`),
    );

function idIn(line = ""): string {
  return /"id":"([^"]*)"/.exec(line)?.[1] ?? "";
}

function odd(name: string, line = ""): string | Buffer {
  const made = oddities[name]?.(line) ?? "";
  return typeof made === "string" ? made.replaceAll(before, idIn(line)) : made;
}

test("no line deceives the look at its bytes, whatever stands in it and in which order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Object.keys(oddities))), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 300, max: 40_000 }),
      fc.boolean(),
      (places, pieceLength, isInRoom) => {
        const lines: (string | Buffer)[] = [...source, ...again(1), ...again(2), ...again(3)];
        for (const [where, what] of places) {
          const index = where % lines.length;
          lines.splice(index + 1, 0, odd(what, lines[index]?.toString()));
        }
        expect(story(tellPieces(pi, lines, pieceLength, { isInRoom }))).toEqual(
          story(tell(pi, lines, { every: true })),
        );
      },
    ),
    isFull ? { numRuns: 2000 } : { numRuns: 100, seed: 1 },
  );
});

test.each(Object.keys(oddities))("%s at each line of a session changes nothing that is told", (name) => {
  const lines = [...source, ...again(1)].flatMap((line) => [line, odd(name, line)]);
  expect(story(tellPieces(pi, lines, 64 * 1024))).toEqual(story(tell(pi, lines, { every: true })));
});

test.each(["pi-0.73.1", "pi-0.87.1", "pi-1.6.0"])("%s, which was found, is told as by parsing every line", (name) => {
  const lines = readFileSync(path.join(fixtures, `${name}.jsonl`), "utf8")
    .trimEnd()
    .split("\n");
  for (const length of [20_000, 1024 * 1024])
    expect(story(tellPieces(pi, lines, length, { isInRoom: true }))).toEqual(story(tell(pi, lines, { every: true })));
});

test("what the model says and other tools answer is not parsed, wherever the client puts an entry's id", () => {
  const said = [spoken(talk, call("read"), call("bash")), result("bash")];
  const work = Array.from({ length: 500 }, () =>
    said.map((line) => line.replaceAll(before, idIn(source.at(-1)))),
  ).flat();
  const migrated = work.map((line) => changed(line, ({ id, parentId, ...value }) => ({ ...value, id, parentId })));
  const lines = [...source, ...work, ...migrated, ...again(1)];
  const parses = vi.spyOn(JSON, "parse");
  const told = tellPieces(pi, lines, 1024 * 1024, { isInRoom: true });
  const count = parses.mock.calls.length;
  parses.mockRestore();
  expect(count / told.readings).toBeLessThan(60);
  expect(story(told)).toEqual(story(tell(pi, lines, { every: true })));
});

test("bytes that are no UTF-8 are the same id, whatever they are", () => {
  const lines: (string | Buffer)[] = [...source];
  for (const [own, parent] of [
    [0xfe, 0x41],
    [0x42, 0xfe],
    [0x43, 0xff],
  ] as const) {
    const line = spoken(call("read"))
      .replace(`"id":"${before}"`, '"id":"~"')
      .replace(`"parentId":"${before}"`, '"parentId":"~"');
    const bytes = Buffer.from(line);
    const at = bytes.indexOf("~");
    bytes[at] = own;
    bytes[bytes.indexOf("~", at + 1)] = parent;
    lines.push(bytes);
  }
  lines.push(...again(1));
  const every = tell(pi, lines, { every: true });
  expect(every.markers.map(({ marker }) => marker)).toContain("branch");
  expect(story(tellPieces(pi, lines, 64 * 1024))).toEqual(story(every));
});

/** Most lines of Droid's are passed by a look at their bytes. What is told must be what parsing every line tells. */

import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { droid } from "../../src/lens/droid.ts";
import { isFull } from "../reliability/results.ts";
import { linesOf, tell, tellPieces } from "./lens-run.ts";
import { type Line, story } from "./passing.ts";

function message(role: string, content: readonly object[], more: Line = {}): string {
  const id = "99999999-9999-4999-8999-999999999999";
  return JSON.stringify({
    type: "message",
    id,
    timestamp: "2026-01-28T16:57:15.899Z",
    message: { role, content, ...more },
  });
}

function call(name: string, input: Line = {}): object {
  return { type: "tool_use", id: `call_${name}`, name, input };
}

const answer = { type: "tool_result", tool_use_id: "call_odd", content: 'Two\n"lines" of it' };
const long = { type: "text", text: "I said much.\n".repeat(300) };
const talk = { type: "text", text: 'I said "yes",\nand more' };

/** Lines that are much alike, and of which a look at their bytes must not take one for another. */
const oddities: Readonly<Record<string, (line: string) => string>> = {
  "an answer": () => message("user", [answer]),
  "an answer to a list": () => message("user", [{ ...answer, tool_use_id: "call_TodoWrite" }]),
  "words behind an answer": () => message("user", [answer, { type: "text", text: "Go on" }]),
  "words before an answer": () => message("user", [{ type: "text", text: "Go on" }, answer]),
  "a person's words": () => message("user", [{ type: "text", text: "Go on" }]),
  "a person's words as a text": () => message("user", []).replace('"content":[]', '"content":"Go on"'),
  "another call": () => message("assistant", [call("Grep")]),
  "a call behind a text": () => message("assistant", [talk, call("Grep")]),
  "a call behind two texts": () => message("assistant", [talk, talk, call("Grep")]),
  "two calls": () => message("assistant", [call("Grep"), call("LS")]),
  "a call of the list's behind another one": () =>
    message("assistant", [call("Grep"), call("TodoWrite", { todos: "1. [pending] Odd" })]),
  "a call of the list's": () => message("assistant", [call("TodoWrite", { todos: "1. [pending] Odd" })]),
  "a call of the list's behind a text": () =>
    message("assistant", [talk, call("TodoWrite", { todos: "1. [pending] Odd" })]),
  "a call within the input of a call": () => message("assistant", [call("Grep", { more: call("TodoWrite") })]),
  "a call within a block of another type": () => message("assistant", [{ type: "odd", more: call("Grep") }]),
  "a call within an answer": () => message("user", [{ ...answer, content: [call("Grep")] }]),
  "a text that looks like a call": () =>
    message("assistant", [{ type: "text", text: `"},${JSON.stringify(call("Grep"))}` }]),
  "a file of the plan": () => message("assistant", [call("Create", { file_path: "PLAN.md", content: "odd" })]),
  "a patch": () => message("assistant", [call("ApplyPatch", { input: "*** Begin Patch\n*** Add File: PLAN.md\n+a" })]),
  "a tool whose name has an escape": () => message("assistant", [call("Grep")]).replace("Grep", "Gr\\u0065p"),
  "another model": () => message("assistant", [talk], { model: "odd" }),
  "another model before a call": () => message("assistant", [call("Grep")], { model: "other" }),
  "a list that is repeated": () =>
    JSON.stringify({
      type: "todo_state",
      timestamp: "2026-01-28T16:57:16.020Z",
      todos: { todos: "1. [completed] Odd" },
    }),
  "long talk": () => message("assistant", [long]),
  "long talk that another model said": () => message("assistant", [long], { model: "long" }),
  "long talk before a call": () => message("assistant", [long, call("Grep")]),
  "long talk before a call of the list's": () =>
    message("assistant", [long, call("TodoWrite", { todos: "1. [pending] Long" })]),
  "long talk before a call whose type has an escape": () =>
    message("assistant", [long, call("Grep")]).replace("tool_use", "\\u0074ool_use"),
  "a person's long words": () => message("user", [long]),
  "a long answer": () => message("user", [{ ...answer, content: long.text }]),
  "long talk in two types": () => message("assistant", [long]).replace('"type":"text"', '"type":"text","type":"text"'),
  "two roles": (line) => line.replace(/"role":"\w*"/, '"role":"user","role":"assistant"'),
  "a line that is cut": (line) => line.slice(0, Math.floor(line.length * 0.7)),
  "another role": (line) => line.replace(/"role":"\w*"/, '"role":"system"'),
  "keys in another order": (line) =>
    JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as Line).reverse())),
  "white space": (line) => JSON.stringify(JSON.parse(line), null, 1).replaceAll("\n", ""),
  "a carriage return": (line) => `${line}\r`,
  "a key with an escape": (line) => line.replace('"type":"message"', '"t\\u0079pe":"message"'),
  "a type with an escape": (line) => line.replaceAll('"type":"tool_', '"type":"\\u0074ool_'),
  "no time": (line) => line.replace(/"timestamp":"[^"]*",/, ""),
};

const source = [...linesOf("droid/todo-text.jsonl"), message("assistant", [call("Grep")]), message("user", [answer])];

test("no line deceives the look at its bytes, whatever stands in it and in which order", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Object.keys(oddities))), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 300, max: 40_000 }),
      fc.boolean(),
      (odd, pieceLength, isInRoom) => {
        const lines = [...source, ...source, ...source];
        for (const [where, what] of odd) {
          const index = where % lines.length;
          lines.splice(index, 0, oddities[what]?.(lines[index] ?? "") ?? "");
        }
        expect(story(tellPieces(droid, lines, pieceLength, { isInRoom }))).toEqual(
          story(tell(droid, lines, { every: true })),
        );
      },
    ),
    isFull ? { numRuns: 2000 } : { numRuns: 60, seed: 1 },
  );
});

test.each(Object.keys(oddities))("%s at each line of a session changes nothing that is told", (name) => {
  const lines = [...source, ...source].flatMap((line) => [line, oddities[name]?.(line) ?? ""]);
  expect(story(tellPieces(droid, lines, 64 * 1024))).toEqual(story(tell(droid, lines, { every: true })));
});

test("answers of tools and calls that change no plan are not parsed", () => {
  const work = Array.from({ length: 500 }, () => [
    message("assistant", [talk, call("Grep")]),
    message("user", [answer]),
  ]);
  const lines = [...source, ...work.flat(), ...source];
  const parses = vi.spyOn(JSON, "parse");
  const told = tellPieces(droid, lines, 1024 * 1024, { isInRoom: true });
  const count = parses.mock.calls.length;
  parses.mockRestore();
  expect(count).toBeLessThan(100);
  expect(story(told)).toEqual(story(tell(droid, lines, { every: true })));
});

import { expect, test } from "vitest";
import { replaceTexts } from "../../../src/audit/redact/json-text.ts";

/** What is left of a line without the word "content", and what stayed because it holds the line together. */
function without(line: unknown): { readonly line: unknown; readonly kept: readonly string[] } {
  const kept: string[] = [];
  const replaced = replaceTexts(JSON.stringify(line), (text) => text.replaceAll("content", "…"), {
    kept: (text) => kept.push(text),
  });
  return { line: JSON.parse(replaced), kept: kept.filter((text) => text.includes("content")) };
}

test("a text that is also the name of a host's field leaves the name, and goes from the values", () => {
  const message = { role: "user", content: [{ type: "text", text: "the content" }], usage: { content: "content" } };
  const { line, kept } = without({ type: "message", id: "1", message });
  const usage = { content: "…" };
  expect(line).toEqual({
    ...{ type: "message", id: "1" },
    message: { role: "user", content: [{ type: "text", text: "the …" }], usage },
  });
  expect(kept).toEqual(["content", "content"]);
});

test("types, roles, ids and names of tools in a message stay, whatever stands in them", () => {
  const call = { type: "content-call", id: "content-1", name: "content", arguments: {} };
  const message = {
    role: "content",
    toolCallId: "content-1",
    toolName: "content",
    stopReason: "content",
    blocks: [call],
  };
  const { line, kept } = without({ type: "message", id: "1", message });
  expect(line).toEqual({ type: "message", id: "1", message });
  expect(kept).toHaveLength(7);
});

test("names that a tool or an extension chose are no host's, and go", () => {
  const blocks = [{ type: "toolCall", arguments: { content: "content", deep: [{ type: "content" }] } }];
  const { line, kept } = without({
    type: "custom",
    data: { content: 1 },
    message: { content: blocks, name: "content" },
  });
  const redacted = [{ type: "toolCall", arguments: { "…": "…", deep: [{ type: "…" }] } }];
  expect(line).toEqual({ type: "custom", data: { "…": 1 }, message: { content: redacted, name: "…" } });
  expect(kept).toEqual(["content"]);
});

test("JSON in a text is searched with its names: no host reads it as its own", () => {
  const { line, kept } = without({ type: "message", text: JSON.stringify({ type: "content", content: 1 }) });
  expect(line).toEqual({ type: "message", text: JSON.stringify({ type: "…", "…": 1 }) });
  expect(kept).toEqual([]);
});

test("an id or a type that is neither the line's nor its message's does not keep a text", () => {
  const others = { owner: { id: "content", type: "content", role: "content" } };
  const { line, kept } = without({ type: "session", ...others, message: { content: [{ more: [others] }] } });
  const redacted = { owner: { id: "…", type: "…", role: "…" } };
  expect(line).toEqual({ type: "session", ...redacted, message: { content: [{ more: [redacted] }] } });
  expect(kept).toEqual(["content"]);
});

/** What is left of a line without "4711", and which of its numbers stayed with it. */
function withoutCode(line: unknown, part: { readonly keepsNumbers?: boolean } = {}) {
  const kept: string[] = [];
  const json = replaceTexts(JSON.stringify(line), (text) => text.replaceAll("4711", "…"), {
    ...part,
    kept: (text) => kept.push(text),
  });
  return { line: JSON.parse(json), kept: kept.filter((text) => text.includes("4711")) };
}

test("a secret that a tool was given as a number goes, and the host's own numbers stay", () => {
  const message = {
    content: [{ type: "toolCall", arguments: { card: 47110815, more: [-4711.5, 12], isPaid: true } }],
    usage: { input: 4711 },
    timestamp: 4711,
  };
  const redacted = [{ type: "toolCall", arguments: { card: "…0815", more: ["-….5", 12], isPaid: true } }];
  const { line, kept } = withoutCode({ type: "message", message, data: 4711, version: 3 });
  expect(line).toEqual({ type: "message", message: { ...message, content: redacted }, data: "…", version: 3 });
  expect(kept).toEqual(["4711", "4711"]);
});

test("JSON in a text is still JSON without a number of it", () => {
  const { line } = withoutCode({ type: "message", text: JSON.stringify({ card: 4711, left: 1 }) });
  expect(JSON.parse(line.text)).toEqual({ card: "…", left: 1 });
});

test("where a number must not become a text, it stays and is told", () => {
  expect(withoutCode({ data: ["4711", 4711] }, { keepsNumbers: true })).toEqual({
    line: { data: ["…", 4711] },
    kept: ["4711"],
  });
});

import { expect, test } from "vitest";
import { DocumentFrames, type DocumentLine } from "../../src/lens/document-frames.ts";
import { linesOfDocument } from "./lens-run.ts";

const odd = { id: 'a "quoted" {brace] \\ backslash\n', nested: [[{}], { messages: [1] }], text: "messages" };
const document = {
  info: { id: "x", messages: [0] },
  title: "messages",
  messages: [odd, { id: "b" }, { id: "c", list: [] }],
  after: { at: 1 },
};

function parsedLines(text: string, pieceLength?: number): unknown[] {
  return linesOfDocument(text, pieceLength).map((line) => JSON.parse(line));
}

test("a document is its head, its messages and its tail, however it is printed and in whatever pieces it comes", () => {
  const { messages, after, ...head } = document;
  const wanted = [{ ...head, messages: [] }, ...messages, { after }];
  for (const indent of [undefined, 1, 2, "\t"]) {
    const text = JSON.stringify(document, null, indent);
    for (const pieceLength of [1, 2, 7, 64, 100_000]) expect(parsedLines(text, pieceLength)).toEqual(wanted);
    expect(parsedLines(text.replaceAll("\n", "\r\n"))).toEqual(wanted);
  }
  expect(parsedLines('{"messages":[]}')).toEqual([{ messages: [] }]);
  expect(parsedLines('{"messages":[7,"x",[1,{"a":2}],null]}')).toEqual([{ messages: [] }, 7, "x", [1, { a: 2 }], null]);
  expect(parsedLines('{"a":1}')).toEqual([{ a: 1 }]);
});

test("each line says where it stands in the file", () => {
  const text = JSON.stringify(document, null, 2);
  const lines: DocumentLine[] = [];
  new DocumentFrames(1000).push(Buffer.from(text), ({ offset, number }) =>
    lines.push({ bytes: undefined, offset, number }),
  );
  for (const { offset, number } of lines) expect(text.slice(0, offset).split("\n").length).toBe(number);
  expect(text.slice(lines[2]?.offset).startsWith('{\n      "id": "b"')).toBe(true);
});

test("where a quote or a bracket is missing, only the message in which it stands is broken", () => {
  const text = JSON.stringify({ messages: [{ id: "a", list: [1] }, { id: "b" }, { id: "c" }] }, null, 1);
  for (const missing of ['"a', '",', "]", '"list"', ":", "[\n    1"]) {
    const at = text.indexOf(missing, 20);
    const broken = text.slice(0, at) + text.slice(at + 1);
    const lines = linesOfDocument(broken);
    const read = lines.map((line): unknown => {
      try {
        return JSON.parse(line);
      } catch {
        return "broken";
      }
    });
    expect([missing, read]).toEqual([missing, [{ messages: [] }, "broken", { id: "b" }, { id: "c" }]]);
  }
});

test("a document that goes on or is cut leaves a rest; a whole message at the end counts at once", () => {
  const text = JSON.stringify(document);
  const frames = new DocumentFrames(1000);
  const lines: string[] = [];
  const take = ({ bytes }: DocumentLine): void => {
    lines.push(bytes?.toString() ?? "");
  };
  const cut = text.indexOf(',{"id":"c"');
  frames.push(Buffer.from(text.slice(0, cut)), take);
  expect([lines.length, frames.rest.toString()]).toEqual([2, '{"id":"b"}']);
  frames.endRest(take);
  expect([lines.length, frames.rest.length]).toEqual([3, 0]);
  frames.push(Buffer.from(text.slice(cut)), take);
  expect(lines.slice(3).map((line) => JSON.parse(line))).toEqual([{ id: "c", list: [] }, { after: { at: 1 } }]);
});

test("a message that is too long is passed over, and what stands behind the document is told once", () => {
  const text = `${JSON.stringify({ messages: [{ id: "x".repeat(500) }, { id: "b" }] })} and more and more`;
  const frames = new DocumentFrames(100);
  const lines: (string | undefined)[] = [];
  for (const character of text) frames.push(Buffer.from(character), ({ bytes }) => lines.push(bytes?.toString()));
  expect(lines).toEqual(['{"messages":[]}', undefined, '{"id":"b"}', "a"]);
});

test("a million brackets that are never closed take time and memory in proportion to their bytes", () => {
  const frames = new DocumentFrames(10_000_000);
  let lines = 0;
  frames.push(Buffer.from(`{"messages":[${"[{".repeat(1_000_000)}`), () => {
    lines += 1;
  });
  expect([lines, frames.rest.length]).toEqual([1, 2_000_000]);
});

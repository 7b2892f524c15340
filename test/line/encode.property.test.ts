import fc from "fast-check";
import { expect, test } from "vitest";
import type { Json, ScratchpadEvent } from "../../src/event/event.ts";
import { parseEvent } from "../../src/event/parse.ts";
import { checkCommit, checkEntryId, entryIdFor, hashText, sealCommit } from "../../src/line/chain.ts";
import { decodeHeader } from "../../src/line/decode.ts";
import { commitDataOf, commitLine, headerLine, markLine, mirrorLine } from "../../src/line/encode.ts";
import { lineNames } from "../../src/line/format.ts";
import { canonicalJson, nestingMax } from "../../src/line/json.ts";
import { anyText } from "../../src/testing/any-text.ts";
import { arbitraryEvent, hostileText } from "../../src/testing/arbitraries.ts";
import { anyCommit, anyId, anyMirror, anyOurLine, decodeLine, encodeContext, names, session } from "./lines.ts";

test("a commit is read as it was written, whatever its events hold", () => {
  fc.assert(
    fc.property(anyCommit, anyId, (data, parentId) => {
      const { text, id } = commitLine(data, parentId, encodeContext());
      const decoded = decodeLine(Buffer.from(text), names);
      expect(decoded).toEqual({ kind: "commit", entry: { id, parentId, timestamp: "2026-11-21T21:00:00.000Z" }, data });
      if (decoded?.kind !== "commit") throw new Error("no commit");
      expect(canonicalJson(decoded.data)).toBe(canonicalJson(data));
      expect(checkCommit(decoded.data)).toBe("right");
    }),
  );
});

test("an event is the same after it was encoded, written, read and parsed", () => {
  fc.assert(
    fc.property(arbitraryEvent(), (event) => {
      const draft = { id: "c-1", at: session.timestamp, events: [{ event, actor: "agent" }] };
      const data = commitDataOf(draft, { version: 0, hash: "" }, "file");
      const decoded = decodeLine(Buffer.from(commitLine(data, null, encodeContext()).text), names);
      if (decoded?.kind !== "commit") throw new Error("no commit");
      expect(parseEvent(decoded.data.v, decoded.data.events[0] as { type: string })).toEqual(event);
    }),
  );
});

test("a mirror is read as it was written", () => {
  fc.assert(
    fc.property(anyMirror, ([key, value, mirror, parentId]) => {
      const { text, id } = mirrorLine(key, value, mirror, parentId, encodeContext());
      const entry = { id, parentId, timestamp: "2026-11-21T21:00:00.000Z" };
      expect(decodeLine(Buffer.from(text), names)).toEqual({ kind: "value", key, entry, data: value, mirror });
    }),
  );
});

test("a mark is read as it was written", () => {
  const { text, id } = markLine("c-1", "a1b2c3d4", encodeContext());
  const entry = { id, parentId: "a1b2c3d4", timestamp: "2026-11-21T21:00:00.000Z" };
  expect(decodeLine(Buffer.from(text), names)).toEqual({ kind: "mark", entry, mirror: "c-1" });
});

test("a header is read as it was written", () => {
  const header = fc.record({ id: hostileText(), cwd: hostileText(), parentSession: hostileText() });
  fc.assert(
    fc.property(header, (fields) => {
      const whole = { ...fields, timestamp: session.timestamp };
      expect(decodeHeader(Buffer.from(headerLine(whole)))).toEqual({ ...whole, version: 3 });
    }),
  );
});

test("no text ends a line early, for readers that split on more than line feeds too", () => {
  fc.assert(
    fc.property(anyOurLine, (text) => {
      expect(text.endsWith("}\n")).toBe(true);
      expect(text.slice(0, -1)).not.toMatch(/[\u0000-\u001f\u0080-\u009f\u2028\u2029]/);
    }),
  );
});

test("under another namespace the lines are those of someone else", () => {
  const namespace = fc.stringMatching(/^[A-Za-z][A-Za-z0-9._:-]{0,63}$/);
  fc.assert(
    fc.property(anyCommit, namespace, (data, other) => {
      const { text } = commitLine(data, null, encodeContext(other));
      expect(decodeLine(Buffer.from(text), lineNames(other))?.kind).toBe("commit");
      expect(decodeLine(Buffer.from(text), names)).toBeUndefined();
    }),
  );
});

test.each(["", "7up", "a b", 'a"', "é", "a\nb", "x".repeat(65), "a/b"])("%j is no namespace", (namespace) => {
  expect(() => lineNames(namespace)).toThrow(TypeError);
});

test("a commit whose data was changed in any leaf has the wrong hash", () => {
  const change = fc.tuple(anyCommit, fc.nat(), fc.constantFrom("x", 7, null, true));
  fc.assert(
    fc.property(change, ([data, nth, value]) => {
      const changed = JSON.parse(JSON.stringify(data)) as typeof data;
      const leaves = leavesOf(changed).filter(([, key]) => key !== "hash");
      const [holder, key] = leaves[nth % leaves.length] as Leaf;
      fc.pre(holder[key] !== value);
      holder[key] = value;
      expect(checkCommit(changed)).toBe("wrong");
    }),
  );
});

type Leaf = [Record<string, unknown>, string];

function leavesOf(value: object): Leaf[] {
  return Object.entries(value).flatMap(([key, item]) =>
    typeof item === "object" && item !== null ? leavesOf(item) : [[value, key] as Leaf],
  );
}

test("a commit under a key cannot be checked without it, nor made without it", () => {
  const { hash: _, ...data } = commitDataOf(
    { id: "c-1", at: session.timestamp, events: [{ event: { type: "turn.began" }, actor: "agent" }] },
    { version: 0, hash: "0".repeat(64) },
    "file",
  );
  const { data: sealed } = sealCommit(data, "key");
  expect(sealed.hash).toHaveLength(64);
  expect(checkCommit(sealed, "key")).toBe("right");
  expect(checkCommit(sealed, "another key")).toBe("wrong");
  expect(checkCommit(sealed)).toBe("sealed");
  expect(checkCommit(sealCommit(data).data, "key")).toBe("wrong");
});

test("an entry id is made of the salt and of all fields around it, whatever is in them", () => {
  const anyFields = fc.record({
    customType: anyText,
    parentId: fc.option(anyText),
    timestamp: anyText,
    content: fc.jsonValue({ maxDepth: 3 }),
    mirror: anyText,
  });
  fc.assert(
    fc.property(anyFields, fc.boolean(), ({ mirror, ...rest }, isMirror) => {
      const fields = isMirror ? { ...rest, mirror } : rest;
      const digest = hashText(canonicalJson(["0123456789abcde", fields]));
      expect(entryIdFor(fields, "0123456789abcde").replaceAll("-", "").slice(0, 12)).toBe(digest.slice(0, 12));
    }),
  );
});

test("an entry id proves the line around the data, and one that a host gave proves nothing", () => {
  const fields = { customType: names.notes, parentId: "a1b2c3d4", timestamp: session.timestamp, content: "x" };
  const line = mirrorLine("notes", "x", "c-1", "a1b2c3d4", encodeContext());
  const written = { ...fields, timestamp: "2026-11-21T21:00:00.000Z", mirror: "c-1" };
  expect(checkEntryId(line.id, written)).toBe(true);
  expect(checkEntryId(line.id, { ...written, parentId: null })).toBe(false);
  expect(checkEntryId(line.id, { ...written, mirror: "c-2" })).toBe(false);
  expect(checkEntryId("a1b2c3d4", written)).toBeUndefined();
});

test("what is too deep to be read is not written either", () => {
  for (const levels of [nestingMax - 4, nestingMax - 3, nestingMax - 2]) {
    const payload = { deep: nested(levels) } as unknown as Json;
    const draft = { id: "c-1", at: session.timestamp, events: [{ event: unknownEvent(payload), actor: "agent" }] };
    const write = (): string =>
      commitLine(commitDataOf(draft, { version: 0, hash: "" }, "file"), null, encodeContext()).text;
    if (levels + 3 > nestingMax) expect(write).toThrow(RangeError);
    else expect(decodeLine(Buffer.from(write()), names)?.kind).toBe("commit");
  }
});

function unknownEvent(payload: Json): ScratchpadEvent {
  return { type: "unknown", name: "notes.sung", payload };
}

function nested(levels: number): unknown {
  let value: unknown = [];
  for (let level = 1; level < levels; level++) value = [value];
  return value;
}

import fs from "node:fs";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { commitDataOf, commitLine, headerLine, mirrorLine } from "../../../src/line/encode.ts";
import { isOurs } from "../../../src/line/format.ts";
import type { LastValues } from "../../../src/line/legacy.ts";
import { ParentFinder } from "../../../src/line/parent-finder.ts";
import { MemoryBytes } from "../../../src/store/archive/memory-bytes.ts";
import { openSession } from "../../../src/store/session-file/session-header.ts";
import { newestHostEntry } from "../../../src/store/session-file/session-lines.ts";
import { decodeLine, encodeContext, linesIn, names, session } from "../../line/lines.ts";
import { useFolder } from "./folder.ts";
import { readWhole } from "./read-whole.ts";

const folder = useFolder();
const runs = Math.max(100, fc.readConfigureGlobal()?.numRuns ?? 0);

type Piece = "commit" | "notes" | "plan" | "host" | "broken" | "value";

const anyPieces = fc.array(fc.constantFrom<Piece>("commit", "notes", "plan", "host", "broken", "value"), {
  maxLength: 12,
});

function textOf(pieces: readonly Piece[]): string {
  const context = encodeContext();
  let parentId: string | null = null;
  let text = headerLine({ ...session, cwd: "/home/dev/acme" });
  pieces.forEach((piece, index) => {
    const line = lineOf(piece, index, parentId, context);
    parentId = line.id;
    text += line.text;
  });
  return text;
}

function lineOf(piece: Piece, index: number, parentId: string | null, context: ReturnType<typeof encodeContext>) {
  const id = `0000${index}`.slice(-8);
  switch (piece) {
    case "commit": {
      const draft = { id: `c-${index}`, at: session.timestamp, events: [] };
      return commitLine(commitDataOf(draft, { version: index, hash: "" }, "file"), parentId, context);
    }
    case "notes":
    case "plan":
      return mirrorLine(piece, `${piece} ${index}`, "c-1", parentId, context);
    case "broken": {
      const { text } = mirrorLine("notes", `broken ${index}`, "c-1", parentId, context);
      return { text: text.replace("broken", "\\x"), id: `broken-${index}` };
    }
    case "host":
      return { text: `${JSON.stringify({ type: "label", id, parentId, label: "x" })}\n`, id };
    case "value": {
      const entry = { type: "custom", customType: names.notes, data: `value ${index}`, id, parentId };
      return { text: `${JSON.stringify(entry)}\n`, id };
    }
  }
}

/** Every line decoded, in order. */
function readPlainly(bytes: Buffer): { last: LastValues; tail: ParentFinder } {
  const tail = new ParentFinder();
  const last: LastValues = {};
  let start = 0;
  for (const line of linesIn(bytes)) {
    const end = start + line.length + 1;
    const decoded = decodeLine(line, names);
    const none = { id: undefined, parentId: undefined, timestamp: undefined };
    tail.line(decoded?.entry ?? none, decoded !== undefined && isOurs(decoded), start, end);
    if (decoded?.kind === "value") last[decoded.key] = decoded.data;
    start = end;
  }
  return { last, tail };
}

test("the parent and the last values are those that decoding every line by itself gives, broken mirrors or not", async () => {
  let files = 0;
  await fc.assert(
    fc.asyncProperty(anyPieces, async (pieces) => {
      files += 1;
      const file = folder.path(`${files}.jsonl`);
      fs.writeFileSync(file, textOf(pieces));
      const opened = openSession(file);
      if (opened === undefined) throw new Error("no file");
      const { bytes } = opened;
      const { reader } = readWhole(opened);
      const plain = readPlainly(fs.readFileSync(file));
      const find = (before: number) => newestHostEntry(bytes, before, names);
      expect(reader.parents.parent(find)).toEqual(plain.tail.parent(find));
      expect(reader.last).toEqual(plain.last);
      bytes.close();
    }),
    { numRuns: runs },
  );
});

test("an append behind many blank lines reads each block once, not once for each line", () => {
  const host = { type: "label", id: "0000000a", parentId: null, label: "x".repeat(150_000) };
  const text = headerLine({ ...session, cwd: "/home/dev/acme" }) + JSON.stringify(host);
  for (const feeds of [1, 65_535, 65_536, 65_537, 65_538, 200_000]) {
    const all = Buffer.from(text + "\n".repeat(feeds));
    const bytes = new MemoryBytes(all);
    const slice = vi.spyOn(bytes, "slice");
    expect(newestHostEntry(bytes, all.length, names)).toEqual({ id: "0000000a", ours: [] });
    // The blocks, and then the pieces of the long line.
    expect(slice.mock.calls.length).toBeLessThan(all.length / 65_536 + 10);
  }
});

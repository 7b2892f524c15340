/** Lines to read, and how they are read in memory: framed, decoded, taken by a ledger. */
import fc from "fast-check";
import type { CommitData } from "../../src/event/commit.ts";
import type { RecordedEvent } from "../../src/event/event.ts";
import { encodeEvent } from "../../src/event/parse.ts";
import { Ledger } from "../../src/line/acceptance.ts";
import { genesisHash } from "../../src/line/chain.ts";
import { classify } from "../../src/line/classify.ts";
import { commitLine, type EncodeContext, linkCommit, markLine, mirrorLine } from "../../src/line/encode.ts";
import { EveryLine } from "../../src/line/every-line.ts";
import { type JournalLine, lineNames } from "../../src/line/format.ts";
import { arbitraryEvent, hostileText } from "../../src/testing/arbitraries.ts";

export const names = lineNames();
export const session = { id: "2b1c9a52-0000-4000-8000-000000000000", timestamp: "2026-11-21T20:00:00.000Z" };

export function encodeContext(namespace?: string): EncodeContext {
  let salts = 0;
  return {
    names: lineNames(namespace),
    timestamp: "2026-11-21T21:00:00.000Z",
    salt: () => {
      salts += 1;
      return salts.toString(16).padStart(15, "0");
    },
  };
}

const hexDigit = fc.constantFrom(..."0123456789abcdef");

export const anyId = fc.oneof(fc.constant(null), fc.uuid(), fc.string({ unit: hexDigit, minLength: 8, maxLength: 8 }));

export const anyCommit: fc.Arbitrary<CommitData> = fc
  .record({
    v: fc.constantFrom(1, 2),
    id: fc.uuid(),
    at: fc.constant("2026-11-21T20:30:00.000Z"),
    base: fc.nat(),
    fold: fc.constantFrom("file", "branch"),
    prev: fc.constant(genesisHash(session.id)),
    events: fc.array(
      fc.tuple(
        arbitraryEvent(),
        hostileText({ piecesMax: 2 }),
        fc.option(hostileText({ piecesMax: 2 }).filter((command) => command !== "")),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  })
  .map(({ v, id, at, base, fold, prev, events }) => {
    const written = events.map(([event, actor, command]) => ({
      ...encodeEvent(event),
      actor,
      ...(command === null ? {} : { command }),
    }));
    return linkCommit({ v, id, at, events: written }, { version: base, hash: prev }, fold);
  });

export const anyMirror = fc.tuple(
  fc.constantFrom("notes", "plan", "refs", "legacy"),
  fc.oneof(hostileText(), fc.array(hostileText({ piecesMax: 3 }), { maxLength: 4 })),
  fc.uuid(),
  anyId,
);

/** The text of a line of ours, of any kind. */
export const anyOurLine: fc.Arbitrary<string> = fc.oneof(
  fc.tuple(anyCommit, anyId).map(([data, parentId]) => commitLine(data, parentId, encodeContext()).text),
  anyMirror.map(([key, value, mirror, parentId]) => mirrorLine(key, value, mirror, parentId, encodeContext()).text),
  fc.tuple(fc.uuid(), anyId).map(([mirror, parentId]) => markLine(mirror, parentId, encodeContext()).text),
);

/** A line of the host's, now and then a value as an older runtime wrote it. */
export const anyHostLine: fc.Arbitrary<string> = fc
  .record({
    type: fc.constantFrom("message", "custom", "label", "session_info"),
    customType: fc.constantFrom(undefined, "other:type", names.notes, names.refs, names.legacy, "openclaw:scratchpads"),
    data: fc.option(fc.jsonValue({ maxDepth: 2 }), { nil: undefined }),
    message: fc.option(
      fc.record({ role: fc.constantFrom("user", "assistant", "toolResult"), content: hostileText() }),
      { nil: undefined },
    ),
    id: fc.option(fc.string({ unit: hexDigit, minLength: 1, maxLength: 8 }), { nil: undefined }),
    parentId: fc.option(fc.string({ unit: hexDigit, minLength: 1, maxLength: 8 })),
  })
  .map((entry) => `${JSON.stringify(entry)}\n`);

/** Bytes with a little wrong: flipped, cut out, put in twice. */
export function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<Buffer> {
  const wound = fc.record({
    at: fc.nat(),
    length: fc.integer({ min: 0, max: 20 }),
    put: fc.uint8Array({ maxLength: 8 }),
  });
  return fc.tuple(text, fc.array(wound, { minLength: 1, maxLength: 3 })).map(([whole, wounds]) =>
    wounds.reduce((bytes, { at, length, put }) => {
      const from = at % (bytes.length + 1);
      return Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + length)]);
    }, Buffer.from(whole)),
  );
}

/** Cut where the numbers say, wherever that is. */
export function chunksOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((from, index) => Buffer.from(bytes.subarray(from, places[index])));
}

export const anyCuts = fc.array(fc.nat(), { maxLength: 12 });

/** Every ended line, without its line feed. */
export function linesIn(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  new EveryLine(0).push(bytes, (start, end) => lines.push(bytes.subarray(start, end - 1)));
  return lines;
}

export function takeAll(bytes: Buffer, ledger: Ledger = new Ledger(session)): RecordedEvent[] {
  return linesIn(bytes).flatMap((line) => ledger.take(classify(line, names)).events);
}

/** Undefined: a line of the host's, or a broken one. */
export function decodeLine(line: Uint8Array, under = names): JournalLine | undefined {
  const content = classify(line, under);
  return content.kind === "host" || content.kind === "broken" ? undefined : content;
}

/** Session files as hosts, older runtimes and journals write them, whole and damaged. */
import type { Head } from "../event/commit.ts";
import type { ScratchpadEvent } from "../event/event.ts";
import { encodeEvent } from "../event/parse.ts";
import { currentSchema } from "../event/upcast.ts";
import { genesisHash } from "../line/chain.ts";
import { commitLine, headerLine, linkCommit } from "../line/encode.ts";
import { lineNames } from "../line/format.ts";
import { arbitraryEvent, hostileText } from "./arbitraries.ts";
import { type Damage, damaged } from "./damage.ts";
import { fc } from "./fast-check.ts";

/**
 * Generates anything that can happen to a file, at any place of it.
 *
 * @throws Nothing, if the types hold.
 * @example
 * fc.assert(fc.property(arbitraryDamage(), (damage) => damaged(bytes, [damage]) instanceof Uint8Array));
 */
export function arbitraryDamage(): fc.Arbitrary<Damage> {
  const at = fc.oneof(fc.nat({ max: 100_000 }), fc.integer({ min: -40, max: -1 }));
  const count = fc.integer({ min: 1, max: 64 });
  const line = fc.integer({ min: -3, max: 30 });
  return fc.oneof(
    fc.record({ damage: fc.constant("cut" as const), at }),
    fc.record({ damage: fc.constant("flip" as const), at, bit: fc.nat({ max: 7 }) }),
    fc.record({ damage: fc.constant("nuls" as const), at, count }),
    fc.record({ damage: fc.constant("hole" as const), at, count }),
    fc.record({ damage: fc.constant("swap" as const), lines: fc.tuple(line, line) }),
    fc.record({ damage: fc.constant("repeat" as const), line }),
  );
}

/** This is a file, with the damages that were done to it. A counterexample shows `whole` and `damages`, not the bytes. */
export interface DamagedFile {
  readonly whole: string;
  readonly damages: readonly Damage[];
  readonly bytes: Uint8Array;
}

/**
 * Generates a file with at least one damage, which may change nothing.
 *
 * @param whole Generates the file before the damage. The default is any session file.
 * @throws Nothing, if the types hold.
 * @example
 * fc.assert(fc.property(arbitraryDamagedFile(), ({ bytes }) => myReader(bytes) !== undefined));
 */
export function arbitraryDamagedFile(whole: fc.Arbitrary<string> = arbitrarySessionFile()): fc.Arbitrary<DamagedFile> {
  return fc
    .tuple(whole, fc.array(arbitraryDamage(), { minLength: 1, maxLength: 4 }))
    .map(([text, damages]) => new PrintableFile(text, damages));
}

class PrintableFile implements DamagedFile {
  readonly whole: string;
  readonly damages: readonly Damage[];
  readonly bytes: Uint8Array;

  constructor(whole: string, damages: readonly Damage[]) {
    this.whole = whole;
    this.damages = damages;
    this.bytes = damaged(Buffer.from(whole), damages);
  }

  [fc.toStringMethod](): string {
    return fc.stringify({ whole: this.whole, damages: this.damages });
  }
}

/** A line after the header is one of these. */
type Line =
  | { readonly line: "commit"; readonly events: readonly ScratchpadEvent[] }
  | { readonly line: "value"; readonly key: string; readonly data: unknown }
  | { readonly line: "message"; readonly role: string; readonly content: string };

const names = lineNames();
const session = { id: "4c0e3f1a-0000-4000-8000-000000000000", timestamp: "2026-11-21T20:00:00.000Z" };

/**
 * Generates the text of a session file: messages of the host, values of older runtimes and commits of ours, in any order.
 *
 * @param options The largest number of lines. The default is 12.
 * @throws An Error of fast-check for a number that is not a whole one from 0 on.
 * @example
 * fc.assert(fc.property(arbitrarySessionFile(), (text) => myReader(text) !== undefined));
 */
export function arbitrarySessionFile({ linesMax = 12 } = {}): fc.Arbitrary<string> {
  const text = fc.record({
    line: fc.constant("value" as const),
    key: fc.constantFrom(names.notes, names.plan, names.legacy),
    data: hostileText(),
  });
  const refs = fc.record({
    line: fc.constant("value" as const),
    key: fc.constant(names.refs),
    data: fc.array(fc.oneof({ weight: 4, arbitrary: hostileText({ piecesMax: 2 }) }, fc.integer()), { maxLength: 4 }),
  });
  const line: fc.Arbitrary<Line> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        line: fc.constant("commit" as const),
        events: fc.array(arbitraryEvent(), { minLength: 1, maxLength: 3 }),
      }),
    },
    text,
    refs,
    fc.record({
      line: fc.constant("message" as const),
      role: fc.constantFrom("user", "assistant"),
      content: hostileText(),
    }),
  );
  return fc.array(line, { maxLength: linesMax }).map(written);
}

/** Each line is the child of the one before, and each commit that of the one before it. */
function written(lines: readonly Line[]): string {
  let head: Head = { version: 0, hash: genesisHash(session.id) };
  let parentId: string | null = null;
  let file = headerLine({ ...session, cwd: "/" });
  for (const [index, line] of lines.entries()) {
    const timestamp = new Date(Date.parse(session.timestamp) + (index + 1) * 1000).toISOString();
    const number = index.toString(16).padStart(8, "0");
    if (line.line === "commit") {
      const events = line.events.map((event) => ({ ...encodeEvent(event), actor: "agent" }));
      const data = linkCommit({ v: currentSchema, id: `commit ${number}`, at: timestamp, events }, head, "file");
      const { text, id } = commitLine(data, parentId, { names, timestamp, salt: () => number.padStart(15, "0") });
      file += text;
      parentId = id;
      head = data;
    } else {
      file += `${JSON.stringify({ ...hostFields(line), id: number, parentId, timestamp })}\n`;
      parentId = number;
      if (line.line === "value") head = { version: head.version + 1, hash: head.hash };
    }
  }
  return file;
}

function hostFields(line: Exclude<Line, { line: "commit" }>): object {
  switch (line.line) {
    case "value":
      return { type: "custom", customType: line.key, data: line.data };
    case "message":
      return { type: "message", message: { role: line.role, content: line.content } };
  }
}

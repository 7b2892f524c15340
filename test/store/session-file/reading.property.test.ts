import fs from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { RecordedEvent } from "../../../src/event/event.ts";
import { Ledger } from "../../../src/line/acceptance.ts";
import { classify } from "../../../src/line/classify.ts";
import { headerLine } from "../../../src/line/encode.ts";
import { fold } from "../../../src/state/fold.ts";
import { openSession } from "../../../src/store/session-file/session-header.ts";
import { anyText } from "../../../src/testing/any-text.ts";
import { acceptedIn, anySteps, linesLeftBy } from "../../line/interleaving.ts";
import { linesIn, names, session } from "../../line/lines.ts";
import { useFolder } from "./folder.ts";
import { type ReadWhole, readWhole } from "./read-whole.ts";

const folder = useFolder();
const header = headerLine({ ...session, cwd: "/home/dev/acme" });
const runs = Math.max(50, fc.readConfigureGlobal()?.numRuns ?? 0) / 2;

interface Reading {
  readonly events: readonly RecordedEvent[];
  readonly turn: number;
}

/** Every line looked at, none passed over. */
function readFully(bytes: Buffer): Reading {
  const ledger = new Ledger(session);
  let offset = 0;
  const events = linesIn(bytes).flatMap((line) => {
    const start = offset;
    offset += line.length + 1;
    return ledger.take(classify(line, names), start).events;
  });
  return { events, turn: ledger.turn };
}

function readLean(file: string): Reading & Pick<ReadWhole, "reading"> {
  const opened = openSession(file);
  const { events, reading } = readWhole(opened);
  opened?.bytes.close();
  return { events, turn: reading.ledger.turn, reading };
}

test("passing over the lines of others hides nothing: same events, same turns", async () => {
  const file = folder.path("session.jsonl");
  await fc.assert(
    fc.asyncProperty(anySteps, async (all) => {
      const lines = linesLeftBy(all);
      fs.writeFileSync(file, header + lines.join(""));
      const { events, turn, reading } = readLean(file);
      expect({ events, turn }).toEqual(readFully(fs.readFileSync(file)));
      expect(reading.ledger.head).toEqual(acceptedIn(lines).head);
      expect(reading.state).toEqual(fold(events.map(({ event }) => event)));
    }),
    { numRuns: runs },
  );
}, 300_000);

/** The bytes are cut at any places. */
function partsOf(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
  return [...places, bytes.length].map((to, index) => bytes.subarray(places[index - 1] ?? 0, to));
}

test("a file that grows in any steps is read as at once, and nothing is told twice or taken back", async () => {
  let files = 0;
  await fc.assert(
    fc.asyncProperty(anySteps, fc.array(fc.nat(), { maxLength: 8 }), async (all, cuts) => {
      files += 1;
      const file = folder.path(`${files}.jsonl`);
      fs.writeFileSync(file, header);
      const reader = folder.reader(file, { readonly: true });
      for (const part of partsOf(Buffer.from(linesLeftBy(all).join("")), cuts)) {
        fs.appendFileSync(file, part);
        await reader.catchUp();
        expect(reader.events).toEqual(readFully(fs.readFileSync(file)).events);
      }
      expect(reader.resets).toBe(0);
      expect((await reader.catchUp()).hash).toBe(acceptedIn(linesLeftBy(all)).head.hash);
    }),
    { numRuns: runs },
  );
}, 300_000);

test("under policy branch too, growing in steps ends where reading at once does", async () => {
  let files = 0;
  await fc.assert(
    fc.asyncProperty(anySteps, fc.array(fc.nat(), { maxLength: 8 }), async (all, cuts) => {
      files += 1;
      const file = folder.path(`${files}.jsonl`);
      fs.writeFileSync(file, header);
      const reader = folder.reader(file, { readonly: true, fold: "branch" });
      for (const part of partsOf(Buffer.from(linesLeftBy(all).join("")), cuts)) {
        fs.appendFileSync(file, part);
        await reader.catchUp();
      }
      const fresh = folder.reader(file, { readonly: true, fold: "branch" });
      await fresh.catchUp();
      expect(reader.events).toEqual(fresh.events);
      const every = readFully(fs.readFileSync(file)).events;
      for (const recorded of fresh.events) expect(every).toContainEqual(recorded);
    }),
    { numRuns: runs / 2 },
  );
}, 300_000);

test("bytes that are no session's never make a reader fail or hang", async () => {
  let files = 0;
  const shard = fc.constantFrom(
    "\n",
    '"user"',
    `"${names.namespace}:events"`,
    `{"type":"custom","customType":`,
    "}",
    '"',
  );
  const bytes = fc.array(fc.oneof(shard, anyText), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(bytes, async (pieces) => {
      files += 1;
      const file = folder.path(`${files}.jsonl`);
      fs.writeFileSync(file, header + pieces.join(""));
      const { events } = await readLean(file);
      expect(events).toEqual(readFully(fs.readFileSync(file)).events);
    }),
    { numRuns: runs },
  );
}, 300_000);

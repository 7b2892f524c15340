import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { genesisHash } from "../../../src/line/chain.ts";
import { headerLine } from "../../../src/line/encode.ts";
import { fold } from "../../../src/state/fold.ts";
import type { Snapshot } from "../../../src/stream/checkpoint.ts";
import type { StreamEnd } from "../../../src/stream/delivery.ts";
import { mark, StoreReader } from "../../../src/testing/store-reader.ts";
import { anySteps, linesLeftBy } from "../../line/interleaving.ts";
import { names, session } from "../../line/lines.ts";
import { type Line, linesOf, pathOf, useFolder, valuesIn } from "./folder.ts";

const folder = useFolder();
const header = headerLine({ ...session, cwd: "/home/dev/acme" });
const runs = (fc.readConfigureGlobal()?.numRuns ?? 100) / 2;
let files = 0;

function newFile(): string {
  files += 1;
  const home = folder.path(String(files));
  fs.mkdirSync(home);
  return path.join(home, "session.jsonl");
}

async function saveSnapshot(reader: StoreReader): Promise<void> {
  const end = await reader.catchUp();
  await reader.store.saveSnapshot({ end });
}

interface Resumed {
  readonly snapshot: Snapshot | undefined;
  readonly reader: StoreReader;
  readonly end: Omit<StreamEnd, "generation">;
  readonly state: unknown;
  readonly known: readonly string[];
}

function isOfHost({ type, customType, mirror }: Line): boolean {
  if (type === "session" || customType === names.events) return false;
  const marked: readonly unknown[] = [names.notes, names.plan, names.refs, names.legacy, names.mark];
  return mirror === undefined || !marked.includes(customType);
}

/** As a journal does it. */
async function resume(file: string): Promise<Resumed> {
  const store = folder.store(file);
  const snapshot = await store.loadSnapshot?.();
  const reader = new StoreReader(store, snapshot?.end);
  const { version, hash, turn } = await reader.catchUp();
  const events = reader.events.map(({ event }) => event);
  const state = fold(events, reader.resets > 0 ? undefined : snapshot?.state);
  const known = Array.from({ length: 6 }, (_, index) => `call-${index}`).filter((command) => store.knows(command));
  return { snapshot, reader, end: { version, hash, turn }, state, known };
}

/** The same bytes without a snapshot. */
async function readFromStart(file: string): Promise<Resumed> {
  const copy = newFile();
  fs.copyFileSync(file, copy);
  return resume(copy);
}

test("resuming from a snapshot of any moment gives what reading from the start gives", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.nat(), fc.nat(), async (all, saved, added) => {
      const bytes = Buffer.from(header + linesLeftBy(all).join(""));
      const savedAt = header.length + (saved % (bytes.length - header.length + 1));
      const addedTo = savedAt + (added % (bytes.length - savedAt + 1));
      const file = newFile();
      fs.writeFileSync(file, bytes.subarray(0, savedAt));
      await saveSnapshot(folder.reader(file));
      // A first commit whose hash is wrong may be one of another key: nothing is kept before one that is right. Nor is a state
      // that skipped an event which only a newer version can read.
      const { end, reader } = await readFromStart(file);
      const isKept =
        end.hash !== genesisHash(session.id) && reader.events.every(({ event }) => event.type !== "unknown");
      for (const to of [addedTo, bytes.length]) {
        fs.writeFileSync(file, bytes.subarray(0, to), { flag: "r+" });
        const resumed = await resume(file);
        const expected = await readFromStart(file);
        if (isKept) expect(resumed.snapshot).toBeDefined();
        expect(expected.snapshot).toBeUndefined();
        const { state, known } = resumed;
        expect({ end: resumed.end, state, known }).toEqual({
          end: expected.end,
          state: expected.state,
          known: expected.known,
        });
      }
    }),
    { numRuns: runs },
  );
});

test("a file that was cut, wherever and whenever, is read as it is", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.nat(), fc.boolean(), async (all, cut, grows) => {
      const bytes = Buffer.from(header + linesLeftBy(all).join(""));
      const cutAt = header.length + (cut % (bytes.length - header.length + 1));
      const file = newFile();
      fs.writeFileSync(file, bytes);
      await saveSnapshot(folder.reader(file));
      fs.truncateSync(file, cutAt);
      if (grows) fs.appendFileSync(file, `\n${"{}\n".repeat(bytes.length)}`);
      const { end, state } = await resume(file);
      const expected = await readFromStart(file);
      expect({ end, state }).toEqual({ end: expected.end, state: expected.state });
    }),
    { numRuns: runs },
  );
});

test("what a resumed handle writes is what its host and older runtimes need", async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.nat(), async (all, saved) => {
      const bytes = Buffer.from(header + linesLeftBy(all).join(""));
      const file = newFile();
      fs.writeFileSync(file, bytes.subarray(0, header.length + (saved % (bytes.length - header.length + 1))));
      await saveSnapshot(folder.reader(file));
      fs.writeFileSync(file, bytes, { flag: "r+" });
      const { reader } = await resume(file);
      await reader.append(mark("resumed"));
      const { state } = await readFromStart(file);
      const { notes, plan, refs } = valuesIn(file);
      expect(state).toMatchObject({ notes, plan, refs });
      const newestOfHost = linesOf(file).findLast((line) => line.id !== undefined && isOfHost(line));
      if (newestOfHost !== undefined) expect(pathOf(file)).toContain(newestOfHost.id);
    }),
    { numRuns: runs },
  );
});

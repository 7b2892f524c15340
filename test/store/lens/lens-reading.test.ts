import path from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { claudeCode } from "../../../src/lens/claude-code.ts";
import type { LensEntry } from "../../../src/lens/lens.ts";
import { TrackedFiles } from "../../../src/lens/tracked-files.ts";
import { LensReading } from "../../../src/store/lens/lens-reading.ts";
import { SessionBytes } from "../../../src/store/session-file/session-bytes.ts";

const file = path.resolve("fixtures/sessions/claude-code/2.1.39-tasks-compaction.jsonl");

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

test("a reading that is kept to be gone on with keeps nothing of what it told", async () => {
  const bytes = SessionBytes.open(file);
  if (bytes === undefined) throw new Error(`${file} is not there`);
  const reading = new LensReading(bytes, { lens: claudeCode, files: new TrackedFiles() });
  const told = await tell(reading);
  await pause();
  collectGarbage();
  expect(told.deref()).toBeUndefined();
  expect(reading.lines).toBeGreaterThan(100);
  bytes.close();
});

async function tell(reading: LensReading): Promise<WeakRef<LensEntry[]>> {
  const entries: LensEntry[] = [];
  await reading.advance((entry) => entries.push(entry));
  expect(entries.length).toBeGreaterThan(10);
  return new WeakRef(entries);
}

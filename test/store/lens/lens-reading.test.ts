import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setImmediate as pause } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { claudeCode } from "../../../src/lens/claude-code.ts";
import { codex } from "../../../src/lens/codex.ts";
import { droid } from "../../../src/lens/droid.ts";
import { gemini } from "../../../src/lens/gemini.ts";
import type { Lens, LensEntry } from "../../../src/lens/lens.ts";
import { pi } from "../../../src/lens/pi.ts";
import { TrackedFiles } from "../../../src/lens/tracked-files.ts";
import { LensReading } from "../../../src/store/lens/lens-reading.ts";
import { SessionBytes } from "../../../src/store/session-file/session-bytes.ts";
import { temporaryFolder } from "../../cli/cli.ts";
import { isFull } from "../../reliability/results.ts";

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

const growing: readonly (readonly [Lens, string])[] = [
  [claudeCode, "claude-code/2.1.39-tasks-compaction.jsonl"],
  [codex, "codex/0.126-plans.jsonl"],
  [droid, "droid/todo-text.jsonl"],
  [gemini, "gemini-cli/0.61.0-tracker/chats/session-2026-11-22T16-37-0409a72e.jsonl"],
  [pi, "pi-0.87.1.jsonl"],
];

/** What is told of a file while it is read: what a reading told before does not count if another one takes its place. */
class Reader {
  entries: LensEntry[] = [];
  reading: LensReading;

  constructor(bytes: SessionBytes, lens: Lens, every = false) {
    this.reading = new LensReading(bytes, { lens, every, files: new TrackedFiles(), digest: true });
  }

  async advance(): Promise<void> {
    const again = await this.reading.advance((entry) => this.entries.push(entry));
    if (again === undefined) return;
    [this.reading, this.entries] = [again, []];
    await this.advance();
  }
}

test.each(growing)("%#: a file that grows by any number of bytes is told as it is at last", async (lens, fixture) => {
  const found = fs.readFileSync(path.resolve("fixtures/sessions", fixture));
  const long = Buffer.from(`{"type":"odd","text":"${"long ".repeat(300_000)}"}\n`);
  const middle = found.indexOf("\n", found.length / 2) + 1;
  const text = Buffer.concat([found.subarray(0, middle), long, found.subarray(middle)]);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(text.length), { maxLength: 8 }), async (cuts) => {
      const file = path.join(temporaryFolder(), "session.jsonl");
      fs.writeFileSync(file, "");
      const bytes = SessionBytes.open(file) as SessionBytes;
      const grown = new Reader(bytes, lens);
      let from = 0;
      for (const to of [...cuts.sort((one, other) => one - other), text.length]) {
        // A line that is whole is told before a line feed ends it, and that makes an empty line then.
        const end = text[to] === 0x0a ? to + 1 : to;
        fs.appendFileSync(file, text.subarray(from, end));
        from = end;
        await grown.advance();
      }
      const whole = new Reader(bytes, lens, true);
      await whole.advance();
      bytes.close();
      expect(grown.entries).toEqual(whole.entries);
      expect([grown.reading.read, grown.reading.position]).toEqual([text.length, text.length]);
      expect(grown.reading.sha256()).toBe(createHash("sha256").update(text).digest("hex"));
    }),
    isFull ? { numRuns: 200 } : { numRuns: 8, seed: 1 },
  );
});

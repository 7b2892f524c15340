/** Writers are killed and stopped at any moment while a host tears its lines: nothing acknowledged is lost or there twice. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { fold } from "../../src/state/fold.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { readAll, StoreReader } from "../../src/testing/store-reader.ts";
import { Session } from "../fixtures/session.ts";
import { type Program, program } from "../store/process/spawn.ts";
import { valuesIn } from "../store/session-file/folder.ts";
import { verifyFile } from "../store/session-file/verify-file.ts";
import { newRandom } from "./random.ts";
import { isFull, recordResult } from "./results.ts";
import { type Storm, storm, type Weather } from "./storm.ts";

/** Of each of four kinds. A session grows with every kill, and so does what each life has to read: they are many instead. */
const sessions = isFull ? 10 : 1;
const killsEach = isFull ? 25 : 4;
const writers = 8;
const { seed } = newRandom();

let folder = "";
let writer: Program;
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-storm-"));
  writer = await program("acknowledge.ts");
});
afterAll(() => {
  writer.remove();
  fs.rmSync(folder, { recursive: true, force: true });
});

const kinds = (["always", "off"] as const)
  .flatMap((mode) => (["fsync", "os"] as const).map((durability) => ({ mode, durability })))
  // In the short run each of the four words once.
  .filter(({ mode, durability }) => isFull || (mode === "always") === (durability === "fsync"));

describe("0 acknowledged are lost, 0 are there twice, and all readers read the same in each writer's order", () => {
  // Side by side, for a writer that is stopped leaves the processor to others.
  test.concurrent.each(kinds)(
    `lock $mode, durability $durability, seed ${seed}`,
    async ({ mode, durability }) => {
      const random = newRandom(seed);
      const sum = { kills: 0, stops: 0, tears: 0, acknowledged: 0 };
      for (let session = 0; session < sessions; session++) {
        const { file } = new Session(path.join(folder, `${mode}-${durability}-${session}.jsonl`), crypto.randomUUID());
        const weather = await outlive({ file, mode, durability, kills: killsEach, writers, staleMs: 2000 }, random);
        sum.kills += weather.kills;
        sum.stops += weather.stops;
        sum.tears += weather.hostTears;
        sum.acknowledged += weather.acknowledged.flat().length;
      }
      expect(sum.kills).toBe(sessions * killsEach);
      recordResult({
        suite: "reliability/storms.crash.test.ts",
        claim: `kill -9 and long stops of ${writers} writers, lock ${mode === "off" ? "off" : "on"}, durability ${durability}`,
        size: `${sum.kills} kills`,
        seed,
        outcome: `0 lost and 0 twice of ${sum.acknowledged} acknowledged; ${sum.stops} stops beyond the stale time, ${sum.tears} torn host lines`,
      });
    },
    3_600_000,
  );
});

async function outlive(plan: Storm, random: ReturnType<typeof newRandom>): Promise<Weather> {
  const { file } = plan;
  const store = (readonly: boolean) => sessionFileStore(file, { readonly, durability: "os" });
  const incremental = new StoreReader(store(true));
  const keeper = new StoreReader(store(false));
  const weather = await storm(writer, plan, random, async () => {
    await incremental.catchUp();
    if (!random.chance(5)) return;
    const end = await keeper.catchUp();
    await keeper.store.saveSnapshot({ end });
  });

  await keeper.append({ event: { type: "plan.set", text: "after the storm" }, actor: "survivor" });
  const whole = await readAll(store(true));
  expectOnce(
    whole.flatMap(({ command }) => command ?? []),
    weather.acknowledged,
  );
  await expectAgreement(file, whole, incremental);
  expect(fs.readFileSync(file, "utf8").endsWith("\n")).toBe(true);
  expect(valuesIn(file)).toMatchObject({ notes: fold(whole).notes, plan: "after the storm" });
  await Promise.all([incremental.store.close(), keeper.store.close()]);
  return weather;
}

/** What was read bit by bit, what a snapshot is resumed to and what is read from the start is one and the same. */
async function expectAgreement(file: string, whole: readonly RecordedEvent[], incremental: StoreReader): Promise<void> {
  expect(whole.map(({ version }) => version)).toEqual(whole.map((_, index) => index + 1));
  await incremental.catchUp();
  expect(incremental.events).toEqual(whole);
  expect(incremental.resets).toBe(0);
  const resumed = await openJournal(file, { readonly: true });
  expect({ state: resumed.state, version: resumed.version }).toEqual({ state: fold(whole), version: whole.length });
  await resumed.close();
  // A torn line of the host's may swallow the beginning of a commit, which was then written again.
  const damage = (await verifyFile(file)).findings.filter(({ severity }) => severity === "damage");
  expect(damage.filter(({ kind }) => !["corrupt", "fork", "mirror"].includes(kind))).toEqual([]);
}

function expectOnce(found: readonly string[], acknowledged: Weather["acknowledged"]): void {
  expect(found.filter((command, index) => found.indexOf(command) !== index)).toEqual([]);
  for (const [index, commands] of acknowledged.entries()) {
    const own = found.filter((command) => command.startsWith(`w${index}-`));
    // The last may have been written and never acknowledged.
    expect(own.slice(0, commands.length)).toEqual(commands);
    expect(own.length - commands.length).toBeLessThanOrEqual(1);
  }
}

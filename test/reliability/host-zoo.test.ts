/** Everything that hosts have been seen to do to a session file, in any order, while two writers go on writing. */
import fs from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import type { StoreReader } from "../../src/testing/store-reader.ts";
import { appendingHabits, hostLine, hostOn, rewritingHabits } from "../fixtures/zoo.ts";
import { useFolder, valuesIn } from "../store/session-file/folder.ts";
import { newRandom } from "./random.ts";
import { isFull, recordResult } from "./results.ts";

const folder = useFolder();
const habits = Object.entries({ ...appendingHabits, ...rewritingHabits });
const steps = isFull ? 1_000 : 24;
/** Files stay short, for they are rewritten again and again. */
const stepsEach = 50;
const { seed } = newRandom();

test(`any of them, ${steps} times, seed ${seed}: nothing acknowledged is lost or there twice`, async () => {
  const random = newRandom(seed);
  let acknowledged = 0;
  for (let done = 0; done < steps; done += stepsEach) {
    acknowledged += await visit(`${done}.jsonl`, Math.min(stepsEach, steps - done), random);
  }
  recordResult({
    suite: "reliability/host-zoo.test.ts",
    claim: `a zoo of hosts: ${habits.length} ways of appending and rewriting, two live writers`,
    size: `${steps} times one of them`,
    seed,
    outcome: `0 lost and 0 twice of ${acknowledged} acknowledged`,
  });
}, 1_800_000);

/** Answers how many commits were acknowledged. */
async function visit(name: string, times: number, random: ReturnType<typeof newRandom>): Promise<number> {
  const { file } = folder.session(name);
  const host = hostOn(file);
  fs.appendFileSync(file, `${hostLine(host)}\n`);
  const writers = [folder.reader(file), folder.reader(file)];
  // Who opens a file that its host has just deleted begins another session: each has seen this one.
  for (const writer of writers) await writer.catchUp();
  const acknowledged: string[] = [];
  for (let step = 0; step < times; step++) {
    const [, habit] = habits[random.below(habits.length)] as (typeof habits)[number];
    // Else what it rewrites from is older than the file.
    if (random.chance(60)) host.memory = hostOn(file).memory;
    const writing = writers.map(async (writer, index) => {
      await sleep(random.below(8));
      acknowledged.push(await write(writer, `w${index}-${step}`));
    });
    await Promise.all([habit(host), ...writing]);
  }
  for (const writer of [...writers, ...writers]) await writer.catchUp();
  const fresh = folder.reader(file, { readonly: true });
  await fresh.catchUp();
  const found = fresh.events.flatMap(({ command }) => command ?? []);
  expect([...found].sort()).toEqual([...acknowledged].sort());
  for (const writer of writers) expect(writer.events.map(withoutPlace)).toEqual(fresh.events.map(withoutPlace));
  expect(valuesIn(file).plan).toBe(fresh.state.plan);
  return acknowledged.length;
}

/** Where a line lay when it was read, a rewrite may have moved it since. */
function withoutPlace({ offset: _, ...event }: RecordedEvent): object {
  return event;
}

async function write(writer: StoreReader, command: string): Promise<string> {
  await writer.append({ event: { type: "plan.set", text: command }, actor: "agent", command });
  return command;
}

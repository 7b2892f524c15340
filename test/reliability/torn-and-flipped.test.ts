/**
 * A session of a hundred mixed lines, cut off at any byte and written on; any bit of our lines turned; a line of ours
 * removed, doubled, or put in the place of another.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Verification } from "../../src/audit/verify/finding.ts";
import { verifyLines } from "../../src/audit/verify/verify.ts";
import type { ScratchpadEvent } from "../../src/event/event.ts";
import { lineNames } from "../../src/line/format.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { StoreReader } from "../../src/testing/store-reader.ts";
import { asVerified, linesIn } from "../audit/verify/split.ts";
import { Session } from "../fixtures/session.ts";
import { newRandom } from "./random.ts";
import { isFull, recordResult } from "./results.ts";

const suite = "reliability/torn-and-flipped.test.ts";
const { namespace } = lineNames();
const timeMs = 7_200_000;
const random = newRandom();

let folder = "";
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
});
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }));

/** Lines of ours, of the host's and of an older runtime. `salt` makes another one of it. */
async function mixed(turns: number, salt: number): Promise<Buffer> {
  const session = new Session(path.join(folder, `mixed-${salt}.jsonl`), `6f1d2c3b-0000-4000-8000-0000000000b${salt}`);
  const store = sessionFileStore(session.file, { durability: "os" });
  const reader = new StoreReader(store);
  const last = (): string =>
    (JSON.parse(`${fs.readFileSync(session.file)}`.trimEnd().split("\n").at(-1) ?? "") as { id: string }).id;
  session.user("Why do tokens expire at once? 🤔");
  for (let turn = salt; turn < salt + turns; turn++) {
    await reader.append(...eventsOf(turn));
    session.host(
      "message",
      { message: { role: turn % 2 === 0 ? "user" : "assistant", content: `${turn} 😀` } },
      last(),
    );
    if (turn % 7 === 3) session.value(":plan", `theirs ${turn} é`);
  }
  await reader.append(...eventsOf(salt + turns));
  await store.close();
  return fs.readFileSync(session.file);
}

function eventsOf(turn: number): { event: ScratchpadEvent; actor: string; command?: string }[] {
  const kinds: ScratchpadEvent[] = [
    { type: "notes.set", text: `first \u2028 é 😀 ${turn}` },
    { type: "entry.written", key: `key-${turn % 3}`, text: `text "${turn}" \\ 🧪` },
    { type: "ref.added", ref: `src/${turn}.ts` },
    { type: "turn.began" },
    { type: "plan.set", text: `1. go on\n2. ${turn}` },
  ];
  const event = kinds[turn % kinds.length] as ScratchpadEvent;
  const more = turn % 4 === 0 ? [{ event: { type: "plan.set", text: `${turn}` } as const, actor: "other" }] : [];
  return [{ event, actor: "agent", command: `call-${turn}` }, ...more];
}

function verify(lines: readonly Buffer[]): Promise<Verification> {
  return verifyLines(asVerified(lines), { namespace });
}

function isOurs(line: Buffer): boolean {
  return line.includes(`"${namespace}:events"`) || line.includes('"mirror":') || line.includes(`"${namespace}:mark"`);
}

function oursIn(lines: readonly Buffer[]): number[] {
  return [...lines.keys()].filter((index) => isOurs(lines[index] as Buffer));
}

/** What a reader finds in a file, and after it has written on. */
async function readAndWriteOn(file: string, text: string) {
  const store = sessionFileStore(file, { durability: "os" });
  const reader = new StoreReader(store);
  const { version } = await reader.catchUp();
  const { state } = reader;
  const after = await reader.append({ event: { type: "plan.set", text }, actor: "agent" });
  await store.close();
  return { version, state, after: after.version, stateAfter: reader.state };
}

async function tryCut(whole: Buffer, at: number): Promise<string[]> {
  const file = path.join(folder, `cut-${at}.jsonl`);
  // A line that lacks its line feed alone is whole once the next writer has ended it.
  const isEnded = whole[at] === 0x0a;
  const kept = isEnded ? at + 1 : whole.lastIndexOf(0x0a, at - 1) + 1;
  fs.writeFileSync(file, whole.subarray(0, kept));
  const expected = await readAndWriteOn(file, `after ${at}`);
  fs.writeFileSync(file, whole.subarray(0, at));
  const found = await readAndWriteOn(file, `after ${at}`);
  const bytes = fs.readFileSync(file);
  fs.rmSync(file);
  const { ok, findings } = await verify(linesIn(bytes));
  const misses: string[] = [];
  const shown = ({ version, state, ...after }: typeof found): string =>
    JSON.stringify(isEnded ? after : { version, state, ...after });
  if (shown(found) !== shown(expected)) misses.push(`cut at ${at}: ${JSON.stringify(found)}`);
  if (!bytes.subarray(0, at).equals(whole.subarray(0, at))) misses.push(`cut at ${at}: what was there was changed`);
  if (!ok) misses.push(`cut at ${at}: ${JSON.stringify(findings)}`);
  return misses;
}

/** So many at a time, for most of each is waiting. */
async function inTurns<Item>(items: readonly Item[], task: (item: Item) => Promise<string[]>): Promise<string[]> {
  const left = [...items];
  const misses: string[] = [];
  const work = async (): Promise<void> => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) misses.push(...(await task(item)));
  };
  await Promise.all(Array.from({ length: 32 }, work));
  return misses;
}

function some<Item>(all: readonly Item[], count: number): Item[] {
  if (isFull) return [...all];
  return [...new Set(Array.from({ length: count }, () => all[random.below(all.length)] as Item))];
}

test(
  `a tail of a hundred lines, cut off at any byte, is written on (seed ${random.seed})`,
  async () => {
    const whole = await mixed(36, 0);
    const lines = linesIn(whole);
    expect(lines.length).toBeGreaterThan(100);
    expect(await verify(lines)).toMatchObject({ ok: true });
    const from = (lines[0] as Buffer).length + 1;
    const places = Array.from({ length: whole.length - from }, (_, at) => from + at);
    const tried = some(places, 32);
    expect(await inTurns(tried, (at) => tryCut(whole, at))).toEqual([]);
    recordResult({
      suite,
      claim: "a tail that is cut off at any byte reads as its whole lines say, and is written on",
      size: `${tried.length} cuts of ${places.length} bytes in ${lines.length} lines`,
      seed: random.seed,
      outcome: "0 misread, 0 damage",
    });
  },
  timeMs,
);

/** Several files: a bit is looked for in the whole of its file. */
test(
  `any bit of a line of ours that was turned is found (seed ${random.seed})`,
  async () => {
    let bits = 0;
    let bytes = 0;
    const misses: string[] = [];
    for (let salt = 0; salt < (isFull ? 5 : 1); salt++) {
      const lines = linesIn(await mixed(9, salt));
      const ours = oursIn(lines);
      bytes += ours.reduce((sum, index) => sum + (lines[index] as Buffer).length, 0);
      // Without its line feed the last line has not ended yet.
      const places = ours.flatMap((index) => {
        const { length } = lines[index] as Buffer;
        const count = index === lines.length - 1 ? length - 1 : length;
        return Array.from({ length: count * 8 }, (_, bit) => [index, bit] as const);
      });
      for (const [index, bit] of some(places, 200)) {
        const changed = Buffer.from(lines[index] as Buffer);
        changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
        const { ok } = await verify(linesIn(Buffer.concat(lines.with(index, changed))));
        if (ok) misses.push(`file ${salt}, line ${index + 1}, bit ${bit}`);
        bits += 1;
      }
    }
    expect(misses).toEqual([]);
    if (isFull) expect(bytes).toBeGreaterThan(30_000);
    recordResult({
      suite,
      claim: "any bit of a line of ours that was turned is found",
      size: `${bits} bits of ${bytes} bytes of ours`,
      seed: random.seed,
      outcome: "0 not found",
    });
  },
  timeMs,
);

test(
  `a line of ours that was removed, doubled or put in the place of another is found (seed ${random.seed})`,
  async () => {
    const lines = linesIn(await mixed(36, 0));
    const ours = oursIn(lines);
    const tampered = ours.slice(0, -1).flatMap((index, nth) => {
      const line = lines[index] as Buffer;
      const swapped = ours
        .slice(nth + 1)
        .map(
          (other) => [`${index} for ${other}`, lines.with(index, lines[other] as Buffer).with(other, line)] as const,
        );
      const removed = [`without ${index}`, lines.toSpliced(index, 1)] as const;
      const doubled = [`${index} twice`, lines.toSpliced(index, 0, line)] as const;
      return [removed, doubled, [`${index} again at the end`, [...lines, line]] as const, ...swapped];
    });
    const tried = some(tampered, 60);
    const misses: string[] = [];
    for (const [what, file] of tried) {
      const { ok, findings } = await verify(file);
      // A host may write again what stands there: that is noted, and no damage.
      const isDoubled = / twice| again /.test(what);
      if (isDoubled ? !findings.some(({ kind }) => kind === "duplicate") : ok) misses.push(what);
    }
    expect(misses).toEqual([]);
    recordResult({
      suite,
      claim: "a line of ours that was removed, doubled or put in the place of another is found",
      size: `${tried.length} files of ${lines.length} lines`,
      seed: random.seed,
      outcome: "0 not found",
    });
  },
  timeMs,
);

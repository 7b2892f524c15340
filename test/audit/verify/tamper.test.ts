/** Every changed bit, and every line of ours that is removed, put in, doubled or moved, is found. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Verification } from "../../../src/audit/verify/finding.ts";
import { verifyLines } from "../../../src/audit/verify/verify.ts";
import { lineNames } from "../../../src/line/format.ts";
import { sessionFileStore } from "../../../src/store/session-file/session-file-store.ts";
import { StoreReader } from "../../../src/testing/store-reader.ts";
import { Session } from "../../fixtures/session.ts";
import { asVerified, linesIn } from "./split.ts";

const { namespace } = lineNames();
const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";

/** Of the bits, every so manieth; all of them in the full programme. */
const stride = isFull ? 1 : 23;

let lines: readonly Buffer[] = [];

/** Commits of one and of several events, mirrors, a mark, host lines between. */
beforeAll(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  const session = new Session(path.join(folder, "session.jsonl"), "6f1d2c3b-0000-4000-8000-0000000000ab");
  session.user("hello");
  let slips = false;
  const clock = (): Date => {
    if (slips) session.user("quick");
    slips = false;
    return new Date("2026-11-21T22:00:00.000Z");
  };
  const store = sessionFileStore(session.file, { durability: "os", clock });
  const reader = new StoreReader(store);
  const by = { actor: "agent", command: "call-1" };
  await reader.append({ event: { type: "notes.set", text: "first é\u2028😀" }, ...by });
  await reader.append(
    { event: { type: "plan.set", text: "1. go" }, actor: "agent" },
    { event: { type: "ref.added", ref: "a.ts" }, actor: "agent" },
  );
  // The host opens the file anew: its next entry hangs on the last one, which is ours.
  session.host("message", { message: { role: "assistant" } }, lastId(session));
  session.value(":plan", "theirs");
  slips = true;
  await reader.append({ event: { type: "entry.written", key: "k", text: "v" }, actor: "agent" });
  await reader.append({ event: { type: "notes.appended", text: "second" }, actor: "other" });
  await reader.append({ event: { type: "ref.removed", ref: "a.ts" }, actor: "agent" });
  session.user("thanks", lastId(session));
  await reader.append({ event: { type: "turn.began" }, actor: "agent" });
  await store.close();
  lines = linesIn(fs.readFileSync(session.file));
  fs.rmSync(folder, { recursive: true });
});

function lastId(session: Session): string {
  const last = fs.readFileSync(session.file, "utf8").trimEnd().split("\n").at(-1) as string;
  return (JSON.parse(last) as { id: string }).id;
}

function verify(all: readonly Buffer[]): Promise<Verification> {
  return verifyLines(asVerified(all), { namespace });
}

function isOurs(line: Buffer): boolean {
  const text = line.toString();
  return text.includes(`"${namespace}:events"`) || text.includes('"mirror":') || text.includes(`"${namespace}:mark"`);
}

function ourIndexes(): number[] {
  return [...lines.keys()].filter((index) => isOurs(lines[index] as Buffer));
}

/** What the cutting off of a tail leaves: nothing of ours after it. */
function isTail(index: number): boolean {
  return index > (ourIndexes().findLast((at) => at !== index) ?? -1);
}

function describeMiss(what: string, found: Verification): string {
  return `${what}: ${JSON.stringify(found.findings)}`;
}

async function missesOf(tampered: Iterable<readonly [string, readonly Buffer[]]>): Promise<string[]> {
  const misses: string[] = [];
  for (const [what, file] of tampered) {
    const found = await verify(file);
    if (found.ok) misses.push(describeMiss(what, found));
  }
  return misses;
}

test("untouched, the file holds lines of every kind and no damage", async () => {
  expect(await verify(lines)).toMatchObject({ ok: true, findings: [] });
  const kinds = new Set(ourIndexes().map((at) => (JSON.parse(String(lines[at])) as { customType: string }).customType));
  const all = ["events", "mark", "notes", "plan", "refs"].map((name) => `${namespace}:${name}`);
  expect([...kinds].sort()).toEqual(all);
});

/** The last line feed of the file is left alone: without it, the line has not ended yet. */
test("a bit that was changed in a line of ours is found, whichever it is", async () => {
  function* flipped(): Generator<readonly [string, readonly Buffer[]]> {
    let bit = 0;
    for (const index of ourIndexes()) {
      const line = lines[index] as Buffer;
      for (; bit < line.length * 8; bit += stride) {
        if (index === lines.length - 1 && bit >> 3 === line.length - 1) break;
        const changed = Buffer.from(line);
        changed[bit >> 3] = (line[bit >> 3] as number) ^ (1 << (bit & 7));
        const file = Buffer.concat(lines.with(index, changed));
        yield [`line ${index + 1}, byte ${bit >> 3}, bit ${bit & 7}: ${around(line, bit >> 3)}`, linesIn(file)];
      }
      bit -= line.length * 8;
    }
  }
  expect(await missesOf(flipped())).toEqual([]);
}, 1_800_000);

function around(line: Buffer, at: number): string {
  return line.subarray(Math.max(0, at - 12), at + 12).toString();
}

test("a line of ours that was removed is found", async () => {
  const removed = ourIndexes()
    .filter((index) => !isTail(index))
    .map((index) => [`without line ${index + 1}`, lines.filter((_, at) => at !== index)] as const);
  expect(removed.length).toBeGreaterThan(8);
  expect(await missesOf(removed)).toEqual([]);
});

test("several lines of ours that were removed are found", async () => {
  const ours = ourIndexes();
  const removed = ours.flatMap((from) =>
    ours
      .filter((to) => to > from && !isTail(to))
      .map(
        (to) =>
          [
            `without our lines ${from + 1} to ${to + 1}`,
            lines.filter((line, at) => at < from || at > to || !isOurs(line)),
          ] as const,
      ),
  );
  expect(await missesOf(removed)).toEqual([]);
});

test("a line of ours that stands twice is noted: a host writes again what it has loaded, and no damage is done", async () => {
  for (const index of ourIndexes())
    for (let to = index + 1; to <= lines.length; to++) {
      const { ok, findings } = await verify(lines.toSpliced(to, 0, lines[index] as Buffer));
      expect({ ok, found: findings.find(({ kind }) => kind === "duplicate") }).toMatchObject({
        ok: true,
        found: { severity: "note", line: to + 1 },
      });
    }
});

/** Only lines of the host's have moved, and each entry still follows its parent. */
function isLikely(file: readonly Buffer[]): boolean {
  const seen = new Set<unknown>([null, undefined]);
  const follows = file.every((line) => {
    const { id, parentId } = JSON.parse(line.toString()) as { id: string; parentId?: string | null };
    seen.add(id);
    return seen.has(parentId);
  });
  return follows && Buffer.concat(file.filter(isOurs)).equals(Buffer.concat(lines.filter(isOurs)));
}

test("a line of ours that was moved is found", async () => {
  function* moved(): Generator<readonly [string, readonly Buffer[]]> {
    for (const index of ourIndexes()) {
      const rest = lines.filter((_, at) => at !== index);
      for (let to = 1; to <= rest.length; to++) {
        const file = rest.toSpliced(to, 0, lines[index] as Buffer);
        if (!isLikely(file)) yield [`line ${index + 1} moved to ${to + 1}`, file];
      }
    }
  }
  expect(await missesOf(moved())).toEqual([]);
});

test("a line of ours from another session is found", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  const other = new Session(path.join(folder, "other.jsonl"), "6f1d2c3b-0000-4000-8000-0000000000ac");
  const store = sessionFileStore(other.file, { durability: "os" });
  await new StoreReader(store).append({ event: { type: "notes.set", text: "put in" }, actor: "agent" });
  await store.close();
  const foreign = linesIn(fs.readFileSync(other.file)).filter(isOurs);
  fs.rmSync(folder, { recursive: true });
  const put = foreign.flatMap((line) =>
    [...lines.keys(), lines.length]
      .slice(1)
      .map((to) => [`put in before line ${to + 1}`, lines.toSpliced(to, 0, line)] as const),
  );
  expect(await missesOf(put)).toEqual([]);
});

test("a tail that a crash cut off at any byte is no damage, before and after the next write", async () => {
  const file = Buffer.concat(lines);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  const cut = path.join(folder, "cut.jsonl");
  const from = (lines[0] as Buffer).length + 1;
  const misses: string[] = [];
  for (let at = from; at < file.length; at += isFull ? 1 : 97) {
    const before = await verify(linesIn(file.subarray(0, at)));
    fs.writeFileSync(cut, file.subarray(0, at));
    const store = sessionFileStore(cut, { durability: "os" });
    await new StoreReader(store).append({ event: { type: "notes.set", text: `after ${at}` }, actor: "agent" });
    await store.close();
    const after = await verify(linesIn(fs.readFileSync(cut)));
    if (!before.ok) misses.push(describeMiss(`cut at ${at}`, before));
    if (!after.ok) misses.push(describeMiss(`cut at ${at}, written on`, after));
  }
  fs.rmSync(folder, { recursive: true });
  expect(misses).toEqual([]);
}, 1_800_000);

test("whatever was cut off is found with the head that was kept", async () => {
  const { head } = await verify(lines);
  for (const index of ourIndexes()) {
    const found = await verifyLines(asVerified(lines.slice(0, index)), { namespace, head });
    const isShorter = lines.slice(index).some((line) => line.includes(`"${namespace}:events"`));
    expect(found.ok).toBe(!isShorter);
  }
});

/** A handle that has appended very often holds little of it, and can still put all of it back. */
import { readFileSync, writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { sealCommit } from "../../src/line/chain.ts";
import { ParentFinder } from "../../src/line/parent-finder.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { Acknowledged } from "../../src/stream/acknowledged.ts";
import { newSession } from "../cli/cli.ts";

const hard = 'a "quoted" line\nand \u{1f600}\u202e, __proto__';

test("acknowledged commits that were compressed differ from those that were added", () => {
  const commits = Array.from({ length: 1400 }, (_, index) => ({
    v: 1,
    id: `commit ${index}`,
    at: "2026-11-21T20:00:00.000Z",
    events: [
      { actor: "agent", command: `${index}`, hash: "a", text: `${hard},"hash":"b" ${index}`, type: "notes.set" },
    ],
  }));
  const acknowledged = new Acknowledged();
  for (const commit of commits) acknowledged.add(sealCommit({ ...commit, version: 1, prev: "" }));
  expect([...acknowledged]).toEqual(commits);
  expect([...acknowledged]).toEqual(commits);
});

test("a host's rewrite from stale memory loses commits that were compressed", async () => {
  const file = newSession();
  const journal = await openJournal(file, { durability: "os", lock: { mode: "off" }, mirror: false });
  await journal.notes.set("before the host loaded it");
  const stale = readFileSync(file);
  const long = hard.repeat(30);
  for (let index = 0; index < 260; index++) {
    await journal.apply({ action: "entries.write", key: `key-${index % 10}`, content: `${long} ${index}` });
  }
  const { state } = journal;
  writeFileSync(file, stale);
  await journal.plan.set("after");
  expect(journal.state).toEqual({ ...state, plan: "after" });
  const reader = await openJournal(file, { readonly: true });
  expect(reader.state).toEqual({ ...state, plan: "after" });
  expect(reader.version).toBe(262);
  expect(await reader.verify()).toMatchObject({ ok: true });
  for (const each of [journal, reader]) await each.close();
});

test("a line hangs on nothing after thousands of lines without the host", () => {
  const parents = new ParentFinder();
  const find = () => ({ id: "host", ours: [] });
  let parentId = "host";
  for (let index = 0; index < 5000; index++) {
    const id = `ours ${index}`;
    parents.line({ id, parentId, timestamp: undefined }, true, index, index + 1);
    parents.parent(find);
    parentId = id;
  }
  expect(parents.parent(find)).toEqual({ parentId, isOnPath: true });
  parents.line({ id: "late", parentId: "ours 4000", timestamp: undefined }, true, 5000, 5001);
  expect(parents.parent(find)).toEqual({ parentId: "late", isOnPath: true });
  parents.line({ id: "lost", parentId: "nobody", timestamp: undefined }, true, 5001, 5002);
  expect(parents.parent(find)).toEqual({ parentId: "host", isOnPath: false });
});

test.each([false, true])(
  "a session that no host wrote to fills the memory while it is read, beside a host: %j",
  (isBesideHost) => {
    const parents = new ParentFinder(isBesideHost);
    const tellUntil = (end: number, from: number): void => {
      for (let index = from; index < end; index++) {
        const parentId = index === 0 ? null : `ours ${index - 1}`;
        parents.line({ id: `ours ${index}`, parentId, timestamp: undefined }, true, index, index + 1);
      }
    };
    tellUntil(10_000, 0);
    const before = heapBytes();
    tellUntil(100_000, 10_000);
    expect(heapBytes() - before).toBeLessThan(3_000_000);
    const expected = { parentId: "ours 99999", isOnPath: true };
    expect(isBesideHost ? parents.parentUnder(null) : parents.parent(() => ({ id: null, ours: [] }))).toEqual(expected);
    if (isBesideHost) expect(parents.parentUnder("ours 99990")).toEqual(expected);
    parents.line({ id: "next", parentId: "ours 99000", timestamp: undefined }, true, 100_000, 100_001);
    expect(isBesideHost ? parents.parentUnder(null) : parents.parent(() => ({ id: null, ours: [] }))).toEqual({
      parentId: "next",
      isOnPath: true,
    });
  },
);

/** After a full collection. */
function heapBytes(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

import jsonPatch from "fast-json-patch";
import { expect, test } from "vitest";
import type { Point } from "../../src/audit/points.ts";
import { PointError } from "../../src/errors.ts";
import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { historyOf, overStores, typesOf } from "./streams.ts";

overStores("looking back", (stream) => {
  /** v1 notes; turn 1: v2 begins, v3 plan; turn 2: v4 begins, v5 and v6 refs. */
  async function story() {
    const journal = await stream.open();
    await journal.notes.set("one");
    await journal.beginTurn({ id: "t-1" });
    await journal.plan.set("plan");
    await journal.beginTurn();
    await journal.applyAll([
      { action: "refs.add", ref: "a" },
      { action: "refs.add", ref: "b" },
    ]);
    return journal;
  }

  async function versionsOf(events: AsyncIterable<{ readonly version: number }>) {
    const versions: number[] = [];
    for await (const { version } of events) versions.push(version);
    return versions;
  }

  test("turns are counted, and answered with their number", async () => {
    const journal = await stream.open();
    const turns = await Promise.all([journal.beginTurn({ id: "x" }), journal.notes.set("n"), journal.beginTurn()]);
    expect([turns[0], turns[2], journal.turn]).toEqual([1, 2, 2]);
    expect((await historyOf(journal)).map(({ turn }) => turn)).toEqual([1, 1, 2]);
    expect((await historyOf(journal))[0]?.event).toEqual({ type: "turn.began", id: "x" });
  });

  test("the id of the newest turn begins no second one, also through another handle and after a restart", async () => {
    const journal = await stream.open();
    const both = await Promise.all([journal.beginTurn({ id: "x" }), journal.beginTurn({ id: "x" })]);
    expect([...both, await journal.beginTurn({ id: "x" })]).toEqual([1, 1, 1]);
    const other = await stream.open();
    expect(await other.beginTurn({ id: "x" })).toBe(1);
    await other.notes.set("n");
    expect(await other.beginTurn({ id: "y" })).toBe(2);
    expect(await journal.beginTurn({ id: "y" })).toBe(2);
    expect(await journal.beginTurn({ id: "x" })).toBe(3);
    await other.beginTurn();
    expect(await journal.beginTurn({ id: "x" })).toBe(5);
    expect(await typesOf(journal)).toEqual([
      "turn.began",
      "notes.set",
      ...["turn.began", "turn.began", "turn.began", "turn.began"],
    ]);
    await other.close();
  });

  test("history goes from one version exclusive to another inclusive", async () => {
    const journal = await story();
    expect(await versionsOf(journal.history())).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await versionsOf(journal.history({ from: 2, to: 4 }))).toEqual([3, 4]);
    expect(await versionsOf(journal.history({ from: 5 }))).toEqual([6]);
    expect(await versionsOf(journal.history({ to: 99 }))).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await versionsOf(journal.history({ from: 6 }))).toEqual([]);
    expect(() => journal.history({ from: -1 })).toThrow(TypeError);
    expect(() => journal.history({ to: "t1" as unknown as number })).toThrow(/"to"/);
  });

  test("a history that is left early leaves nothing open", async () => {
    const journal = await story();
    for await (const { version } of journal.history()) if (version === 2) break;
    await journal.notes.set("still writes");
    expect(journal.version).toBe(7);
  });

  test("at gives the state at any point, with its version, turn and time", async () => {
    const journal = await story();
    const times = (await historyOf(journal)).map(({ at }) => at);
    expect(await journal.at("v0")).toMatchObject({ version: 0, turn: 0, state: { notes: "", refs: [] } });
    expect(await journal.at("t0")).toMatchObject({ version: 1, turn: 0, at: times[0], state: { notes: "one" } });
    expect(await journal.at("t1")).toMatchObject({ version: 3, turn: 1, at: times[2], state: { plan: "plan" } });
    for (const point of ["head", "t2", "v6", 6, "6", "2999-01-01T00:00:00Z", times[5] as string]) {
      expect(await journal.at(point as Point)).toMatchObject({
        version: 6,
        turn: 2,
        at: times[5],
        state: { refs: ["a", "b"] },
      });
    }
    expect(await journal.at(5)).toMatchObject({ version: 5, turn: 2, state: { refs: ["a"] } });
    expect(await journal.at("2000-01-01T00:00:00+02:00")).toMatchObject({ version: 0 });
    for (const point of ["v7", 7, "t3", "#nowhere", "soon"])
      await expect(journal.at(point as Point)).rejects.toThrow(PointError);
  });

  test("looking back sees what others have appended", async () => {
    const journal = await stream.open();
    const other = await stream.open();
    await other.notes.set("theirs");
    expect(await journal.at("head")).toMatchObject({ version: 1, state: { notes: "theirs" } });
    expect(journal.state.notes).toBe("theirs");
  });

  test("diff without points is the last turn", async () => {
    const journal = await story();
    const { from, to, patch, events, text } = await journal.diff();
    expect([from, to, events.map(({ version }) => version)]).toEqual([3, 6, [4, 5, 6]]);
    expect(patch).toEqual([
      { op: "add", path: "/refs/0", value: "a" },
      { op: "add", path: "/refs/1", value: "b" },
    ]);
    expect(text).toContain("--- v3\n+++ v6\n");
    expect(text).toContain("+- a\n+- b");
  });

  test("diff before any turn starts at the beginning", async () => {
    const journal = await stream.open();
    await journal.notes.set("one");
    expect(await journal.diff()).toMatchObject({
      from: 0,
      to: 1,
      patch: [{ op: "replace", path: "/notes", value: "one" }],
    });
  });

  test("diff goes between any two points, backwards too", async () => {
    const journal = await story();
    const there = await journal.diff("t0", "t1");
    const back = await journal.diff("t1", "t0");
    expect([there.from, there.to, back.from, back.to]).toEqual([1, 3, 3, 1]);
    expect(there.patch).toEqual([{ op: "replace", path: "/plan", value: "plan" }]);
    expect(back.patch).toEqual([{ op: "replace", path: "/plan", value: "" }]);
    expect(back.events).toEqual(there.events);
    expect(await journal.diff("head")).toMatchObject({ from: 6, to: 6, patch: [], text: "", events: [] });
    const whole = await journal.diff(0);
    const applied = jsonPatch.applyPatch({ notes: "", plan: "", refs: [] }, structuredClone([...whole.patch]) as never);
    expect(applied.newDocument).toEqual({ notes: "one", plan: "plan", refs: ["a", "b"] });
  });

  test("without a beginning, a diff begins where the turn before that of its end has ended", async () => {
    const journal = await story();
    const ends = ["t0", "v2", "t1", "t2", undefined];
    const begun = await Promise.all(ends.map(async (end) => (await journal.diff(undefined, end as Point)).from));
    expect(begun).toEqual([0, 1, 1, 3, 3]);
  });

  test("a restore that is asked for again answers as the first time, also where its point has moved on", async () => {
    for (const point of ["head", "t2", new Date(Date.now() + 3_600_000).toISOString(), "v3"]) {
      const journal = await story();
      const command = `restore ${point}`;
      const first = await journal.restore(point as Point, { command });
      const { version } = await journal.plan.set("later");
      expect(await journal.restore(point as Point, { command })).toEqual(first);
      expect(journal.version).toBe(version);
      await expect(journal.restore("v1", { command })).rejects.toThrow(TypeError);
      await journal.close();
    }
  });

  test("a state that no commit can carry is not restored, and said to be too large by itself", async () => {
    const journal = await stream.open();
    for (let index = 0; index < 12; index++) await journal.sections.write(`s${index}`, "x".repeat(100_000));
    const { ok, code, message } = await journal.restore("head");
    expect([ok, code]).toEqual([false, "too_large"]);
    expect(message).toMatch(/^rejected: this action is over \d+ bytes/);
  });

  test("restore brings a state back as the newest, and loses nothing", async () => {
    const journal = await story();
    const answer = await journal.restore("t1");
    expect(answer).toMatchObject({ ok: true, version: 7 });
    expect(journal.state).toMatchObject({ notes: "one", plan: "plan", refs: [] });
    expect((await journal.at(6)).state.refs).toEqual(["a", "b"]);
    expect((await historyOf(journal))[6]?.event).toMatchObject({ type: "state.restored", to: 3 });
    await journal.restore(0);
    expect(journal.state).toMatchObject({ notes: "", plan: "", refs: [] });
    await journal.restore("v7");
    expect(journal.state.notes).toBe("one");
    await expect(journal.restore("v99")).rejects.toThrow(PointError);
    await expect(journal.restore("v1", { expectedVersion: 2 })).rejects.toMatchObject({ actual: 9 });
    expect((await typesOf(journal)).slice(6)).toEqual(["state.restored", "state.restored", "state.restored"]);
  });

  test("no action can ask for a restore", async () => {
    const journal = await story();
    expect((await journal.applyUnknown({ action: "restore", to: 1 })).code).toBe("unknown_action");
  });

  test("verify finds nothing in what was only written by journals, and misses no head", async () => {
    const journal = await story();
    const { head } = journal;
    await journal.notes.set("later");
    expect(await journal.verify()).toEqual({ ok: true, findings: [], head: journal.head });
    expect(await journal.verify({ head })).toMatchObject({ ok: true });
    const wrong = await journal.verify({ head: { ...head, hash: "0".repeat(32) } });
    expect(wrong).toMatchObject({ ok: false, findings: [{ kind: "head", severity: "damage" }] });
    expect((await journal.verify({ head: { ...head, version: 99 } })).ok).toBe(false);
  });
});

test("the newest moment is shown without reading the history again", async () => {
  let readings = 0;
  const store = memoryStore();
  const counting = new Proxy(store, {
    get(target, name) {
      if (name === "read") readings += 1;
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const journal = await openJournal(counting);
  await journal.notes.set("one");
  const shown = await journal.at("head");
  expect(readings).toBe(0);
  expect(shown).toEqual(await journal.at(1));
  expect(readings).toBe(1);
});

test("a restore that somebody came before looks again, undoes nothing of theirs, and is known again", async () => {
  const store = memoryStore();
  const read = store.read.bind(store);
  const [journal, other] = [await openJournal(store), await openJournal(store)];
  await journal.notes.set("one");
  let others = 0;
  store.read = async function* (from) {
    yield* read(from);
    others += 1;
    if (others === 1) await other.notes.append("between");
  };
  const command = "restore a\ud800";
  const first = await journal.restore("head", { command });
  expect(first.events).toMatchObject([{ type: "state.restored", to: 2 }]);
  expect([others, journal.version, journal.state.notes]).toEqual([2, 3, "one\nbetween"]);
  await journal.plan.set("later");
  expect(await journal.restore("head", { command })).toEqual(first);
  for (const point of ["v0", "v1", "2020-01-01T00:00:00Z"]) {
    await expect(journal.restore(point as Point, { command })).rejects.toThrow(TypeError);
  }
  await expect(journal.restore("t99", { command })).rejects.toThrow(PointError);
  const fixed = await journal.restore("v1", { command: "fixed" });
  expect(fixed.ok).toBe(true);
  for (const point of ["head", "t0", "2099-01-01T00:00:00Z"]) {
    await expect(journal.restore(point as Point, { command: "fixed" })).rejects.toThrow(TypeError);
  }
  await Promise.all([journal.close(), other.close()]);
});

test("a restore keeps its turn among calls that are not waited for, and takes nobody along", async () => {
  const journal = await openJournal(memoryStore());
  await journal.notes.set("one");
  const calls = [
    journal.notes.set("two"),
    journal.restore("v1"),
    journal.notes.append("three"),
    journal.restore("v99"),
    journal.restore("head"),
    journal.plan.set("four"),
  ];
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.map(({ status }) => status).indexOf("rejected")).toBe(3);
  await expect(calls[3]).rejects.toMatchObject({ code: "bad_point" });
  expect(journal.state).toMatchObject({ notes: "one\nthree", plan: "four" });
  expect((await typesAndTargets(journal)).slice(1)).toEqual([
    ["notes.set", undefined],
    ["state.restored", 1],
    ["notes.appended", undefined],
    ["state.restored", 4],
    ["plan.set", undefined],
  ]);
  await journal.close();
});

test("restoring where the journal stands undoes nothing that another handle appends meanwhile", async () => {
  const store = memoryStore();
  const [journal, other] = [await openJournal(store), await openJournal(store)];
  const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`);
  await Promise.all(lines.flatMap((line) => [journal.restore("head"), other.notes.append(line)]));
  await journal.refresh();
  expect(journal.state.notes.split("\n")).toEqual(lines);
  await Promise.all([journal.close(), other.close()]);
});

async function typesAndTargets(journal: Journal): Promise<[string, number | undefined][]> {
  const found: [string, number | undefined][] = [];
  for await (const { event } of journal.history()) found.push([event.type, "to" in event ? event.to : undefined]);
  return found;
}

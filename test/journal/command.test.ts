import { expect, test, vi } from "vitest";
import type { Action } from "../../src/action/actions.ts";
import { StreamStore } from "../../src/stream/stream-store.ts";
import { overStores, typesOf } from "./streams.ts";

overStores("a repeated command", (stream) => {
  const add = { action: "refs.add", ref: "a.ts" };

  test("answers as the first time and appends nothing", async () => {
    const journal = await stream.open({ limits: { refs: 1 } });
    await journal.refs.add("old");
    const first = await journal.applyUnknown(add, { command: "c1" });
    await journal.refs.add("newer");
    await journal.notes.set("later");
    expect(await journal.applyUnknown(add, { command: "c1" })).toEqual(first);
    expect(first.message).toContain("oldest dropped");
    expect(journal.version).toBe(4);
  });

  test("answers a truncation with the same warning", async () => {
    const journal = await stream.open({ limits: { notes: 3 } });
    const set = { action: "set_notes", content: "12345" };
    const first = await journal.applyUnknown(set, { command: "c1" });
    expect(first.warnings).not.toEqual([]);
    await journal.notes.set("");
    expect(await journal.applyUnknown(set, { command: "c1" })).toEqual(first);
  });

  test("answers with the budgets of the first time where it comes from a handle with other ones", async () => {
    const few = await stream.open({ limits: { notes: 5 } });
    const set = { action: "set_notes", content: "1234567" } as const;
    const group = [set, { action: "append_notes", content: "8" }] as const;
    const first = [await few.apply(set, { command: "c1" }), ...(await few.applyAll(group, { command: "g1" }))];
    expect(first.map(({ limit }) => limit)).toEqual([5, 5, 5]);
    for (const options of [{}, { limits: { notes: 9 } }]) {
      const other = await stream.open(options);
      const again = [await other.apply(set, { command: "c1" }), ...(await other.applyAll(group, { command: "g1" }))];
      expect(again).toEqual(first);
      await other.close();
    }
    const measured = await stream.open({ limits: { notes: 7, plan: 9 }, measure: { notes: () => 3 } });
    const once = await measured.notes.set("three", { command: "c2" });
    expect([once.used, once.limit]).toEqual([3, 7]);
    expect(await measured.notes.set("three", { command: "c2" })).toEqual(once);
  });

  test("answers a recorded refusal as the first time, even where it would be accepted now", async () => {
    const journal = await stream.open();
    const remove = { action: "refs.remove", ref: "r" };
    const first = await journal.applyUnknown(remove, { command: "c1" });
    await journal.refs.add("r");
    expect(await journal.applyUnknown(remove, { command: "c1" })).toEqual(first);
    expect([first.ok, journal.state.refs]).toEqual([false, ["r"]]);
  });

  test("answers as the first time in another journal, and after opening again", async () => {
    const journal = await stream.open();
    const first = await journal.applyUnknown(add, { command: "c1" });
    const other = await stream.open();
    expect(await other.applyUnknown(add, { command: "c1" })).toEqual(first);
    await journal.close();
    await other.close();
    const again = await stream.open();
    expect(await again.applyUnknown(add, { command: "c1" })).toEqual(first);
    expect(await typesOf(again)).toEqual(["ref.added"]);
  });

  test("again and again, in their order, reads the history once for a thousand of them, and answers as the first time", async () => {
    const journal = await stream.open();
    const note = (index: number) => ({ action: "append_notes", content: `${index}` }) as const;
    const answers: unknown[] = [];
    for (let index = 0; index < 60; index++)
      answers.push(await journal.applyUnknown(note(index), { command: `c${index}` }));
    await journal.close();
    const again = await stream.open();
    const readings = vi.spyOn(StreamStore.prototype, "read");
    for (let index = 0; index < 60; index++)
      expect(await again.applyUnknown(note(index), { command: `c${index}` })).toEqual(answers[index]);
    expect(readings).toHaveBeenCalledTimes(1);
    readings.mockRestore();
    await again.close();
  });

  test("in the same moment appends once and answers all alike", async () => {
    const [one, two] = [await stream.open(), await stream.open()];
    const answers = await Promise.all(
      [one, one, two, two].map((journal) => journal.applyUnknown(add, { command: "c1" })),
    );
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(await typesOf(one)).toEqual(["ref.added"]);
  });

  test("wins over an expected version that has passed meanwhile", async () => {
    const journal = await stream.open();
    const first = await journal.applyUnknown(add, { command: "c1", expectedVersion: 0 });
    expect(await journal.applyUnknown(add, { command: "c1", expectedVersion: 0 })).toEqual(first);
  });

  test("with another action is a TypeError that says where it was used", async () => {
    const journal = await stream.open();
    await journal.applyUnknown(add, { command: "c1" });
    const reused = journal.apply({ action: "refs.add", ref: "b.ts" }, { command: "c1" });
    await expect(reused).rejects.toBeInstanceOf(TypeError);
    await expect(reused).rejects.toThrow(/"c1".*version 1/);
    const results = await Promise.allSettled([
      journal.applyUnknown(add, { command: "c2" }),
      journal.apply({ action: "set_notes", content: "" }, { command: "c2" }),
    ]);
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(journal.version).toBe(2);
  });

  test("of what was never recorded is decided anew", async () => {
    const journal = await stream.open();
    expect((await journal.applyUnknown({ action: "sing" }, { command: "c1" })).code).toBe("unknown_action");
    expect((await journal.applyUnknown(add, { command: "c1" })).version).toBe(1);
  });

  test("of a group gives the answers of the group", async () => {
    const journal = await stream.open();
    const actions = [{ action: "set_notes", content: "one" }, { action: "append_notes", content: "two" }, add];
    const first = await journal.applyAll(actions as readonly Action[], { command: "g1" });
    await journal.notes.set("later");
    expect(await journal.applyAll(actions as readonly Action[], { command: "g1" })).toEqual(first);
    for (const others of [actions.slice(0, 2), [...actions, add], [...actions].reverse(), []]) {
      await expect(journal.applyAll(others as readonly Action[], { command: "g1" })).rejects.toBeInstanceOf(TypeError);
    }
    expect(journal.version).toBe(4);
  });

  test("of a refused group gives the answers of the group, also where an action stands in it twice", async () => {
    const journal = await stream.open({ limits: { notes: 5 } });
    const append = { action: "append_notes", content: "123" };
    const first = await journal.applyAll([append, append, add] as readonly Action[], { command: "g1" });
    expect(first.map(({ code }) => code)).toEqual(["not_applied", "over_budget", "not_applied"]);
    await journal.notes.set("");
    expect(await journal.applyAll([append, append, add] as readonly Action[], { command: "g1" })).toEqual(first);
    expect(await typesOf(journal)).toEqual(["action.refused", "notes.set"]);
  });

  test("keeps its key as it was given, however long and strange", async () => {
    const journal = await stream.open();
    const commands = ["\u2028", "constructor", "x".repeat(1024), "x".repeat(1023), " c1", "c1 "];
    for (const command of commands) await journal.applyUnknown(add, { command });
    for (const command of commands) await journal.applyUnknown(add, { command });
    expect(journal.version).toBe(commands.length);
  });
});

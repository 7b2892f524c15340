import { expect, test } from "vitest";
import { ClosedError } from "../../src/errors.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { historyOf, overStores } from "./streams.ts";

overStores("close", (stream) => {
  test("waits for what was asked before", async () => {
    const journal = await stream.open();
    const answering = [journal.notes.set("one"), journal.notes.append("two")];
    await journal.close();
    expect((await Promise.all(answering)).map(({ version }) => version)).toEqual([1, 2]);
    expect((await stream.open()).state.notes).toBe("one\ntwo");
  });

  test("twice is fine, and what comes later rejects", async () => {
    const journal = await stream.open();
    await journal.notes.set("x");
    await Promise.all([journal.close(), journal.close()]);
    await journal.close();
    for (const late of [
      () => journal.apply({ action: "set_notes", content: "y" }),
      () => journal.applyAll([]),
      () => journal.refs.add("r"),
      () => journal.beginTurn(),
      () => journal.restore(0),
      () => journal.refresh(),
      () => journal.at(0),
      () => journal.diff(),
      () => journal.verify(),
      () => journal.snapshot(),
      () => journal.history().next(),
    ]) {
      await expect(late()).rejects.toBeInstanceOf(ClosedError);
    }
    expect([journal.version, journal.state.notes]).toEqual([1, "x"]);
  });

  test("a call in the same tick after close rejects, one before it is answered", async () => {
    const journal = await stream.open();
    const before = journal.notes.set("before");
    const closing = journal.close();
    await expect(journal.notes.set("after")).rejects.toBeInstanceOf(ClosedError);
    await closing;
    expect((await before).version).toBe(1);
  });

  test("what looks back and was asked before close is answered", async () => {
    const journal = await stream.open();
    for (const text of ["one", "two"]) await journal.notes.set(text);
    const looking = Promise.all([
      journal.at("v1"),
      journal.diff("v1", "v2"),
      journal.fork(memoryStore(), { at: "v1" }),
      journal.spawn(memoryStore(), { copy: true }),
    ]);
    await Promise.all([looking, journal.close()]);
    const [moment, diff, fork, copy] = await looking;
    expect([moment.state, fork.state, copy.state].map(({ notes }) => notes)).toEqual(["one", "one", "two"]);
    expect(diff).toMatchObject({ from: 1, to: 2, events: [{ event: { text: "two" } }] });
  });

  test("ends iterators that are under way", async () => {
    const journal = await stream.open();
    await journal.refs.set(["a"]);
    await journal.refs.add("b");
    const history = journal.history();
    expect((await history.next()).value?.version).toBe(1);
    await journal.close();
    expect(await history.next()).toEqual({ done: true, value: undefined });
  });

  test("await using closes", async () => {
    const outer = await stream.open();
    let seen: typeof outer | undefined;
    {
      await using journal = await stream.open();
      await journal.notes.set("x");
      seen = journal;
    }
    await expect(seen.refresh()).rejects.toBeInstanceOf(ClosedError);
    await outer.refresh();
    expect(outer.state.notes).toBe("x");
  });

  test("closing one of two journals leaves the other at work", async () => {
    const [one, two] = [await stream.open(), await stream.open()];
    await one.notes.set("one");
    await one.close();
    await two.notes.append("two");
    expect(two.state.notes).toBe("one\ntwo");
  });
});

test("a store that was handed in outlives its journals", async () => {
  const store = memoryStore();
  const first = await openJournal(store);
  await first.notes.set("kept");
  await first.close();
  const second = await openJournal(store);
  expect(second.state.notes).toBe("kept");
  await second.notes.append("more");
  expect(await historyOf(second)).toHaveLength(2);
});

test("a journal listens to nothing global", async () => {
  const before = process.eventNames().map((name) => [name, process.listenerCount(name)]);
  const journal = await openJournal(memoryStore());
  await journal.notes.set("x");
  expect(process.eventNames().map((name) => [name, process.listenerCount(name)])).toEqual(before);
  await journal.close();
});

import { expect, test } from "vitest";
import { ReadonlyError, VersionConflictError } from "../../src/errors.ts";
import { commitCount, historyOf, overStores, typesOf } from "./streams.ts";

overStores("apply", (stream) => {
  test("an accepted action appends one event and answers with use against budget", async () => {
    const journal = await stream.open({ actor: "ann" });
    const answer = await journal.apply({ action: "set_plan", content: "1. Fix auth bug\n2. Add test" });
    expect(answer).toEqual({
      ok: true,
      message: "plan set: 27/2000 chars used",
      version: 1,
      space: "plan",
      used: 27,
      limit: 2000,
      warnings: [],
      events: [{ type: "plan.set", text: "1. Fix auth bug\n2. Add test" }],
    });
    expect(journal.state.plan).toBe("1. Fix auth bug\n2. Add test");
    expect(journal.version).toBe(1);
    expect(journal.head.version).toBe(1);
    expect((await historyOf(journal)).map(({ actor, origin }) => [actor, origin])).toEqual([["ann", "journal"]]);
  });

  test("an action that changes nothing is an event, too", async () => {
    const journal = await stream.open();
    await journal.notes.set("same");
    const answer = await journal.notes.set("same");
    expect([answer.ok, answer.version]).toEqual([true, 2]);
  });

  test("every method is the action of its name", async () => {
    const journal = await stream.open({ actor: "ann" });
    await journal.notes.set("one");
    await journal.notes.append("two");
    await journal.notes.edit({ operation: "find_replace", find: "two", replace: "three" });
    await journal.plan.set("plan");
    await journal.refs.set(["a", "b"]);
    await journal.refs.add("c");
    await journal.refs.remove("a");
    await journal.entries.write("k2", "kept");
    await journal.entries.write("k1", "gone");
    await journal.entries.claim("k2", { ttlSeconds: 60 });
    await journal.sections.write("Todo", "milk", { ttlMinutes: 5 });
    await journal.sections.write("Done", "");
    expect(journal.entries.list()).toEqual(["k1", "k2"]);
    await journal.entries.delete("k1");
    await journal.sections.clear("Done");
    expect([journal.entries.read("k2"), journal.entries.read("k1")]).toEqual(["kept", undefined]);
    expect(journal.entries.read("constructor")).toBeUndefined();
    expect(journal.state.leases["k2"]?.holder).toBe("ann");
    await journal.entries.release("k2");
    expect(journal.state).toMatchObject({
      notes: "one\nthree",
      plan: "plan",
      refs: ["b", "c"],
      entries: { k2: "kept" },
    });
    expect(Object.keys(journal.state.sections)).toEqual(["Todo"]);
    expect(journal.state.sections["Todo"]).toMatchObject({ text: "milk", ttlMinutes: 5 });
    expect(Object.keys(journal.state.leases)).toEqual([]);
  });

  test("methods take the options of apply", async () => {
    const journal = await stream.open();
    await journal.entries.claim("k", { actor: "bob", command: "c1", ttlSeconds: 60 });
    const refused = await journal.entries.write("k", "mine");
    expect([refused.ok, refused.code]).toEqual([false, "held"]);
    const [first] = await historyOf(journal);
    expect([first?.actor, first?.command]).toEqual(["bob", "c1"]);
    await expect(journal.notes.set("x", { expectedVersion: 0 })).rejects.toBeInstanceOf(VersionConflictError);
  });

  test("a refused action is an answer, recorded whole, and changes no state", async () => {
    const journal = await stream.open({ limits: { notes: 10 } });
    await journal.notes.set("12345");
    const answer = await journal.notes.append("67890");
    expect(answer).toMatchObject({ ok: false, code: "over_budget", version: 2, used: 5, limit: 10 });
    expect(answer.message).toContain("set_notes");
    expect(journal.state.notes).toBe("12345");
    expect((await historyOf(journal))[1]?.event).toEqual({
      type: "action.refused",
      action: "append_notes",
      code: "over_budget",
      offered: { content: "67890" },
    });
  });

  test("what is no action is an answer, and leaves the version alone", async () => {
    const journal = await stream.open();
    await journal.notes.set("x");
    for (const request of [undefined, null, 7, "set_notes", [], {}, { action: "sing" }, { action: "set_notes" }]) {
      const answer = await journal.applyUnknown(request);
      expect([answer.ok, answer.version, answer.events]).toEqual([false, 1, []]);
    }
    expect(await typesOf(journal)).toEqual(["notes.set"]);
  });

  test("a refusal that says what the newest event says is not recorded again", async () => {
    const journal = await stream.open();
    const other = await stream.open();
    const absent = { action: "refs.remove", ref: "absent" };
    expect(await journal.applyUnknown(absent)).toMatchObject({ version: 1, code: "not_found" });
    expect(await journal.applyUnknown(absent)).toMatchObject({ version: 1, code: "not_found", events: [] });
    expect(await other.applyUnknown(absent)).toMatchObject({ version: 1, events: [] });
    const [one, two] = await Promise.all([
      journal.apply({ action: "refs.remove", ref: "other" }),
      journal.apply({ action: "refs.remove", ref: "other" }),
    ]);
    expect([one?.version, two?.version, one?.events.length, two?.events.length]).toEqual([2, 2, 1, 0]);
    expect((await journal.applyUnknown(absent)).version).toBe(3);
    expect((await journal.applyUnknown(absent, { actor: "bob" })).version).toBe(4);
    expect((await journal.applyUnknown(absent, { actor: "bob", command: "c" })).version).toBe(5);
    await journal.notes.set("in between");
    expect((await journal.applyUnknown(absent)).version).toBe(7);
  });

  test("a wrong expected version throws with both versions and the place, and writes nothing", async () => {
    const journal = await stream.open();
    await journal.refs.remove("absent");
    const late = journal.apply({ action: "set_notes", content: "x" }, { expectedVersion: 0 });
    await expect(late).rejects.toMatchObject({ code: "version_conflict", expected: 0, actual: 1 });
    await expect(late).rejects.toMatchObject({ place: { file: expect.stringMatching(/./) } });
    await journal.apply({ action: "set_notes", content: "x" }, { expectedVersion: 1 });
    expect(await typesOf(journal)).toEqual(["action.refused", "notes.set"]);
  });

  test("of two that expect the same version one wins, also when they wait together", async () => {
    const journal = await stream.open();
    const results = await Promise.allSettled(
      ["a", "b", "c"].map((content) => journal.apply({ action: "set_notes", content }, { expectedVersion: 0 })),
    );
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(results[2]).toMatchObject({ reason: { expected: 0, actual: 1 } });
    expect(await typesOf(journal)).toEqual(["notes.set"]);
  });

  test("an expected version that another journal has passed throws", async () => {
    const journal = await stream.open();
    const other = await stream.open();
    await other.notes.set("theirs");
    const late = journal.apply({ action: "set_notes", content: "mine" }, { expectedVersion: journal.version });
    await expect(late).rejects.toMatchObject({ expected: 0, actual: 1 });
    expect(journal.state.notes).toBe("theirs");
  });

  test("calls that wait together share one commit, each with its own answer", async () => {
    const journal = await stream.open({ limits: { refs: 30 } });
    await journal.notes.set("before");
    const answers = await Promise.all(Array.from({ length: 32 }, (_, index) => journal.refs.add(`ref ${index}`)));
    expect(answers.map(({ version }) => version)).toEqual(Array.from({ length: 32 }, (_, index) => index + 2));
    expect(answers.map(({ used }) => used)).toEqual([...Array.from({ length: 30 }, (_, index) => index + 1), 30, 30]);
    expect(await commitCount(journal)).toBe(2);
    expect(journal.state.refs).toEqual(Array.from({ length: 30 }, (_, index) => `ref ${index + 2}`));
  });

  test("what goes wrong with one call leaves the others in its commit alone", async () => {
    const journal = await stream.open();
    const results = await Promise.allSettled([
      journal.notes.set("one"),
      journal.apply({ action: "set_plan", content: "late" }, { expectedVersion: 0 }),
      journal.refs.remove("absent"),
      journal.applyUnknown({ action: "sing" }),
      journal.notes.append("two"),
    ]);
    expect(results.map((result) => (result.status === "fulfilled" ? result.value.version : "rejected"))).toEqual([
      1,
      "rejected",
      2,
      2,
      3,
    ]);
    expect(journal.state).toMatchObject({ notes: "one\ntwo", plan: "" });
    expect(await commitCount(journal)).toBe(1);
  });

  test("calls that together outgrow one commit go into several, in order", async () => {
    const journal = await stream.open();
    const long = "\u0001".repeat(90_000);
    const texts = [`a${long}`, `b${long}`, `c${long}`, "d"];
    const answers = await Promise.all(texts.map((text) => journal.notes.set(text)));
    expect(answers.map(({ ok, version }) => [ok, version])).toEqual([
      [true, 1],
      [true, 2],
      [true, 3],
      [true, 4],
    ]);
    expect(journal.state.notes).toBe("d");
    expect(await commitCount(journal)).toBeGreaterThan(1);
  });

  test("two journals decide on what the other wrote", async () => {
    const [one, two] = [await stream.open({ actor: "one" }), await stream.open({ actor: "two" })];
    await Promise.all([one, two].flatMap((journal) => ["a", "b", "c"].map((text) => journal.notes.append(text))));
    await one.refresh();
    await two.refresh();
    expect(one.state).toEqual(two.state);
    expect(one.state.notes.split("\n").sort()).toEqual(["a", "a", "b", "b", "c", "c"]);
    expect([one.version, one.head]).toEqual([6, two.head]);
  });

  test("an action that is changed after the call is applied as it was asked", async () => {
    const journal = await stream.open();
    const action = { action: "refs.set", items: ["asked"] };
    const answering = journal.applyUnknown(action);
    action.items[0] = "changed";
    action.items.push("more");
    await answering;
    expect(journal.state.refs).toEqual(["asked"]);
  });

  test("an option that is unknown or of another type is a TypeError that names it", async () => {
    const journal = await stream.open();
    const wrong = { expectVersion: 1, expectedVersion: -1, command: "", actor: 7 };
    for (const [name, value] of Object.entries(wrong)) {
      const applying = journal.apply({ action: "set_notes", content: "" }, { [name]: value });
      await expect(applying).rejects.toThrow(new RegExp(`"${name}"`));
      await expect(applying).rejects.toBeInstanceOf(TypeError);
    }
    expect(journal.version).toBe(0);
  });

  test("the state of a journal cannot be changed from outside", async () => {
    const journal = await stream.open();
    await journal.refs.set(["a"]);
    expect(() => (journal.state.refs as string[]).push("b")).toThrow(TypeError);
    expect(() => Object.assign(journal.state.entries, { k: "v" })).toThrow(TypeError);
  });

  test("a readonly journal reads and refuses to write", async () => {
    const writer = await stream.open();
    await writer.notes.set("x");
    const reader = await stream.open({ readonly: true });
    expect(reader.state.notes).toBe("x");
    for (const write of [
      () => reader.notes.set("y"),
      () => reader.applyAll([]),
      () => reader.beginTurn(),
      () => reader.restore(0),
      () => reader.snapshot(),
    ]) {
      await expect(write()).rejects.toBeInstanceOf(ReadonlyError);
    }
    await writer.notes.set("z");
    await reader.refresh();
    expect(reader.state.notes).toBe("z");
    expect((await reader.diff(1)).text).toContain("+z");
  });
});

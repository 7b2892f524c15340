import { expect, test } from "vitest";
import type { Action } from "../../src/action/actions.ts";
import { commitCount, overStores, typesOf } from "./streams.ts";

overStores("applyAll", (stream) => {
  test("all actions go into one commit, each deciding on those before it", async () => {
    const journal = await stream.open();
    const answers = await journal.applyAll([
      { action: "set_notes", content: "one" },
      { action: "append_notes", content: "two" },
      { action: "refs.add", ref: "r" },
    ]);
    expect(answers.map(({ ok, version, used }) => [ok, version, used])).toEqual([
      [true, 1, 3],
      [true, 2, 7],
      [true, 3, 1],
    ]);
    expect([await commitCount(journal), journal.state.notes]).toEqual([1, "one\ntwo"]);
  });

  test("one refusal leaves nothing applied, and is the only thing recorded", async () => {
    const journal = await stream.open({ limits: { notes: 5 } });
    const answers = await journal.applyAll([
      { action: "set_notes", content: "12345" },
      { action: "append_notes", content: "6" },
      { action: "set_plan", content: "p" },
    ]);
    expect(answers.map(({ ok, code, version }) => [ok, code, version])).toEqual([
      [false, "not_applied", 1],
      [false, "over_budget", 1],
      [false, "not_applied", 1],
    ]);
    expect(answers.map(({ space, used, limit }) => [space, used, limit])).toEqual([
      ["notes", 0, 5],
      ["notes", 0, 5],
      ["plan", 0, 2000],
    ]);
    expect([journal.state.notes, journal.state.plan]).toEqual(["", ""]);
    expect(await typesOf(journal)).toEqual(["action.refused"]);
  });

  test("what is no action at all records nothing, and nothing is applied", async () => {
    const journal = await stream.open();
    const answers = await journal.applyAll([
      { action: "set_notes", content: "x" },
      { action: "sing" } as unknown as Action,
    ]);
    expect(answers.map(({ code, version }) => [code, version])).toEqual([
      ["not_applied", 0],
      ["unknown_action", 0],
    ]);
    expect(await typesOf(journal)).toEqual([]);
  });

  test("a group that outgrows one commit is refused whole", async () => {
    const journal = await stream.open();
    const long = "\u0001".repeat(90_000);
    const answers = await journal.applyAll(
      [1, 2].map((number) => ({ action: "set_notes", content: `${number}${long}` })),
    );
    expect(answers.map(({ ok, code, version }) => [ok, code, version])).toEqual([
      [false, "not_applied", 0],
      [false, "too_large", 0],
    ]);
    expect(await typesOf(journal)).toEqual([]);
  });

  test("a refused group and a call that waits with it do not touch each other", async () => {
    const journal = await stream.open();
    const [answers, answer] = await Promise.all([
      journal.applyAll([
        { action: "set_notes", content: "gone" },
        { action: "refs.remove", ref: "absent" },
      ]),
      journal.notes.append("kept"),
    ]);
    expect([answers[1]?.version, answer.version, journal.state.notes]).toEqual([1, 2, "kept"]);
  });

  test("no actions are no commit", async () => {
    const journal = await stream.open();
    expect(await journal.applyAll([])).toEqual([]);
    expect(journal.version).toBe(0);
  });

  test("something else than an array is a TypeError", async () => {
    const journal = await stream.open();
    const one = { action: "set_notes", content: "x" } as unknown as readonly unknown[];
    await expect(journal.applyAll(one as readonly Action[])).rejects.toBeInstanceOf(TypeError);
  });

  test("a wrong expected version applies none", async () => {
    const journal = await stream.open();
    const applying = journal.applyAll([{ action: "set_notes", content: "x" }], { expectedVersion: 4 });
    await expect(applying).rejects.toMatchObject({ expected: 4, actual: 0 });
    expect(journal.version).toBe(0);
  });
});

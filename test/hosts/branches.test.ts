import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { sampledClients } from "./clients.ts";
import { drive, fixtureOf, newFolder } from "./driver.ts";

const kindsOf = (findings: readonly { readonly kind: string }[]) => [...new Set(findings.map(({ kind }) => kind))];

describe.each(sampledClients)("$name", (client) => {
  test("copies a branch into a new session: what is on it reads as inherited, not as damage", async () => {
    const file = fixtureOf(client);
    const journal = await openJournal(file);
    await journal.notes.set("on the branch");
    const leafId = await drive(client, "leaf", { file });
    await drive(client, "say", { file, text: "Further on." });
    await journal.notes.append("behind the copied part");
    await journal.close();

    const copied = await openJournal(await drive(client, "copyBranch", { file, leafId }));
    expect(copied.state.notes).toBe("on the branch");
    const { ok, findings } = await copied.verify();
    // 0.73.1 leaves labels out of a copy: what hung on one hangs on nothing, which is the host's affair.
    expect([ok, kindsOf(findings.filter(({ kind }) => kind !== "foreign"))]).toEqual([true, ["inherited"]]);
    await copied.notes.append("and on in the copy");
    expect(copied.state.notes).toBe("on the branch\nand on in the copy");
    expect((await copied.verify()).ok).toBe(true);
    await copied.close();
  });

  test("forks a whole session: its history reads as inherited, and goes on", async () => {
    const file = fixtureOf(client);
    const journal = await openJournal(file);
    await journal.notes.set("before the fork");
    await journal.plan.set("the plan");
    const before = journal.state;
    await journal.close();

    const forked = await openJournal(await drive(client, "fork", { file, folder: newFolder() }));
    expect(forked.state).toEqual(before);
    await forked.notes.append("after it");
    const { ok, findings } = await forked.verify();
    expect([ok, kindsOf(findings)]).toEqual([true, ["inherited"]]);
    await forked.close();
  });

  test.each([
    { fold: "file", isTold: true },
    { fold: "branch", isTold: false },
  ] as const)("leaves a branch: by $fold what was planned on it is told: $isTold", async ({ fold, isTold }) => {
    const journal = await openJournal(fixtureOf(client), { fold, readonly: true });
    const plans: string[] = [];
    for await (const { event } of journal.history()) if (event.type === "plan.set") plans.push(event.text);
    await journal.close();
    expect(plans.some((plan) => plan.includes("expiresAt: number"))).toBe(isTold);
    expect(plans.at(-1)).toContain("5. Pull request");
  });
});

describe.each(sampledClients)("under policy branch, after $name was rewound", (client) => {
  async function rewound() {
    const file = await drive(client, "create", { folder: newFolder() });
    const journal = await openJournal(file, { fold: "branch" });
    await journal.notes.set("common");
    await journal.refs.add("common.ts");
    const common = await drive(client, "leaf", { file });
    await drive(client, "say", { file, text: "Try the left." });
    await journal.notes.append("left");
    const left = await drive(client, "leaf", { file });
    await journal.refs.add("left.ts");
    await drive(client, "sayAt", { file, entryId: common, text: "No, the right." });
    await journal.refresh();
    return { file, journal, left };
  }

  test("the scratchpad is that of the place it was rewound to", async () => {
    const { journal } = await rewound();
    expect([journal.state.notes, journal.state.refs]).toEqual(["common", ["common.ts"]]);
    expect(journal.version).toBe(4);
    await journal.close();
  });

  test("what was noted at the place itself stays, what was noted before it goes only further back", async () => {
    const { file, journal } = await rewound();
    const entries = readFileSync(file, "utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const [, user, assistant] = entries;
    await drive(client, "sayAt", { file, entryId: assistant.id, text: "From the answer itself." });
    await journal.refresh();
    expect(journal.state.notes).toBe("common");
    await drive(client, "sayAt", { file, entryId: user.id, text: "From before it." });
    await journal.refresh();
    expect(journal.state.notes).toBe("");
    await journal.close();
  });

  test("an append is decided on the branch, numbered after the whole file, and hangs on the new branch", async () => {
    const { file, journal } = await rewound();
    const answer = await journal.notes.append("right");
    expect([answer.version, journal.state.notes]).toEqual([5, "common\nright"]);
    const versions: number[] = [];
    for await (const { version } of journal.history()) versions.push(version);
    expect(versions).toEqual([1, 2, 5]);
    const whole = await openJournal(file, { readonly: true });
    expect(whole.state.notes).toBe("common\nright");
    expect(await drive(client, "load", { file })).toEqual({ notes: "common\nright", plan: "", refs: ["common.ts"] });
    expect((await journal.verify()).findings).toEqual([]);
    await whole.close();
    await journal.close();
  });

  test("going back to the branch that was left brings its scratchpad back", async () => {
    const { file, journal, left } = await rewound();
    await journal.notes.append("right");
    await drive(client, "sayAt", { file, entryId: left, text: "The left after all." });
    await journal.notes.append("again");
    expect(journal.state.notes).toBe("common\nleft\nagain");
    expect(await drive(client, "load", { file })).toEqual({
      notes: "common\nleft\nagain",
      plan: "",
      refs: ["common.ts", "left.ts"],
    });
    expect((await journal.verify()).ok).toBe(true);
    await journal.close();
  });

  test("a command of the branch that was left is taken: to answer as then would be untrue here", async () => {
    const file = await drive(client, "create", { folder: newFolder() });
    const journal = await openJournal(file, { fold: "branch" });
    const common = await drive(client, "leaf", { file });
    await drive(client, "say", { file, text: "Left." });
    await journal.notes.set("left", { command: "toolu_1" });
    await drive(client, "sayAt", { file, entryId: common, text: "Right." });
    await expect(journal.notes.set("left", { command: "toolu_1" })).rejects.toThrow(/another branch/);
    expect([journal.version, journal.state.notes]).toEqual([1, ""]);
    await journal.close();
  });

  test("a writer under the other policy is refused", async () => {
    const { file, journal } = await rewound();
    const other = await openJournal(file, { fold: "file" });
    await expect(other.notes.set("by file")).rejects.toMatchObject({ code: "fold_policy" });
    await other.close();
    await journal.close();
  });
});

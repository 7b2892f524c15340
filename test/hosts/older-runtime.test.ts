import { describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { sampledClients } from "./clients.ts";
import { drive, fixtureOf } from "./driver.ts";

const actions = [
  { action: "set_notes", content: "one" },
  { action: "append_notes", content: "two\u2028three" },
  { action: "edit_notes", operation: "find_replace", find: "one", replace: "ONE" },
  { action: "set_plan", content: "x".repeat(5000) },
  { action: "append_notes", content: "y".repeat(5000) },
  { action: "refs.set", items: ["a", "", "a"] },
  { action: "refs.remove", ref: "a" },
  { action: "set_notes", content: "" },
  { action: "refs.set", items: [] },
  { action: "set_plan", content: "" },
];

describe.each(sampledClients)("a three-key runtime in $name", (client) => {
  test("reads our notes, plan and refs after every acknowledgement", async () => {
    const file = fixtureOf(client);
    const journal = await openJournal(file);
    for (const action of actions) {
      await journal.applyUnknown(action);
      const { notes, plan, refs } = journal.state;
      expect(await drive(client, "load", { file })).toEqual({ notes, plan, refs });
    }
    await journal.close();
  });

  test("is folded, named and never lost or taken for a mirror, whatever it writes between our commits", async () => {
    const file = fixtureOf(client);
    const journal = await openJournal(file, { actor: "ours" });
    const { version } = await journal.notes.set("ours");
    const entryIds = [
      await drive(client, "write", { file, key: "notes", text: "theirs" }),
      await drive(client, "write", { file, key: "plan", text: "their plan" }),
      await drive(client, "write", { file, key: "refs", text: "their ref" }),
    ];
    await journal.notes.append("ours again");
    const told: RecordedEvent[] = [];
    for await (const recorded of journal.history({ from: version })) told.push(recorded);
    expect(told.map(({ actor, origin, event }) => [actor, origin, event.type])).toEqual([
      ["host", "host", "notes.set"],
      ["host", "host", "plan.set"],
      ["host", "host", "refs.set"],
      ["ours", "journal", "notes.appended"],
    ]);
    expect(told.slice(0, 3).map(({ entryId }) => entryId)).toEqual(entryIds);
    expect(journal.state.notes).toBe("ours\ntheirs\nours again");
    expect(journal.state.refs.at(-1)).toBe("their ref");
    const { notes, plan, refs } = journal.state;
    expect(await drive(client, "load", { file })).toEqual({ notes, plan, refs });
    expect((await journal.verify()).findings).toEqual([]);
    await journal.close();
  });

  test("that writes the very value that we mirrored is an event all the same", async () => {
    const file = fixtureOf(client);
    const journal = await openJournal(file);
    const before = await journal.plan.set("");
    await drive(client, "write", { file, key: "plan", text: "" });
    await journal.refresh();
    expect(journal.version).toBe(before.version + 1);
    await journal.close();
  });

  test("and its single key: notes are left alone once they were written in the newer format, the value is kept", async () => {
    const file = fixtureOf(client);
    const journal = await openJournal(file);
    await journal.notes.set("newer");
    await drive(client, "write", { file, key: "single", text: "from the single key" });
    await journal.refresh();
    expect(journal.state.notes).toBe("newer");
    const told: RecordedEvent[] = [];
    for await (const recorded of journal.history()) told.push(recorded);
    expect(told.at(-1)).toMatchObject({
      origin: "legacy",
      event: { type: "legacy.set", text: "from the single key", ignored: true },
    });
    expect((await drive(client, "load", { file })).notes).toBe("newer");
    await journal.close();
  });
});

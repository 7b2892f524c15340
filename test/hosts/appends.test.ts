import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { sessionFileStore } from "../../src/store/session-file/session-file-store.ts";
import { newDraft, StoreReader } from "../../src/testing/store-reader.ts";
import { recordResult } from "../reliability/results.ts";
import { sampledClients } from "./clients.ts";
import { drive, driveSync, fixtureOf, newFolder } from "./driver.ts";

describe.each(sampledClients)("$name", (client) => {
  test("has the same context, leaf, name and listing after hundreds of our appends, and goes on where it was", async () => {
    const file = fixtureOf(client);
    const before = await drive(client, "look", { file });
    const journal = await openJournal(file, { durability: "os" });
    for (let index = 0; index < 300; index++) {
      await journal.apply({ action: index % 3 === 0 ? "set_plan" : "set_notes", content: `finding ${index}` });
      if (index % 10 === 0) await journal.refs.add(`src/${index}.ts`);
    }
    const after = await drive(client, "look", { file });
    expect(after).toEqual(before);

    const said = await drive(client, "say", { file, text: "Go on." });
    expect(said.chained).toBe(true);
    expect(said.context.messages.slice(0, -1)).toEqual(before.context.messages);

    const again = await drive(client, "look", { file });
    expect(again.context.messages).toHaveLength(before.context.messages.length + 1);
    await journal.refresh();
    expect((await journal.verify()).findings).toEqual([]);
    await journal.close();
    recordResult({
      suite: "hosts/appends.test.ts",
      claim: `${client.name} finds its conversation as before and goes on in it`,
      size: "330 appends",
      outcome: "same context, leaf, name and listing",
    });
  });

  test.each([
    { how: "with mirrors", mirror: true },
    { how: "without mirrors", mirror: false },
  ])("that appends between our reading and our writing has a whole context, $how", async ({ mirror }) => {
    const file = fixtureOf(client);
    const { context } = await drive(client, "look", { file });
    const store = sessionFileStore(file, { mirror });
    const slow = new StoreReader(store);
    await slow.commit(() => {
      driveSync(client, "say", { file, text: "While you were deciding." });
      return newDraft({ event: { type: "notes.set", text: "decided before, written after" }, actor: "slow" });
    });
    await store.close();
    const last = JSON.parse(readFileSync(file, "utf8").trimEnd().split("\n").at(-1) as string);
    expect(last.customType).toBe("openclaw:scratchpad:mark");
    const after = await drive(client, "say", { file, text: "And after." });
    expect(after.context.messages).toHaveLength(context.messages.length + 2);
    expect(after.context.messages.slice(0, -2)).toEqual(context.messages);
    expect(slow.state.notes).toBe("decided before, written after");
  });

  test("opens a file that we created, and goes on in it", async () => {
    const file = join(newFolder(), "ours.jsonl");
    const journal = await openJournal(file);
    await journal.notes.set("before the client");
    const said = await drive(client, "say", { file, text: "Hello." });
    expect(said.context.messages).toHaveLength(1);
    const answered = await drive(client, "say", { file, role: "assistant", text: "Hello." });
    expect(answered.chained).toBe(true);
    await journal.notes.append("after it");
    const { listing } = await drive(client, "look", { file });
    expect(listing).toHaveLength(1);
    expect(journal.state.notes).toBe("before the client\nafter it");
    expect((await journal.verify()).ok).toBe(true);
    await journal.close();
  });

  test("writes ten thousand lines between two of ours, and neither is lost", async () => {
    const file = fixtureOf(client);
    const journal = await openJournal(file, { durability: "os" });
    await journal.notes.set("before");
    const { context } = await drive(client, "look", { file });
    await drive(client, "addLines", { file, count: 10_000 });
    await journal.notes.append("after");
    expect((await drive(client, "look", { file })).context).toEqual(context);
    expect(journal.state.notes).toBe("before\nafter");
    expect((await journal.verify()).findings).toEqual([]);
    await journal.close();
  });

  test("lists a session whose notes hold every kind of line separator", async () => {
    const file = fixtureOf(client);
    const before = await drive(client, "look", { file });
    const journal = await openJournal(file);
    const text = "one\u2028two\u2029three\u0085four\u000bfive\u000csix\r\nseven";
    await journal.notes.set(text);
    await journal.refs.add(text);
    expect(readFileSync(file, "utf8")).not.toMatch(/[\u2028\u2029\u0085]/);
    expect(await drive(client, "look", { file })).toEqual(before);
    expect((await drive(client, "load", { file })).notes).toBe(text);
    await journal.close();
  });

  test("lists one session, because nothing else of ours looks like one", async () => {
    const file = fixtureOf(client);
    const journal = await openJournal(file);
    await journal.notes.set("n");
    await journal.snapshot();
    const names = readdirSync(dirname(file), { recursive: true, encoding: "utf8" });
    expect(names.filter((name) => name.endsWith(".jsonl"))).toEqual(["session.jsonl"]);
    expect(names.length).toBeGreaterThan(2);
    expect((await drive(client, "look", { file })).listing).toHaveLength(1);
    await journal.close();
  });
});

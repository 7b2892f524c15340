import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { cli } from "../cli/cli.ts";
import { sampledClients } from "./clients.ts";
import { drive, fixtureOf, newFolder } from "./driver.ts";

const headerOf = (file: string): unknown => JSON.parse(readFileSync(file, "utf8").split("\n")[0] as string);

describe.each(sampledClients)("$name opens what the command line begot", (client) => {
  test.each([
    ["fork", ["--at", "t4"], 7],
    ["spawn", [], 13],
    ["spawn", ["--copy"], 13],
  ])("%s %j", async (verb, more, version) => {
    const parent = fixtureOf(client);
    const before = readFileSync(parent);
    const child = join(newFolder(), "child.jsonl");
    expect(await cli([verb, parent, child, ...more])).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(parent).equals(before)).toBe(true);
    expect(headerOf(child)).toMatchObject({ type: "session", version: 3, parentSession: parent });

    // The older client writes nothing down before the first answer of its model.
    const { chained } = await drive(client, "say", { file: child, role: "assistant", text: "Going on." });
    expect(chained).toBe(true);
    const { context } = await drive(client, "look", { file: child });
    expect(context.messages).toHaveLength(1);
    expect(headerOf(child)).toMatchObject({ type: "session", version: 3, parentSession: parent });

    const [of, journal] = [await openJournal(parent, { readonly: true }), await openJournal(child)];
    const { state } = await of.at(version);
    const { value: origin } = await journal.history().next();
    expect(origin?.event).toMatchObject({ type: "session.forked", from: { session: await of.sessionId(), version } });
    if (more.length > 0) expect(journal.state).toEqual(state);
    else expect(journal.state).toMatchObject({ notes: "", plan: "", refs: [] });
    await journal.notes.append("in the child");
    expect((await journal.verify()).findings).toEqual([]);
    expect((await drive(client, "look", { file: child })).context.messages).toHaveLength(1);
    await of.close();
    await journal.close();
  });
});

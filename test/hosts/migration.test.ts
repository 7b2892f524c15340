import { readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { type HostClient, hostClients } from "./clients.ts";
import { drive, fixtureOf } from "./driver.ts";

type Line = Record<string, unknown>;

const readLines = (file: string): Line[] =>
  readFileSync(file, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** As clients wrote before there was a tree: no ids, no version, compactions that name an index. */
function asVersion1([header, ...entries]: Line[]): Line[] {
  const indexes = new Map(entries.map(({ id }, index) => [id, index + 1]));
  const { version: _, ...first } = header as Line;
  const flat = entries.map(({ id: _id, parentId: _parentId, firstKeptEntryId, ...entry }) =>
    firstKeptEntryId === undefined ? entry : { ...entry, firstKeptEntryIndex: indexes.get(firstKeptEntryId) },
  );
  return [first, ...flat];
}

const asVersion2 = ([header, ...entries]: Line[]): Line[] => [{ ...header, version: 2 }, ...entries];

function olderFixture(client: HostClient, asOlder: (lines: Line[]) => Line[]): string {
  const file = fixtureOf(client);
  const lines = asOlder(readLines(file));
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  utimesSync(file, 1_700_000_000, 1_700_000_000);
  return file;
}

async function history(file: string) {
  const journal = await openJournal(file, { readonly: true });
  const events: Partial<RecordedEvent>[] = [];
  for await (const { offset: _offset, entryId: _entryId, ...recorded } of journal.history()) events.push(recorded);
  await journal.close();
  return { events, state: journal.state, turn: journal.turn };
}

const rows = hostClients.flatMap((client) => [
  { client, name: client.name, version: 1, asOlder: asVersion1 },
  { client, name: client.name, version: 2, asOlder: asVersion2 },
]);

describe.each(rows)("a file of version $version", ({ client, asOlder }) => {
  test("is read without being touched, and after $name has migrated it its history is the same", async () => {
    const file = olderFixture(client, asOlder);
    const bytes = readFileSync(file);
    const { mtimeMs, ctimeMs, atimeMs } = statSync(file);
    const before = await history(file);
    expect(before.events.length).toBeGreaterThan(10);
    expect(before.state.notes).toContain("Root cause");
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect([statSync(file).mtimeMs, statSync(file).ctimeMs]).toEqual([mtimeMs, ctimeMs]);
    expect(statSync(file).atimeMs).toBeGreaterThanOrEqual(atimeMs);

    await drive(client, "look", { file });
    expect(readLines(file)[0]?.["version"]).toBe(3);
    expect(await history(file)).toEqual(before);
  });

  test("that holds commits of ours keeps them through the migration of $name, under the same ids", async () => {
    const file = olderFixture(client, asOlder);
    const journal = await openJournal(file);
    await journal.notes.append("ours", { command: "c1" });
    await journal.refs.add("ours");
    await journal.close();
    const before = await history(file);

    await drive(client, "look", { file });
    expect(readLines(file)[0]?.["version"]).toBe(3);
    expect(await history(file)).toEqual(before);

    const again = await openJournal(file);
    expect(await again.notes.append("ours", { command: "c1" })).toMatchObject({
      ok: true,
      version: before.events.length - 1,
    });
    await again.plan.set("and on");
    expect((await again.verify()).ok).toBe(true);
    expect((await drive(client, "load", { file })).plan).toBe("and on");
    await again.close();
  });
});

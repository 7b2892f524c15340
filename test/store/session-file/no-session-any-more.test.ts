import fs from "node:fs";
import { expect, test } from "vitest";
import { openJournal } from "../../../src/open/open-journal.ts";
import { linesOf, useFolder } from "./folder.ts";
import { verifyFile } from "./verify-file.ts";

const folder = useFolder();

function written(key: string) {
  return { event: { type: "entry.written", key, text: key }, actor: "agent" } as const;
}

test("a file that was emptied gets a header before anything else, and what was acknowledged is put back", async () => {
  const { file } = folder.session();
  const reader = folder.reader(file);
  await reader.append(written("a"));
  fs.truncateSync(file, 0);
  await reader.append(written("b"));
  expect(linesOf(file)[0]?.type).toBe("session");
  const other = folder.reader(file);
  await other.catchUp();
  expect(Object.keys(other.state.entries).sort()).toEqual(["a", "b"]);
  expect((await verifyFile(file)).ok).toBe(true);
});

test.each(['{"type":"ses', "not a session\n"])("what is no session any more is not written to: %s", async (content) => {
  const { file } = folder.session();
  const reader = folder.reader(file);
  await reader.append(written("a"));
  fs.truncateSync(file, 0);
  fs.writeFileSync(file, content, { flag: "r+" });
  await expect(reader.append(written("b"))).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  expect(fs.readFileSync(file, "utf8")).toBe(content);
});

test("where it was neither emptied nor mended, a file without create stays as it is", async () => {
  const { file } = folder.session();
  const reader = folder.reader(file, { create: false });
  await reader.append(written("a"));
  fs.truncateSync(file, 0);
  await expect(reader.append(written("b"))).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  expect(fs.statSync(file).size).toBe(0);
});

test("what is to be read from the beginning and is gone is told to a writer, who would write to nobody's file", async () => {
  const { file } = folder.session();
  const { log } = folder.store(file, { create: false, lock: { mode: "off" } });
  let asked = 0;
  const append = async (after?: unknown): Promise<void> => {
    await log.append(after, () => {
      asked += 1;
      return { type: "leave" };
    });
  };
  let cursor: unknown;
  for await (const page of log.read(undefined)) ({ cursor } = page);
  await append(cursor);
  fs.rmSync(file);
  await expect(append()).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  expect(asked).toBe(1);
});

test.each(['{"type":"message","id":"00000001"}\n', "not a session\n", '{"type":"session","version":9,"id":"x"}\n'])(
  "who reads is told of what is no session any more, and goes on once it is one: %s",
  async (content) => {
    const { file } = folder.session();
    const writer = await openJournal(file, { durability: "os" });
    await writer.notes.set("known");
    const reader = await openJournal(file, { readonly: true });
    const changes = reader.changes();
    const next = changes.next();
    const text = fs.readFileSync(file);
    fs.writeFileSync(file, content);
    for (const journal of [reader, writer]) {
      await expect(journal.refresh()).rejects.toMatchObject({ code: "not_a_session", place: { file } });
      expect(journal.state.notes).toBe("known");
    }
    await expect(next).rejects.toMatchObject({ code: "not_a_session" });
    fs.writeFileSync(file, text);
    for (const journal of [reader, writer]) await journal.refresh();
    expect((await writer.notes.append("more")).version).toBe(2);
    await reader.refresh();
    expect(reader.state.notes).toBe("known\nmore");
    for (const journal of [reader, writer]) await journal.close();
  },
);

test("a file that was emptied is about to be written to: who reads keeps what it knew", async () => {
  const { file } = folder.session();
  const writer = await openJournal(file, { durability: "os" });
  await writer.notes.set("known");
  fs.truncateSync(file, 0);
  await writer.refresh();
  expect(writer.state.notes).toBe("known");
  await writer.close();
});

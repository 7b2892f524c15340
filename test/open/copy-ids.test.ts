/** A session's id is any text: each one copies and is found again, or is refused with what to do instead. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { openJournals } from "../../src/open/open-journals.ts";
import { brokerId } from "../../src/store/jetstream/jetstream-store.ts";
import { sessionOf, tokenOf } from "../../src/store/jetstream/names.ts";
import { idInAddress, idOfAddress } from "../../src/store/session-id.ts";

const root = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-ids-"));
afterAll(() => fs.rmSync(root, { recursive: true, force: true }));

let sessions = 0;
/** A session file with that id, and one event of ours. */
async function sessionOfId(id: unknown): Promise<string> {
  const file = path.join(root, `session ${++sessions}.jsonl`);
  const header = { type: "session", version: 3, id, timestamp: "2026-01-01T00:00:00.000Z", cwd: "/" };
  fs.writeFileSync(file, `${JSON.stringify(header)}\n`);
  const journal = await openJournal(file, { durability: "os" });
  await journal.notes.set("kept");
  await journal.close();
  return file;
}

const copied = ["a#b", "#", "##x", "100%", "%23", "a%2523", "a b", "ä/ö", "../..", "a\nb", "a\u0007b", "*.>", "con"];

test.each(copied)("%j copies into a database and back, under the address that the copy says", async (id) => {
  const file = await sessionOfId(id);
  const database = path.join(root, `copy ${sessions}.db`);
  const { to, session } = await copyJournal(file, `sqlite:${database}`);
  expect(session).toBe(id);
  expect((await copyJournal(file, to)).events).toBe(0);
  expect((await copyJournal(file, new URL(`sqlite:${encodeURI(database)}`))).events).toBe(0);
  const journals = await openJournals(`sqlite:${database}`);
  const listed: string[] = [];
  for await (const each of journals.list()) listed.push(each.session);
  expect(listed).toEqual([id]);
  const opened = await journals.open(id);
  expect(opened.state.notes).toBe("kept");
  await opened.close();
  await journals.close();
  const back = path.join(root, `back ${sessions}.jsonl`);
  await copyJournal(to, back);
  const again = await openJournal(back, { readonly: true });
  expect([await again.sessionId(), (await again.verify()).ok]).toEqual([id, true]);
  await again.close();
});

test.each([undefined, "", 5])("a session without an id, %j, is not copied, and nothing is made", async (id) => {
  const file = await sessionOfId(id);
  for (const to of [`sqlite:${path.join(root, "none.db")}`, path.join(root, "none.jsonl")]) {
    await expect(copyJournal(file, to)).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  }
  expect(fs.readdirSync(root).filter((name) => name.startsWith("none"))).toEqual([]);
});

test.each(["x\0y", "half \ud800"])(
  "%j is no name for a database or a broker, and two of them never become one",
  async (id) => {
    const file = await sessionOfId(id);
    const database = path.join(root, "half.db");
    const refused = copyJournal(file, `sqlite:${database}`);
    await expect(refused).rejects.toMatchObject({ code: "storage", fate: "not-written" });
    await expect(refused).rejects.toMatchObject({
      code: "storage",
      message: expect.stringMatching("copy the file itself, or fork it"),
    });
    expect(fs.existsSync(database)).toBe(false);
    const back = path.join(root, `file ${sessions}.jsonl`);
    expect((await copyJournal(file, back)).session).toBe(id);
    const journals = await openJournals(`sqlite:${path.join(root, "many.db")}`);
    await expect(journals.open(id)).rejects.toThrow(TypeError);
    await journals.close();
    expect(() => brokerId(id)).toThrow(TypeError);
  },
);

test("an id that is too long for a broker is refused before anybody connects, and named in short", async () => {
  const file = await sessionOfId("x".repeat(10_000));
  const refused = copyJournal(file, "nats://127.0.0.1:1/journals");
  await expect(refused).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  await expect(refused).rejects.toThrow(/session id "x{100}…", which cannot be kept there.*or fork it/);
});

test("a fork, as the refusal advises, can be copied", async () => {
  const file = await sessionOfId("x\0y");
  const journal = await openJournal(file);
  const child = await journal.fork(path.join(root, "forked.jsonl"));
  await child.close();
  await journal.close();
  expect((await copyJournal(path.join(root, "forked.jsonl"), `sqlite:${path.join(root, "forked.db")}`)).events).toBe(1);
});

test("in an address and on a broker no two ids are one, and what is longer than a broker takes is refused", () => {
  const ids = [...copied, "a", "A", "a%", "%", "%25", "a.b", "a=2eb", "a_b", "=", "==", "\u0085"];
  for (const id of ids) {
    expect(idOfAddress(idInAddress(id))).toBe(id);
    expect(sessionOf(tokenOf(id))).toBe(id);
    expect(brokerId(id)).toBe(id);
    expect(tokenOf(id)).toMatch(/^[A-Za-z0-9_=-]+$/);
  }
  expect(new Set(ids.map(idInAddress)).size).toBe(ids.length);
  expect(new Set(ids.map(tokenOf)).size).toBe(ids.length);
  expect(() => brokerId("x".repeat(2049))).toThrow(TypeError);
  expect(() => brokerId("")).toThrow(TypeError);
});

test.each(["../out.jsonl", "/../../out.jsonl", "a/../../out.jsonl", "..", ".", "nul\0.jsonl", "link/out.jsonl"])(
  "the name %j of a session in a folder leads nowhere else",
  async (name) => {
    const home = path.join(root, `home ${++sessions}`);
    const folder = path.join(home, "sessions");
    fs.mkdirSync(folder, { recursive: true });
    fs.mkdirSync(path.join(home, "elsewhere"));
    fs.symlinkSync(path.join(home, "elsewhere"), path.join(folder, "link"));
    const journals = await openJournals(folder);
    await expect(journals.open(name)).rejects.toMatchObject({ code: "not_a_session" });
    await journals.close();
    expect(fs.readdirSync(home).sort()).toEqual(["elsewhere", "sessions"]);
    expect(fs.readdirSync(path.join(home, "elsewhere"))).toEqual([]);
  },
);

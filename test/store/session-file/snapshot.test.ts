import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { beforeEach, expect, test, vi } from "vitest";
import { hashText } from "../../../src/line/chain.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import type { OpenOptions } from "../../../src/open/open-options.ts";
import { sessionFileStore } from "../../../src/store/session-file/session-file-store.ts";
import { newDraft, StoreReader } from "../../../src/testing/store-reader.ts";
import { useFolder } from "./folder.ts";

const folder = useFolder();
const options: OpenOptions = { durability: "os" };

let file = "";
const snapshotOf = (session: string): string =>
  path.join(path.dirname(session), ".session-journal", `${path.basename(session)}.snapshot.json`);

/** Notes that a reader from the start misses, once their lines are blanked; a snapshot still holds them. */
const kept = "kept in the snapshot";

beforeEach(async () => {
  file = folder.session().file;
});

/** Adds lines of the host's, `bytes` long together. */
function talk(bytes: number, session = file): void {
  const line = `${JSON.stringify({ type: "message", id: "0000aaaa", parentId: null, text: "x".repeat(900) })}\n`;
  fs.appendFileSync(session, line.repeat(Math.ceil(bytes / line.length)));
}

async function writeAndSave(more: OpenOptions = {}): Promise<void> {
  const journal = await openJournal(file, { ...options, ...more });
  await journal.notes.set(kept);
  talk(4096);
  await journal.snapshot();
  await journal.close();
}

/** Makes the commits and values before the snapshot unreadable, in place. */
function blank(): void {
  const bytes = fs.readFileSync(file);
  const before = bytes.subarray(0, offsetIn(file));
  for (let at = before.indexOf("openclaw"); at !== -1; at = before.indexOf("openclaw")) before.write("closed", at);
  fs.writeFileSync(file, bytes, { flag: "r+" });
}

async function notesIn(session = file, more: OpenOptions = {}): Promise<string> {
  const journal = await openJournal(session, { ...options, readonly: true, ...more });
  await journal.close();
  return journal.state.notes;
}

function resign(change: (fields: Record<string, unknown>) => object, seal?: string): void {
  const snapshot = snapshotOf(file);
  const [saved = ""] = fs.readFileSync(snapshot, "utf8").split("\n");
  const body = JSON.stringify(change(JSON.parse(saved) as Record<string, unknown>));
  fs.writeFileSync(snapshot, `${body}\n${seal === undefined ? body : hashText(body, seal)}\n`);
}

test("with a snapshot what was before it is not read, and what came after it is added", async () => {
  await writeAndSave();
  const other = await openJournal(file, options);
  await other.plan.set("after the snapshot");
  await other.close();
  blank();
  const resumed = await openJournal(file, { ...options, readonly: true });
  expect(resumed.state).toMatchObject({ notes: kept, plan: "after the snapshot" });
  await resumed.close();
  fs.rmSync(snapshotOf(file));
  expect(await notesIn()).toBe("");
});

test("a snapshot written anew whole is believed, so that the tests below can fail", async () => {
  await writeAndSave();
  resign((fields) => ({ ...fields }));
  blank();
  expect(await notesIn()).toBe(kept);
});

test("a snapshot with any byte changed is ignored", async () => {
  await writeAndSave();
  blank();
  const bytes = fs.readFileSync(snapshotOf(file));
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: bytes.length - 1 }), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ change;
      fs.writeFileSync(snapshotOf(file), changed);
      expect(await notesIn()).toBe("");
    }),
    { numRuns: 40 },
  );
});

test("a snapshot cut anywhere is ignored", async () => {
  await writeAndSave();
  blank();
  const bytes = fs.readFileSync(snapshotOf(file));
  for (const length of [0, 1, bytes.length >> 1, bytes.length - 2, bytes.length - 1]) {
    fs.writeFileSync(snapshotOf(file), bytes.subarray(0, length));
    expect(await notesIn(), `${length} bytes`).toBe("");
  }
});

test("a snapshot that is no file is ignored", async () => {
  await writeAndSave();
  blank();
  fs.rmSync(snapshotOf(file));
  fs.mkdirSync(snapshotOf(file));
  expect(await notesIn()).toBe("");
});

test("a snapshot behind a symbolic link is ignored", async () => {
  await writeAndSave();
  blank();
  fs.renameSync(snapshotOf(file), folder.path("elsewhere.json"));
  fs.symlinkSync(folder.path("elsewhere.json"), snapshotOf(file));
  expect(await notesIn()).toBe("");
});

for (const field of ["format", "reducer"]) {
  test(`a snapshot of a future ${field} is ignored`, async () => {
    await writeAndSave();
    resign((fields) => ({ ...fields, [field]: (fields[field] as number) + 1 }));
    blank();
    expect(await notesIn()).toBe("");
  });
}

test("a snapshot of another shape is ignored, be it whole", async () => {
  await writeAndSave();
  blank();
  const whole = fs.readFileSync(snapshotOf(file));
  for (const field of ["session", "cursor", "state", "ledger", "damaged", "delivered", "policy"]) {
    for (const wrong of [undefined, null, 7.5, [], { head: {} }]) {
      fs.writeFileSync(snapshotOf(file), whole);
      resign((fields) => ({ ...fields, [field]: wrong }));
      expect(await notesIn(), `${field}: ${JSON.stringify(wrong)}`).toBe("");
    }
  }
});

test("a snapshot ahead of the file is ignored", async () => {
  await writeAndSave();
  blank();
  fs.truncateSync(file, fs.statSync(file).size - 1);
  expect(await notesIn()).toBe("");
});

test("a snapshot of a file that was replaced since is ignored", async () => {
  await writeAndSave();
  blank();
  fs.copyFileSync(file, folder.path("copy"));
  fs.renameSync(folder.path("copy"), file);
  expect(await notesIn()).toBe("");
});

test("a stale snapshot, of a file that was rewritten in place since, is ignored", async () => {
  await writeAndSave();
  blank();
  const bytes = fs.readFileSync(file);
  bytes.write("y", bytes.length - 20);
  fs.writeFileSync(file, bytes, { flag: "r+" });
  expect(await notesIn()).toBe("");
});

test("a foreign snapshot, of another session, is ignored", async () => {
  await writeAndSave();
  blank();
  const bytes = fs.readFileSync(file);
  bytes.write("7", bytes.indexOf("6f1d2c3b"));
  fs.writeFileSync(file, bytes, { flag: "r+" });
  expect(await notesIn()).toBe("");
});

test("a snapshot of another namespace is ignored", async () => {
  await writeAndSave();
  expect(await notesIn(file, { namespace: "other" })).toBe("");
});

test("a snapshot under another seal, or none, is ignored", async () => {
  await writeAndSave({ seal: "key" });
  blank();
  expect(await notesIn(file, { seal: "another key" })).toBe("");
  expect(await notesIn()).toBe("");
  expect(await notesIn(file, { seal: "key" })).toBe(kept);
  resign((fields) => fields, "another key");
  expect(await notesIn(file, { seal: "key" })).toBe("");
});

test("a snapshot of policy file is ignored under policy branch, where none is taken", async () => {
  await writeAndSave();
  const before = fs.readFileSync(snapshotOf(file));
  blank();
  const branch = await openJournal(file, { ...options, fold: "branch" });
  expect(branch.state.notes).toBe("");
  talk(1 << 20);
  await branch.refresh();
  await branch.snapshot();
  await branch.close();
  expect(fs.readFileSync(snapshotOf(file))).toEqual(before);
});

test("a journal that came under policy branch after the snapshot is read under it", async () => {
  const reader = folder.reader(file);
  await reader.catchUp();
  await reader.store.saveSnapshot({ end: await reader.catchUp() });
  const branch = await openJournal(file, { ...options, fold: "branch" });
  await branch.notes.set("on a branch");
  const last = fs.readFileSync(file, "utf8").split("\n").at(-2) as string;
  await branch.close();
  const { id } = JSON.parse(last) as { id: string };
  fs.appendFileSync(file, `${JSON.stringify({ type: "message", id: "b0b0b0b0", parentId: id })}\n`);
  fs.appendFileSync(file, `${JSON.stringify({ type: "message", id: "c0c0c0c0", parentId: null })}\n`);
  const resumed = await notesIn();
  fs.rmSync(snapshotOf(file));
  expect(resumed).toBe(await notesIn());
});

test("a strict handle is not spared the damage that a snapshot has passed", async () => {
  const journal = await openJournal(file, options);
  await journal.notes.set("one");
  fs.appendFileSync(file, '{"type":"custom","customType":"openclaw:scratchpad:events","data":{}}\n');
  talk(4096);
  await journal.snapshot();
  await journal.close();
  expect(await notesIn()).toBe("one");
  await expect(openJournal(file, { ...options, strict: true })).rejects.toMatchObject({ code: "corrupt_entry" });
});

test("an event that this version cannot read is not hidden by a snapshot", async () => {
  const writer = folder.reader(file);
  const event = { type: "unknown", name: "notes.sung", payload: {} } as const;
  await writer.commit(() => newDraft({ event, actor: "newer" }));
  talk(1 << 20);
  const journal = await openJournal(file, options);
  await journal.snapshot();
  await journal.close();
  expect(fs.existsSync(snapshotOf(file))).toBe(false);
});

test("a handle that writes nothing of its own still advances the snapshot when the host has gone on", async () => {
  const journal = await openJournal(file, options);
  await journal.refresh();
  expect(fs.existsSync(snapshotOf(file))).toBe(false);
  talk(300 << 10);
  await journal.refresh();
  await journal.close();
  expect(offsetIn(file)).toBe(fs.statSync(file).size);
});

test("a snapshot is taken anew when the tail outweighs it, not before", async () => {
  const journal = await openJournal(file, options);
  talk(300 << 10);
  await journal.refresh();
  await journal.refresh();
  const first = await vi.waitFor(() => offsetIn(file), { timeout: 30_000 });
  talk(100 << 10);
  await journal.notes.set("a little");
  await journal.refresh();
  expect(offsetIn(file)).toBe(first);
  talk(200 << 10);
  // The one before may still be syncing the folder.
  await vi.waitFor(
    async () => {
      await journal.refresh();
      expect(offsetIn(file)).toBe(fs.statSync(file).size);
    },
    { timeout: 30_000 },
  );
  await journal.close();
});

test("where another writer has just taken the snapshot, nobody takes the same again", async () => {
  const [first, second] = [await openJournal(file, options), await openJournal(file, options)];
  talk(600 * 1024);
  await first.notes.set("one");
  const taken = await vi.waitFor(() => fs.statSync(snapshotOf(file)), { timeout: 30_000 });
  await second.notes.set("three");
  await second.notes.set("four");
  expect(fs.statSync(snapshotOf(file)).ino).toBe(taken.ino);
  talk(600 * 1024);
  await second.notes.set("five");
  await Promise.all([first.close(), second.close()]);
  expect(fs.statSync(snapshotOf(file)).ino).not.toBe(taken.ino);
});

test("a snapshot that cannot be used is replaced as soon as one is due", async () => {
  talk(600 * 1024);
  await writeAndSave();
  fs.writeFileSync(snapshotOf(file), "{}");
  const journal = await openJournal(file, options);
  await journal.close();
  expect(fs.readFileSync(snapshotOf(file), "utf8").length).toBeGreaterThan(100);
});

test("closing takes the snapshot that is due", async () => {
  talk(300 << 10);
  const journal = await openJournal(file, options);
  await journal.close();
  expect(offsetIn(file)).toBe(fs.statSync(file).size);
});

test("neither readonly handles nor reading verbs take one", async () => {
  talk(300 << 10);
  const journal = await openJournal(file, { ...options, readonly: true });
  await journal.refresh();
  await expect(journal.snapshot()).rejects.toMatchObject({ code: "readonly" });
  await journal.close();
  expect(fs.readdirSync(folder.path())).toEqual([path.basename(file)]);
});

test("a snapshot is its owner's alone, and no temporary file stays", async () => {
  await writeAndSave();
  const side = path.dirname(snapshotOf(file));
  expect(fs.readdirSync(side)).toEqual([path.basename(snapshotOf(file))]);
  expect(fs.statSync(snapshotOf(file)).mode & 0o777).toBe(0o600);
  expect(fs.statSync(side).mode & 0o777).toBe(0o700);
});

test("a writer that died over its snapshot stops nobody for long, and until then who asks for one is told", async () => {
  await writeAndSave();
  const abandoned = `${snapshotOf(file)}.tmp`;
  fs.writeFileSync(abandoned, "half a snap");
  const before = offsetIn(file);
  const journal = await openJournal(file, options);
  await journal.notes.set("more");
  expect(await journal.snapshot()).toBe(false);
  expect(offsetIn(file)).toBe(before);
  fs.utimesSync(abandoned, new Date(0), new Date(0));
  expect(await journal.snapshot()).toBe(true);
  await journal.close();
  expect(offsetIn(file)).toBeGreaterThan(before);
  expect(fs.existsSync(abandoned)).toBe(false);
});

test("where no snapshot can be written the journal works, and only who asked for one is told", async () => {
  fs.writeFileSync(folder.path(".session-journal"), "in the way");
  const journal = await openJournal(file, options);
  talk(300 << 10);
  await journal.notes.set("written");
  await expect(journal.snapshot()).rejects.toMatchObject({ code: "storage" });
  await journal.close();
  expect(await notesIn()).toBe("written");
});

test("a command from before the snapshot is answered as the first time", async () => {
  const first = await openJournal(file, options);
  const long = "call-".repeat(20);
  const answer = await first.apply({ action: "set_notes", content: "once" }, { command: long });
  await first.apply({ action: "set_plan", content: "twice" }, { command: "line\nfeed \\n" });
  await first.snapshot();
  await first.close();
  const second = await openJournal(file, options);
  expect(await second.apply({ action: "set_notes", content: "once" }, { command: long })).toEqual(answer);
  await second.apply({ action: "set_plan", content: "twice" }, { command: "line\nfeed \\n" });
  expect(second.version).toBe(2);
  await second.close();
});

test("a refusal just before the snapshot is not recorded again after it", async () => {
  const refused = { action: "refs.remove", ref: "absent" };
  const first = await openJournal(file, options);
  await first.applyUnknown(refused);
  await first.snapshot();
  await first.close();
  const second = await openJournal(file, options);
  await second.applyUnknown(refused);
  expect(second.version).toBe(1);
  await second.close();
});

test("a store that reads for the first time without its snapshot is told everything", async () => {
  await writeAndSave();
  const reader = new StoreReader(sessionFileStore(file));
  await reader.catchUp();
  expect(reader.state.notes).toBe(kept);
  await reader.store.close();
});

function offsetIn(session: string): number {
  const [saved = ""] = fs.readFileSync(snapshotOf(session), "utf8").split("\n");
  const snapshot = JSON.parse(saved) as { cursor: { offset: number } };
  return snapshot.cursor.offset;
}

test("a snapshot is kept that is asked for while other calls of the journal wait", async () => {
  const journal = await openJournal(file, options);
  await journal.notes.set("text");
  const [isKept] = await Promise.all([journal.snapshot(), journal.notes.append("more"), journal.plan.set("1. Go")]);
  expect(isKept).toBe(true);
  expect(fs.existsSync(snapshotOf(file))).toBe(true);
  await journal.close();
});

/** A sync that failed proves nothing, not even when it is tried again: what it may have lost is appended once more. */
import type fs from "node:fs";
import { appendFileSync, copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";

const disk = vi.hoisted(() => ({
  failures: 0,
  syncs: 0,
  folders: 0,
  slow: undefined as Promise<void> | undefined,
  synced: () => undefined as unknown,
}));
vi.mock("node:fs", async (original) => {
  const real = await original<{ default: typeof fs }>();
  const failure = (): Error | null => {
    disk.syncs += 1;
    if (disk.failures === 0) return null;
    disk.failures -= 1;
    return Object.assign(new Error("EIO"), { code: "EIO" });
  };
  const fdatasync = (descriptor: number, done: (error: Error | null) => void): void => {
    const error = failure();
    const { slow } = disk;
    disk.slow = undefined;
    if (error === null)
      real.default.fdatasync(descriptor, (failed) => {
        disk.synced();
        done(failed);
      });
    else if (slow === undefined) done(error);
    else void slow.then(() => done(error));
  };
  const fdatasyncSync = (descriptor: number): void => {
    const error = failure();
    if (error !== null) throw error;
    real.default.fdatasyncSync(descriptor);
    disk.synced();
  };
  const fsyncSync = (descriptor: number): void => {
    if (real.default.fstatSync(descriptor).isDirectory()) disk.folders += 1;
    real.default.fsyncSync(descriptor);
  };
  return { ...real, default: { ...real.default, fdatasync, fdatasyncSync, fsyncSync } };
});

const { linesOf, useFolder } = await import("./folder.ts");
const { verifyFile } = await import("./verify-file.ts");
const { nobody } = await import("../../../src/stream/delivery.ts");

const folder = useFolder();
afterEach(() => {
  disk.failures = 0;
  disk.synced = () => undefined;
});

function add(text: string, command: string) {
  return { event: { type: "notes.appended", text }, actor: "agent", command } as const;
}

function timesWritten(file: string, text: string): number {
  const commits = linesOf(file).filter(({ customType }) => customType === "openclaw:scratchpad:events");
  return commits.filter(({ data }) => JSON.stringify(data).includes(text)).length;
}

test("nothing is acknowledged, and before the next commit the same one is appended and synced again", async () => {
  const { file } = folder.session();
  const reader = folder.reader(file, { durability: "fsync" });
  await reader.append(add("one", "call-1"));
  disk.failures = 1;
  await expect(reader.append(add("two", "call-2"))).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  await reader.append(add("three", "call-3"));
  expect(reader.state.notes).toBe("one\ntwo\nthree");
  expect(timesWritten(file, '"two"')).toBe(2);
  expect(await verifyFile(file)).toMatchObject({ ok: true, findings: [{ kind: "duplicate" }] });
});

test("what two syncs may have lost is appended in the old order, whichever of them failed first", async () => {
  const { file } = folder.session();
  const [one, two] = [folder.reader(file, { durability: "fsync" }), folder.reader(file, { durability: "fsync" })];
  let fail = (): void => undefined;
  disk.slow = new Promise((resolve) => {
    fail = resolve;
  });
  disk.failures = 2;
  const first = one.append(add("one", "call-1"));
  await vi.waitFor(() => expect(timesWritten(file, '"one"')).toBe(1), { timeout: 30_000 });
  await expect(two.append(add("two", "call-2"))).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  fail();
  await expect(first).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  await one.append(add("three", "call-3"));
  const texts = linesOf(file).flatMap(({ data }) => /"text":"(\w+)"/.exec(JSON.stringify(data) ?? "")?.[1] ?? []);
  expect(texts).toEqual(["one", "two", "one", "two", "three"]);
});

test("another handle of the process does so too, and a repeated command waits for it", async () => {
  const { file } = folder.session();
  const first = folder.reader(file, { durability: "fsync" });
  disk.failures = 2;
  await expect(first.append(add("one", "call-1"))).rejects.toMatchObject({ fate: "unknown" });
  const second = folder.reader(file, { durability: "fsync" });
  const repeated = { id: "c-none", at: "2026-11-21T20:00:00.000Z", events: [] };
  await expect(second.commit(() => repeated)).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  await second.commit(() => repeated);
  const fresh = folder.reader(file, { readonly: true });
  await fresh.catchUp();
  expect(fresh.state.notes).toBe("one");
  expect(second.store.knows("call-1")).toBe(true);
  expect(timesWritten(file, '"one"')).toBeGreaterThan(1);
});

test("who keeps another journal in the same file writes nothing of it again, and keeps nobody from doing so", async () => {
  const { file } = folder.session();
  const mine = folder.reader(file, { durability: "fsync", namespace: "mine:pad" });
  const theirs = folder.reader(file, { durability: "fsync", namespace: "their:pad" });
  const commitsOf = (namespace: string) =>
    linesOf(file).filter(({ customType }) => customType === `${namespace}:events`);
  disk.failures = 1;
  await expect(mine.append(add("one", "call-1"))).rejects.toMatchObject({ fate: "unknown" });
  await theirs.append(add("two", "call-2"));
  expect([commitsOf("mine:pad").length, commitsOf("their:pad").length]).toEqual([1, 1]);
  await mine.append(add("three", "call-3"));
  expect([commitsOf("mine:pad").length, commitsOf("their:pad").length]).toEqual([3, 1]);
  expect([mine.state.notes, theirs.state.notes]).toEqual(["one\nthree", "two"]);
});

test("the folder of a file that was made is synced too, or its name could be lost", async () => {
  disk.folders = 0;
  await folder.reader(folder.path("os.jsonl"), { durability: "os" }).append(add("one", "call-1"));
  expect(disk.folders).toBe(0);
  await folder.reader(folder.path("fsync.jsonl"), { durability: "fsync" }).append(add("one", "call-1"));
  // When it is made, and before the first acknowledgement: it might have been another who made it.
  expect(disk.folders).toBe(2);
});

test("durability os asks for no sync", async () => {
  const { file } = folder.session();
  disk.syncs = 0;
  await folder.reader(file, { durability: "os" }).append(add("one", "call-1"));
  expect(disk.syncs).toBe(0);
  await folder.reader(file, { durability: "fsync" }).append(add("two", "call-2"));
  expect(disk.syncs).toBeGreaterThan(0);
});

test("a command that another writer carried out behind our sync is acknowledged after one more", async () => {
  const { file } = folder.session();
  const elsewhere = folder.path("elsewhere.jsonl");
  copyFileSync(file, elsewhere);
  const other = folder.reader(elsewhere, { mirror: false });
  await other.append(add("theirs", "call-2"));
  await other.append(add("ours", "call-1"));
  const [, faster = "", repeated = ""] = readFileSync(elsewhere, "utf8").split("\n");
  const happened: string[] = [];
  disk.synced = () => {
    if (happened.push("synced") > 1) return;
    appendFileSync(file, `${repeated}\n`);
    happened.push("carried out");
  };
  const { store } = folder.reader(file, { durability: "fsync", mirror: false });
  await store.catchUp(undefined, nobody);
  const at = "2026-11-21T20:00:00.000Z";
  await store.commit(undefined, nobody, ({ version }) => {
    if (version === 0) appendFileSync(file, `${faster}\n`);
    const { command, ...event } = add("ours", "call-1");
    return { id: "c-ours", at, events: store.knows(command) ? [] : [{ ...event, command }] };
  });
  expect(happened).toEqual(["synced", "carried out", "synced"]);
});

test("a command of a writer that died is acknowledged once what it wrote was appended again, where a sync failed", async () => {
  const { file } = folder.session();
  await folder.reader(file).append(add("one", "call-1"));
  const second = folder.reader(file, { durability: "fsync" });
  const repeated = { id: "c-none", at: "2026-11-21T20:00:00.000Z", events: [] };
  disk.failures = 1;
  await expect(second.commit(() => repeated)).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  await second.commit(() => repeated);
  expect(timesWritten(file, '"one"')).toBe(2);
  expect(await verifyFile(file)).toMatchObject({ ok: true, findings: [{ kind: "duplicate" }] });
});

test("what was synced before is not appended again, and what others wrote behind it is", async () => {
  const { file } = folder.session();
  const reader = folder.reader(file, { durability: "fsync" });
  await reader.append(add("before", "call-1"));
  await folder.reader(file).append(add("theirs", "call-2"));
  disk.failures = 1;
  await expect(reader.append(add("ours", "call-3"))).rejects.toMatchObject({ fate: "unknown" });
  await reader.append(add("last", "call-4"));
  const times = ["before", "theirs", "ours", "last"].map((text) => timesWritten(file, `"${text}"`));
  expect(times).toEqual([1, 2, 2, 1]);
  expect(await verifyFile(file)).toMatchObject({ ok: true });
});

test("what lost a race stands behind what won it when both are appended again", async () => {
  const { file } = folder.session();
  const elsewhere = folder.path("elsewhere.jsonl");
  copyFileSync(file, elsewhere);
  await folder.reader(elsewhere, { mirror: false }).append(add("faster", "call-1"));
  const [header = "", faster = ""] = readFileSync(elsewhere, "utf8").split("\n");
  const { store } = folder.reader(file, { durability: "fsync", mirror: false });
  await store.catchUp(undefined, nobody);
  const at = "2026-11-21T20:00:00.000Z";
  disk.failures = 1;
  const losing = store.commit(undefined, nobody, ({ version }) => {
    if (version === 0) appendFileSync(file, `${faster}\n`);
    return { id: "c-slower", at, events: [add("slower", "call-2")] };
  });
  await expect(losing).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  const { size } = statSync(file);
  // It is acknowledged, and the pages that no sync has put on the disk are gone.
  await store.commit(undefined, nobody, () => ({ id: "c-none", at, events: [] }));
  expect(store.knows("call-1")).toBe(true);
  const after = folder.path("after.jsonl");
  writeFileSync(after, `${header}\n${readFileSync(file).subarray(size).toString()}`);
  const fresh = folder.reader(after, { readonly: true });
  await fresh.catchUp();
  expect(fresh.state.notes).toBe("faster");
});

test("a line that was changed by hand is not appended again: it would be damage twice", async () => {
  const { file } = folder.session();
  await folder.reader(file, { mirror: false }).append(add("theirs", "call-1"));
  writeFileSync(file, readFileSync(file, "utf8").replace("theirs", "forged"));
  const reader = folder.reader(file, { durability: "fsync", mirror: false });
  disk.failures = 1;
  await expect(reader.append(add("ours", "call-2"))).rejects.toMatchObject({ fate: "unknown" });
  await reader.append(add("last", "call-3"));
  expect([timesWritten(file, "forged"), timesWritten(file, '"ours"')]).toEqual([1, 2]);
});

test("while a disk goes on failing, not everything is appended again by each call", async () => {
  const { file } = folder.session();
  const other = folder.reader(file, { mirror: false });
  for (let nth = 1; nth <= 5; nth++) await other.append(add(`text ${nth}`, `call-${nth}`));
  const reader = folder.reader(file, { durability: "fsync", mirror: false });
  disk.failures = 4;
  for (let nth = 0; nth < 4; nth++)
    await expect(reader.append(add("ours", "call-6"))).rejects.toMatchObject({ fate: "unknown" });
  const times = () => [1, 2, 3, 4, 5].map((nth) => timesWritten(file, `"text ${nth}"`));
  expect(times().slice(1)).toEqual([1, 1, 1, 1]);
  await reader.append(add("last", "call-7"));
  expect(times().slice(1)).toEqual([2, 2, 2, 2]);
  expect(reader.state.notes).toMatch(/text 5\nours\nlast$/);
});

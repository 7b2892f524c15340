import fs from "node:fs";
import { expect, test, vi } from "vitest";
import { openJournal } from "../../../src/open/open-journal.ts";
import { takeLock } from "../../../src/store/session-file/lock.ts";
import { defaultLock } from "../../../src/store/session-file/session-file-options.ts";
import { sidePaths } from "../../../src/store/session-file/session-path.ts";
import { useFolder } from "./folder.ts";

const folder = useFolder();

function hold(file: string): () => void {
  const paths = sidePaths(file);
  fs.mkdirSync(paths.lock, { recursive: true });
  return () => fs.rmdirSync(paths.lock);
}

test("the lock is there while it is held, and gone once it is let go", async () => {
  const { file } = folder.session();
  const letGo = hold(file);
  setTimeout(letGo, 5);
  const release = await takeLock(file, sidePaths(file), { ...defaultLock, waitMs: 30_000 });
  expect(fs.existsSync(sidePaths(file).lock)).toBe(true);
  await release?.();
  expect(fs.existsSync(sidePaths(file).lock)).toBe(false);
});

test.runIf(process.platform === "linux")(
  "whoever lets go of the lock does not wait until the block of its folder is free",
  async () => {
    const { file } = folder.session();
    const paths = sidePaths(file);
    const isOpen = () => openFiles().some((each) => each.startsWith(paths.lock));
    const release = await takeLock(file, paths, defaultLock);
    const releasing = release?.();
    expect(fs.existsSync(paths.lock)).toBe(false);
    expect(isOpen()).toBe(true);
    await releasing;
    await vi.waitFor(() => expect(isOpen()).toBe(false));
  },
);

/** What this process has open. What was removed is called so behind its name. */
function openFiles(): string[] {
  return fs.readdirSync("/proc/self/fd").map((descriptor) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return "";
    }
  });
}

test("what others write while a writer waits is what it decides on, each event once", async () => {
  const { file } = folder.session();
  const waiting = await openJournal(file, { lock: { waitMs: 30_000 } });
  const other = await openJournal(file, { lock: { mode: "off" } });
  const letGo = hold(file);
  const seen: number[] = [];
  waiting.onChange(({ version }) => seen.push(version));
  const answer = waiting.notes.append("last");
  for (const line of ["one", "two", "three"]) await other.notes.append(line);
  await new Promise((resolve) => setTimeout(resolve, 20));
  letGo();
  expect(await answer).toMatchObject({ ok: true, version: 4 });
  expect(waiting.state.notes).toBe("one\ntwo\nthree\nlast");
  expect(seen).toEqual([1, 2, 3, 4]);
  await Promise.all([waiting.close(), other.close()]);
});

test("a side folder that leads nowhere keeps nobody waiting: the writer goes on without the lock", async () => {
  const { file } = folder.session();
  const paths = sidePaths(file);
  fs.symlinkSync(folder.path("gone"), paths.folder);
  const release = await takeLock(file, paths, defaultLock);
  await release?.();
  const required = takeLock(file, paths, { ...defaultLock, required: true });
  await expect(required).rejects.toMatchObject({ code: "lock_timeout" });
});

test("who requires a lock that cannot be made is told why, and not to wait for another writer", async () => {
  const { file } = folder.session();
  fs.writeFileSync(sidePaths(file).folder, "in the way");
  const journal = await openJournal(file, { lock: { required: true } });
  await expect(journal.notes.set("one")).rejects.toMatchObject({
    code: "lock_timeout",
    message: expect.stringMatching(/cannot be made \(.*ENOTDIR.*\): check its folder/),
  });
  await journal.close();
});

test("a side folder that goes away while a writer waits is made again, and the lock taken", async () => {
  const { file } = folder.session();
  const paths = sidePaths(file);
  hold(file);
  const options = { ...defaultLock, required: true, waitMs: 30_000 };
  const taking = takeLock(file, paths, options);
  await new Promise((resolve) => setTimeout(resolve, 20));
  fs.rmSync(paths.folder, { recursive: true, force: true });
  const release = await taking;
  expect(fs.existsSync(paths.lock)).toBe(true);
  await release?.();
});

test("behind a link in the place of the side folder neither lock nor snapshot is made, and nothing is read from there", async () => {
  const { file } = folder.session();
  const elsewhere = folder.path("elsewhere");
  fs.mkdirSync(elsewhere);
  const paths = sidePaths(file);
  fs.symlinkSync(elsewhere, paths.folder);
  const journal = await openJournal(file);
  expect((await journal.notes.set("one")).ok).toBe(true);
  await expect(journal.snapshot()).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  await journal.close();
  expect(fs.readdirSync(elsewhere)).toEqual([]);
  const strict = await openJournal(file, { lock: { required: true } });
  await expect(strict.notes.set("two")).rejects.toMatchObject({ code: "lock_timeout" });
  await strict.close();
  expect(fs.readdirSync(elsewhere)).toEqual([]);
});

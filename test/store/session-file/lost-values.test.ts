/** Values of an older runtime are copied as they are. What a failed sync may have lost of them is not acknowledged by the next one. */
import fs from "node:fs";
import { afterEach, expect, test, vi } from "vitest";

const disk = vi.hoisted(() => ({
  /** So many syncs are good, and the next one fails. */
  goodSyncs: Number.POSITIVE_INFINITY,
  /** Each file has the number of the one before it, which was removed. */
  reusesNumbers: false,
}));
vi.mock("node:fs", async (original) => {
  const { default: real } = await original<{ default: typeof fs }>();
  const sync = (): Error | null => {
    const isFailing = disk.goodSyncs === 0;
    disk.goodSyncs = isFailing ? Number.POSITIVE_INFINITY : disk.goodSyncs - 1;
    return isFailing ? Object.assign(new Error("EIO"), { code: "EIO" }) : null;
  };
  const numbered = <Stats extends fs.Stats | undefined>(stats: Stats): Stats =>
    stats !== undefined && disk.reusesNumbers ? Object.assign(stats, { ino: 7 }) : stats;
  const patched = {
    fdatasync: (_: number, done: (error: Error | null) => void) => setImmediate(() => done(sync())),
    fdatasyncSync: () => {
      const error = sync();
      if (error !== null) throw error;
    },
    fstatSync: (descriptor: number) => numbered(real.fstatSync(descriptor)),
    lstatSync: (file: string) => numbered(real.lstatSync(file, { throwIfNoEntry: false })),
    statSync: (file: string) => numbered(real.statSync(file, { throwIfNoEntry: false })),
  };
  return { default: { ...real, ...patched } };
});

const { useFolder } = await import("./folder.ts");
const { copyJournal } = await import("../../../src/open/copy-journal.ts");
const folder = useFolder();
afterEach(() => Object.assign(disk, { goodSyncs: Number.POSITIVE_INFINITY, reusesNumbers: false }));

test("a copy whose values a failed sync may have lost is not said to be whole, and a new one is", async () => {
  const source = folder.session();
  const copy = folder.path("copy.jsonl");
  source.value(":notes", "one");
  await copyJournal(source.file, copy);
  source.value(":notes", "two");
  disk.goodSyncs = 0;
  await expect(copyJournal(source.file, copy)).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  for (let again = 0; again < 2; again++)
    await expect(copyJournal(source.file, copy)).rejects.toThrow("move it away, and copy to its place again");
  fs.renameSync(copy, folder.path("away.jsonl"));
  expect(await copyJournal(source.file, copy)).toMatchObject({ version: 2, events: 2 });
});

test("what a failed sync may have lost of a file that was removed since is neither looked for in the next one nor written to it", async () => {
  disk.reusesNumbers = true;
  const source = folder.session();
  const records = 600;
  const other = folder.reader(source.file);
  for (let index = 0; index < records / 2; index++) {
    source.value(":notes", `${index}`);
    await other.append({ event: { type: "notes.set", text: `ours ${index}` }, actor: "agent" });
  }
  const copy = folder.path("copy.jsonl");
  disk.goodSyncs = 1;
  await expect(copyJournal(source.file, copy)).rejects.toMatchObject({ code: "storage" });
  expect(await copyJournal(source.file, copy)).toMatchObject({ version: records, events: records });
});

/** A command that was carried out before, and fails when it is sent again: nobody is told that nothing of it is there. */
import fs from "node:fs";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Ledger } from "../../../src/line/acceptance.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { useFolder } from "./folder.ts";

const folder = useFolder();
afterEach(() => vi.restoreAllMocks());

const command = "6f6f2a3c";
const action = { action: "set_notes", content: "found it" } as const;
const unknown = { code: "storage", fate: "unknown" };

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

/** `act` is asked at each writing, and may throw; the result is how many bytes of it are written. */
function writing(act: (bytes: Buffer) => number | undefined): void {
  const { writeSync } = fs;
  vi.spyOn(fs, "writeSync").mockImplementation((descriptor: number, data: unknown, from?: unknown) => {
    const bytes = Buffer.from(data as Buffer).subarray(Number(from ?? 0));
    return writeSync(descriptor, bytes, 0, act(bytes) ?? bytes.length);
  });
}

function fullDisk(): never {
  throw failure("ENOSPC");
}

/** How often the command stands in a commit of the file. */
function timesIn(file: string): number {
  return fs
    .readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line.includes(command)).length;
}

describe("it is in doubt", () => {
  test("where its commit was put back, and what stands behind that cannot be written", async () => {
    const session = folder.session();
    const text = fs.readFileSync(session.file);
    const journal = await openJournal(session.file);
    await journal.apply(action, { command });
    fs.writeFileSync(session.file, text);
    writing((bytes) => {
      if (!bytes.includes('"events"')) return fullDisk();
      session.agent("slipped in");
      return undefined;
    });
    await expect(journal.apply(action, { command })).rejects.toMatchObject(unknown);
    expect(timesIn(session.file)).toBe(1);
    await journal.close();
  });

  test("where the disk was full behind its commit, and still is", async () => {
    const { file } = folder.session();
    const journal = await openJournal(file);
    let room = 1;
    writing((bytes) => (room-- > 0 ? bytes.indexOf("\n") + 30 : fullDisk()));
    for (let times = 0; times < 3; times++)
      await expect(journal.apply(action, { command })).rejects.toMatchObject(unknown);
    expect([timesIn(file), journal.state.notes]).toEqual([1, action.content]);
    await journal.close();
  });

  test("where it shares a commit with a new call that fails, which is not", async () => {
    const { file } = folder.session();
    const journal = await openJournal(file);
    await journal.apply(action, { command });
    writing(fullDisk);
    const both = [journal.apply(action, { command }), journal.plan.set("new")];
    expect(await Promise.allSettled(both)).toMatchObject([
      { reason: { ...unknown, message: expect.stringContaining(`the command "${command}" was carried out before`) } },
      { reason: { code: "storage", fate: "not-written" } },
    ]);
    vi.restoreAllMocks();
    expect(await journal.apply(action, { command })).toMatchObject({ ok: true, version: 1 });
    await journal.close();
  });

  test("where its commit was put back, and another one behind it cannot be", async () => {
    const session = folder.session();
    const text = fs.readFileSync(session.file);
    const journal = await openJournal(session.file, { mirror: false });
    await journal.apply(action, { command });
    await journal.plan.set("second");
    fs.writeFileSync(session.file, text);
    let commits = 0;
    writing((bytes) => (bytes.includes('"events"') && commits++ === 1 ? fullDisk() : undefined));
    await expect(journal.apply(action, { command })).rejects.toMatchObject(unknown);
    expect(timesIn(session.file)).toBe(1);
    await journal.close();
  });

  test("where it cannot be looked up", async () => {
    const { file } = folder.session();
    const journal = await openJournal(file);
    await journal.apply(action, { command });
    const { readSync } = fs;
    let failed = 0;
    for (let good = 0; good < 12; good++) {
      let left = good;
      vi.spyOn(fs, "readSync").mockImplementation((...words: unknown[]) => {
        if (left-- === 0) throw failure("EIO");
        return Reflect.apply(readSync, fs, words);
      });
      const told = await journal.apply(action, { command }).catch((error: unknown) => error);
      vi.restoreAllMocks();
      if (told instanceof Error) failed += 1;
      expect([good, told]).toMatchObject([good, told instanceof Error ? unknown : { ok: true, version: 1 }]);
    }
    expect(failed).toBeGreaterThan(1);
    await journal.close();
  });
});

test("with strict, a commit is in doubt behind which damage slipped in before its mark", async () => {
  const session = folder.session();
  const journal = await openJournal(session.file, { strict: true, mirror: false });
  writing((bytes) => {
    if (bytes.includes('"events"')) session.agent("slipped in");
    else if (bytes.includes(":mark"))
      session.append('{"type":"custom","customType":"openclaw:scratchpad:events","data":{}}\n');
    return undefined;
  });
  await expect(journal.apply(action, { command })).rejects.toMatchObject(unknown);
  expect(timesIn(session.file)).toBe(1);
  await journal.close();
});

test("putting many commits back does not look at all of them for each", async () => {
  const session = folder.session();
  const text = fs.readFileSync(session.file);
  const looksFor = async (commits: number): Promise<number> => {
    fs.writeFileSync(session.file, text);
    const journal = await openJournal(session.file, { mirror: false, durability: "os" });
    for (let index = 0; index < commits; index++) await journal.notes.set(`${index}`);
    fs.writeFileSync(session.file, text);
    const looks = vi.spyOn(Ledger.prototype, "hasCommit");
    await journal.refresh();
    expect(journal.version).toBe(commits);
    const count = looks.mock.calls.length;
    looks.mockRestore();
    await journal.close();
    return count;
  };
  const [few, many] = [await looksFor(100), await looksFor(400)];
  expect(many / few).toBeLessThan(6);
});

/** A disk that failed once leaves nothing half done behind. */
import fs from "node:fs";
import { afterEach, expect, test, vi } from "vitest";

const disk = vi.hoisted(() => ({
  /** Asked at each reading, writing and looking; answers how many bytes of it are done, or throws. */
  read: (length: number): number => length,
  /** Told up to where the bytes were read. */
  wasRead: (_end: number): void => undefined,
  write: (length: number): number => length,
  stat: (): void => undefined,
  /** Told when the disk has said how a file is. */
  wasLookedAt: (): void => undefined,
  /** May change what is about to be written. */
  spoil: (_bytes: Buffer): void => undefined,
  /** Folders that were synced. */
  synced: [] as string[],
}));
vi.mock("node:fs", async (original) => {
  const { default: real } = await original<{ default: typeof fs }>();
  const opened = new Map<number, string>();
  const patched = {
    openSync: (file: string, ...rest: [number, number?]) => {
      const descriptor = real.openSync(file, ...rest);
      opened.set(descriptor, file);
      return descriptor;
    },
    readSync: (descriptor: number, into: Buffer, from: number, length: number, at: number) => {
      const count = real.readSync(descriptor, into, from, disk.read(length), at);
      disk.wasRead(at + count);
      return count;
    },
    writeSync: (descriptor: number, data: string | Buffer, from = 0) => {
      const bytes = Buffer.from(data).subarray(from);
      disk.spoil(bytes);
      return real.writeSync(descriptor, bytes, 0, disk.write(bytes.length));
    },
    fstatSync: (descriptor: number) => {
      disk.stat();
      const stats = real.fstatSync(descriptor);
      disk.wasLookedAt();
      return stats;
    },
    fsyncSync: (descriptor: number) => {
      disk.synced.push(opened.get(descriptor) ?? "");
      real.fsyncSync(descriptor);
    },
  };
  return { default: { ...real, ...patched } };
});

const real = { ...disk };
afterEach(() => Object.assign(disk, real, { synced: [] }));

const { openJournal } = await import("../../../src/open/open-journal.ts");
const { useFolder, linesOf } = await import("./folder.ts");
const { verifyFile } = await import("./verify-file.ts");
const folder = useFolder();

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

function written(key: string, text: string) {
  return { event: { type: "entry.written", key, text }, actor: "agent" } as const;
}

test("reading that failed on the way hides nothing of what it had read", async () => {
  const { file } = folder.session();
  const reader = folder.reader(file);
  const other = folder.reader(file);
  await reader.append(written("a", "first"));
  for (let nth = 1; nth < 9; nth++) {
    for (const key of ["x", "y", "z"]) await other.append(written(key, key.repeat(60_000)));
    // Its mirror is read once more when all lines were taken: what fails then has taken them all.
    await other.append({ event: { type: "notes.set", text: `round ${nth}` }, actor: "agent" });
    const late = folder.reader(file);
    for (const each of [reader, late]) {
      let left = nth;
      disk.read = (length) => {
        left -= 1;
        if (left === 0) throw failure("EIO");
        return length;
      };
      await each.catchUp().catch((error: unknown) => expect(error).toMatchObject({ code: "storage" }));
      disk.read = real.read;
      await each.catchUp();
      expect([nth, Object.keys(each.state.entries)]).toEqual([nth, Object.keys(other.state.entries)]);
      expect(each.events.length).toBe(other.events.length);
      // Nor in what it would go on from.
      await other.append(written("next", "text"));
      await each.store.saveSnapshot({ end: await each.catchUp() });
      expect([nth, await each.store.checkpointFault()]).toEqual([nth, undefined]);
    }
  }
});

test("a file that is cut between two steps of a reading, and written anew, is read from its beginning", async () => {
  const session = folder.session("rewritten.jsonl");
  const rewritten = folder.reader(session.file);
  await rewritten.append(written("c", "text"));
  session.user("x".repeat(3000));
  const text = fs.readFileSync(session.file);
  for (let step = 1; step < 6; step++) {
    const { file } = folder.session(`${step}.jsonl`);
    for (const key of ["a", "b"]) await folder.reader(file).append(written(key, "text"));
    const reader = folder.reader(file);
    let left = step;
    disk.read = (length) => {
      left -= 1;
      if (left === 0) fs.truncateSync(file, 0);
      return length;
    };
    await reader.catchUp().catch((error: unknown) => expect(error).toMatchObject({ code: "not_a_session" }));
    disk.read = real.read;
    fs.writeFileSync(file, text);
    await reader.catchUp();
    expect([step, reader.state]).toEqual([step, rewritten.state]);
  }
});

test.each([5_000, 60_000])(
  "what was acknowledged before %i bytes is appended again, whenever the file was written anew",
  async (size) => {
    for (const step of [2, 3, 4, 5]) {
      const session = folder.session(`${step}.jsonl`);
      const text = `${fs.readFileSync(session.file)}${" ".repeat(4 * size)}\n`;
      const writer = folder.reader(session.file);
      await writer.append(written("a", "text"));
      let left = step;
      disk.read = (length) => {
        left -= 1;
        if (left === 0) fs.writeFileSync(session.file, text);
        return length;
      };
      await writer.append(written("b", "b".repeat(size)));
      disk.read = real.read;
      await writer.append(written("c", "text"));
      const reader = folder.reader(session.file);
      await reader.catchUp();
      expect([step, Object.keys(reader.state.entries).sort()]).toEqual([step, ["a", "b", "c"]]);
    }
  },
);

test("a file that is written anew when all of it was read is read from its beginning", async () => {
  const other = folder.session("other.jsonl");
  await folder.reader(other.file).append(written("other", "text"));
  const { file } = folder.session();
  const writer = folder.reader(file);
  for (const key of ["a", "b"]) await writer.append(written(key, key.repeat(60_000)));
  const size = fs.statSync(file).size;
  const text = `${fs.readFileSync(other.file)}`.padEnd(size, "\n");
  const reader = folder.reader(file);
  disk.wasRead = (end) => {
    if (end >= size) fs.writeFileSync(file, text);
  };
  await reader.catchUp();
  disk.wasRead = real.wasRead;
  await reader.catchUp();
  expect(Object.keys(reader.state.entries)).toEqual(["other"]);
});

test("reading that failed on the way counts no turn and no value of another runtime twice", async () => {
  const session = folder.session();
  const reader = folder.reader(session.file);
  await reader.append(written("a", "first"));
  const text = "x".repeat(200_000);
  session.append(`${JSON.stringify({ type: "custom", customType: "openclaw:scratchpad:notes", data: "theirs" })}\n`);
  for (let turn = 1; turn <= 3; turn++) session.user(text);
  let calls = 0;
  disk.read = (length) => {
    calls += 1;
    if (calls === 3) throw failure("EIO");
    return length;
  };
  await expect(reader.catchUp()).rejects.toMatchObject({ code: "storage" });
  disk.read = real.read;
  expect(await reader.catchUp()).toMatchObject({ version: 2, turn: 3 });
  expect(reader.events.map(({ event }) => event.type)).toEqual(["entry.written", "notes.set"]);
  await reader.append(written("b", "second"));
  expect((await verifyFile(session.file)).findings.filter(({ severity }) => severity === "damage")).toEqual([]);
});

test("the beginning of a header is not left behind as a file that is no session", async () => {
  const file = folder.path("new.jsonl");
  for (const limits of [[40, 0], [40, 20, 0], [0]]) {
    const left = [...limits];
    disk.write = (length) => Math.min(length, left.shift() ?? length);
    await expect(folder.reader(file).append(written("a", "b"))).rejects.toMatchObject({ fate: "not-written" });
  }
  const left = [40, 20];
  disk.write = (length) => Math.min(length, left.shift() ?? length);
  await folder.reader(file).append(written("a", "b"));
  expect(linesOf(file).map(({ type }) => type)).toEqual(["session", "custom"]);
});

test("the beginning of a header is not left behind where looking at it fails, too", async () => {
  const file = folder.path("new.jsonl");
  const left = [40, 0];
  let failures = 3;
  disk.write = (length) => Math.min(length, left.shift() ?? length);
  disk.stat = () => {
    if (left.length === 0 && failures-- > 0) throw failure("EMFILE");
  };
  await expect(folder.reader(file).append(written("a", "b"))).rejects.toMatchObject({ fate: "not-written" });
  expect(failures).toBeLessThan(1);
  expect(fs.statSync(file).size).toBe(0);
  await folder.reader(file).append(written("a", "b"));
  expect(linesOf(file).map(({ type }) => type)).toEqual(["session", "custom"]);
});

test("what somebody else writes to a new file is left there where our header cannot be written", async () => {
  const file = folder.path("new.jsonl");
  const other = fs.readFileSync(folder.session("other.jsonl").file);
  disk.write = () => {
    disk.wasLookedAt = () => {
      disk.wasLookedAt = real.wasLookedAt;
      fs.writeFileSync(file, other);
    };
    throw failure("ENOSPC");
  };
  await expect(folder.reader(file).append(written("a", "b"))).rejects.toMatchObject({ fate: "not-written" });
  disk.wasLookedAt();
  expect(fs.readFileSync(file)).toEqual(other);
});

test("an open that fails on the way leaves no descriptor open, wherever it goes on from a snapshot", async () => {
  const { file } = folder.session();
  const writer = folder.reader(file);
  for (let index = 0; index < 40; index++) await writer.append(written(`${index}`, "x".repeat(4000)));
  await writer.store.saveSnapshot({ end: await writer.catchUp() });
  const open = fs.readdirSync("/proc/self/fd").length;
  let failed = 0;
  for (let good = 0; good < 12; good++) {
    let left = good;
    disk.read = (length) => {
      if (left-- === 0) throw failure("EIO");
      return length;
    };
    const opening = openJournal(file, { readonly: true }).then((journal) => journal.close());
    await opening.catch(() => (failed += 1));
    disk.read = real.read;
    expect([good, fs.readdirSync("/proc/self/fd").length]).toEqual([good, open]);
  }
  expect(failed).toBeGreaterThan(3);
});

test("writes that stayed short, one after the other, are torn lines and no damage", async () => {
  const { file } = folder.session();
  const reader = folder.reader(file);
  disk.write = (length) => length >> 1;
  for (const key of ["a", "b", "c"]) {
    await expect(reader.append(written(key, "text"))).rejects.toMatchObject({ fate: "not-written" });
  }
  disk.write = real.write;
  await reader.append(written("d", "text"));
  const { ok, findings } = await verifyFile(file);
  expect(findings.map(({ kind, line }) => `${kind} ${line}`)).toEqual(["torn 2", "torn 3", "torn 4"]);
  expect(ok).toBe(true);
});

test("a file that cannot be looked at is a failure of the disk", async () => {
  const { file } = folder.session();
  disk.stat = () => {
    throw failure("EIO");
  };
  await expect(folder.reader(file).catchUp()).rejects.toMatchObject({ code: "storage" });
});

test("before anything in a file that a host made is acknowledged, its name is on disk", async () => {
  const { file } = folder.session();
  const reader = folder.reader(file, { durability: "fsync" });
  await reader.append(written("a", "text"));
  await reader.append(written("b", "text"));
  expect(disk.synced).toEqual([folder.path("").replace(/\/$/, "")]);
});

test("a commit that reads back as other bytes than were written is not acknowledged, but written again", async () => {
  const { file } = folder.session();
  const reader = folder.reader(file);
  await reader.append(written("a", "text"));
  let spoiled = 0;
  disk.spoil = (bytes) => {
    const at = bytes.indexOf("precious");
    if (at === -1 || spoiled > 0) return;
    spoiled += 1;
    bytes.write("previous", at);
  };
  await reader.append(written("b", "precious"));
  expect(spoiled).toBe(1);
  const other = folder.reader(file);
  await other.catchUp();
  expect(other.state.entries).toEqual({ a: "text", b: "precious" });
  expect(reader.state).toEqual(other.state);
  expect((await verifyFile(file)).findings.map(({ kind }) => kind)).toContain("hash");
});

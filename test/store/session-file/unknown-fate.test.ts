/** A command whose fate was unknown, sent again: the answer is the truth, whoever sends it and whatever became of it. */

import type nodeFs from "node:fs";
import fs from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";

const disk = vi.hoisted(() => ({
  /** Asked at each call; may throw, or answer how many bytes of a writing are done. */
  write: (_bytes: Buffer): number | undefined => undefined,
  sync: (): void => undefined,
  read: (): void => undefined,
}));
vi.mock("node:fs", async (original) => {
  const whole = await original<{ default: typeof nodeFs }>();
  const { default: real } = whole;
  const writeSync = (descriptor: number, data: string | Buffer, from = 0): number => {
    const bytes = Buffer.from(data).subarray(from);
    return real.writeSync(descriptor, bytes, 0, disk.write(bytes) ?? bytes.length);
  };
  const readSync = (descriptor: number, into: Buffer, from: number, length: number, at: number): number => {
    disk.read();
    return real.readSync(descriptor, into, from, length, at);
  };
  const fdatasyncSync = (descriptor: number): void => {
    disk.sync();
    real.fdatasyncSync(descriptor);
  };
  const fdatasync = (descriptor: number, done: (error: Error | null) => void): void => {
    try {
      disk.sync();
    } catch (error) {
      done(error as Error);
      return;
    }
    real.fdatasync(descriptor, done);
  };
  return { ...whole, default: { ...real, writeSync, readSync, fdatasync, fdatasyncSync } };
});

const calm = { ...disk };
afterEach(() => Object.assign(disk, calm));

const { openJournal } = await import("../../../src/open/open-journal.ts");
const { useFolder } = await import("./folder.ts");
const { verifyFile } = await import("./verify-file.ts");
const { program } = await import("../process/spawn.ts");

const folder = useFolder();
let retrying: Awaited<ReturnType<typeof program>>;
beforeAll(async () => {
  retrying = await program("retry.ts");
});
afterAll(() => retrying?.remove());

function failure(code: string): Error {
  return Object.assign(new Error(code), { code });
}

interface Fault {
  /** "unknown", or "not-written" where it is certain. */
  readonly fate: string;
  /** Sets it up, to be met once. `rival`: appends another writer's commit. */
  readonly set: (rival: () => void) => void;
  /** How often the text stands in a commit line before the retry. */
  readonly written: number;
}

/** At the next writing of a commit. */
function once(act: (bytes: Buffer) => number | undefined): void {
  disk.write = (bytes) => {
    if (!bytes.includes('"events"')) return undefined;
    disk.write = calm.write;
    return act(bytes);
  };
}

function failReads(): void {
  disk.read = () => {
    throw failure("EIO");
  };
}

const faults: Record<string, Fault> = {
  "the write failed": {
    fate: "not-written",
    written: 0,
    set: () =>
      once(() => {
        throw failure("ENOSPC");
      }),
  },
  "the write stopped inside of the commit": {
    fate: "not-written",
    written: 0,
    set: () => once((bytes) => bytes.indexOf('"events"') + 3),
  },
  "the write stopped behind the commit": {
    fate: "unknown",
    written: 1,
    set: () => once((bytes) => bytes.indexOf("\n") + 5),
  },
  "the sync failed": {
    fate: "unknown",
    written: 1,
    set: () => {
      disk.sync = () => {
        disk.sync = calm.sync;
        throw failure("EIO");
      };
    },
  },
  "reading back failed, and it was accepted": {
    fate: "unknown",
    written: 1,
    set: () => {
      once(() => {
        failReads();
        return undefined;
      });
    },
  },
  "reading back failed, and another writer was faster": {
    fate: "unknown",
    written: 1,
    set: (rival) => {
      once(() => {
        rival();
        failReads();
        return undefined;
      });
    },
  },
  "the sync failed, and another writer was faster": {
    fate: "unknown",
    written: 1,
    set: (rival) => {
      once(() => {
        rival();
        return undefined;
      });
      disk.sync = () => {
        disk.sync = calm.sync;
        throw failure("EIO");
      };
    },
  },
};

const senders = ["the same handle", "another handle", "another process"] as const;

const action = { action: "append_notes", content: "in doubt" } as const;
const command = "toolu_doubt";

describe.each(Object.entries(faults))("after %s", (name, fault) => {
  test.each(senders)("%s sends it again", async (sender) => {
    const session = folder.session();
    const { file } = session;
    const journal = await openJournal(file);
    await journal.notes.set("before");
    const isRival = /another writer/.test(name);
    const { head } = journal;
    fault.set(() => {
      const at = "2026-11-22T00:00:00.000Z";
      session.commit({ v: 1, id: "rival", at, events: [{ ...rivalEvent, actor: "rival" }] }, head);
    });
    await expect(journal.apply(action, { command })).rejects.toMatchObject({ code: "storage", fate: fault.fate });
    Object.assign(disk, calm);
    expect(commitsWith(file)).toBe(fault.written);
    const answer = await sendAgain(sender, journal, file);
    const notes = ["before", "in doubt"].join("\n");
    expect(answer).toMatchObject({
      ok: true,
      version: isRival ? 3 : 2,
      message: `notes appended: ${notes.length}/4000 chars used`,
    });
    for (const again of ["the same handle", "another handle"] as const)
      expect(await sendAgain(again, journal, file)).toEqual(answer);
    await journal.refresh();
    const seen: unknown[] = [];
    for await (const { command: by } of journal.history()) seen.push(by);
    expect([journal.state.notes, seen.filter((by) => by === command).length]).toEqual([notes, 1]);
    await expect(journal.apply({ ...action, content: "other" }, { command })).rejects.toThrow(TypeError);
    await journal.close();
    expect((await verifyFile(file)).ok).toBe(true);
  });
});

const rivalEvent = { type: "entry.written", key: "rival", text: "faster" } as const;

function commitsWith(file: string): number {
  const lines = fs.readFileSync(file, "utf8").split("\n");
  return lines.filter((line) => line.includes(command) && line.endsWith("}")).length;
}

async function sendAgain(
  sender: (typeof senders)[number],
  journal: Awaited<ReturnType<typeof openJournal>>,
  file: string,
): Promise<unknown> {
  if (sender === "the same handle") return plain(await journal.apply(action, { command }));
  if (sender === "another process") return JSON.parse(await retrying.run(file, action.content, command));
  const other = await openJournal(file);
  const answer = await other.apply(action, { command });
  await other.close();
  return plain(answer);
}

/** As a process can print it. */
function plain(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer));
}

test("a commit that stands behind a torn line is not said to be unwritten where a reading behind it fails", async () => {
  let failed = 0;
  for (let good = 0; failed === good; good++) {
    const session = folder.session(`torn-${good}.jsonl`);
    const journal = await openJournal(session.file);
    await journal.refs.add("first");
    session.append('{"type":"mess');
    let left = good;
    once(() => {
      disk.read = () => {
        if (left-- === 0) throw failure("EIO");
      };
      return undefined;
    });
    const applied = journal.apply(action, { command }).catch((error: unknown) => error);
    if ((await applied) instanceof Error) failed += 1;
    expect(await applied).toMatchObject(left < 0 ? { code: "storage", fate: "unknown" } : { ok: true });
    Object.assign(disk, calm);
    expect(await journal.apply(action, { command })).toMatchObject({ ok: true, version: 2 });
    await journal.close();
  }
  expect(failed).toBeGreaterThan(3);
});

test("a commit is not said to be unwritten where the line that makes good for one of the host's cannot be written", async () => {
  const session = folder.session();
  const journal = await openJournal(session.file, { mirror: false });
  once(() => {
    session.agent("slipped in");
    disk.write = () => {
      throw failure("ENOSPC");
    };
    return undefined;
  });
  await expect(journal.apply(action, { command })).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  Object.assign(disk, calm);
  expect(await journal.apply(action, { command })).toMatchObject({ ok: true, version: 1 });
  await journal.close();
});

test("with strict, a commit is in doubt that damage slipped in before", async () => {
  const session = folder.session();
  const journal = await openJournal(session.file, { strict: true });
  once(() => {
    session.append('{"type":"custom","customType":"openclaw:scratchpad:events","data":{}}\n');
    return undefined;
  });
  const failed = journal.apply(action, { command });
  await expect(failed).rejects.toMatchObject({ code: "storage", fate: "unknown", cause: { code: "corrupt_entry" } });
  await expect(journal.apply(action, { command })).rejects.toMatchObject({ code: "corrupt_entry" });
  await journal.close();
});

test("that a ref is there already is told once what somebody else wrote is durable", async () => {
  const { file } = folder.session();
  const other = await openJournal(file, { durability: "os" });
  await other.refs.add("docs/plan.md");
  await other.close();
  const journal = await openJournal(file, { dedupe: "exact" });
  disk.sync = () => {
    throw failure("EIO");
  };
  await expect(journal.refs.add("docs/plan.md")).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  disk.sync = calm.sync;
  expect(await journal.refs.add("docs/plan.md")).toMatchObject({ existing: "docs/plan.md", version: 1 });
  await journal.close();
});

import { expect, test } from "vitest";
import { StorageError } from "../../src/errors.ts";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import type { Log, LogEntry, LogPage, LogRecord, Step } from "../../src/stream/log.ts";
import { readRecord } from "../../src/stream/record-entry.ts";
import { streamStore } from "../../src/stream/stream-store.ts";

type Parts = { readonly [Name in keyof Log]?: unknown };

/** A log that works, but for what is put in its place. */
function logWith(parts: Parts): Log {
  const { log } = memoryStore({ sessionId: "s" });
  const whole: Log = {
    where: "somewhere",
    session: () => log.session(),
    read: (after) => log.read(after),
    append: (after, next) => log.append(after, next),
    watch: (wake) => log.watch(wake),
    close: () => log.close(),
  };
  const made = { ...whole, ...parts } as Log;
  let calls = 0;
  const append: Log["append"] = (after, next) => {
    // Asking without end would starve the clock that ends a test.
    if (calls++ === 1000) throw new Error("asked without end");
    return made.append(after, next);
  };
  return { ...made, append };
}

/** Keeps `kept(record)` of each record, and tells `entry(kept)`. */
function keeping<Kept>(kept: (record: LogRecord) => Kept, entry: (kept: Kept) => LogEntry): Log {
  const records: Kept[] = [];
  const after = (cursor: unknown): LogPage => ({
    entries: records.slice(typeof cursor === "number" ? cursor : 0).map(entry),
    cursor: records.length,
  });
  return logWith({
    async *read(cursor: unknown) {
      yield after(cursor);
    },
    async append(cursor: unknown, next: (page: LogPage) => Step) {
      for (let page = after(cursor); ; page = after(page.cursor)) {
        const step = next(page);
        if (step.type !== "append") return;
        records.push(...step.records.map(kept));
      }
    },
  });
}

async function write(log: Log): Promise<string> {
  const journal = await openJournal(streamStore(log));
  const answer = await journal.notes.set("x");
  return `${answer.message}, ${journal.state.notes} at ${journal.version}`;
}

test("the log that the others are made of works", async () => {
  const whole = keeping(
    (record) => JSON.stringify(record),
    (json) => readRecord(json),
  );
  expect(await write(whole)).toBe("notes set: 1/4000 chars used, x at 1");
  expect(await write(logWith({}))).toBe("notes set: 1/4000 chars used, x at 1");
});

test.each<[unknown, string]>([
  [undefined, "session is not a function"],
  ["session.jsonl", "session is not a function"],
  [logWith({ read: undefined }), "read is not a function"],
  [logWith({ watch: 3 }), "watch is not a function"],
  [logWith({ where: undefined }), "where is not a text"],
])("%o is no log, and what is missing is named", (log, fault) => {
  expect(() => streamStore(log as Log)).toThrow(TypeError);
  expect(() => streamStore(log as Log)).toThrow(fault);
});

test.each<[object, string]>([
  [{ sael: "key" }, 'unknown option "sael": use seal'],
  [{ seal: "" }, 'option "seal" must be'],
  [{ strict: "yes" }, 'option "strict" must be'],
  [{ fold: "tree" }, 'option "fold" must be'],
])("%o is refused: a journal that was meant to be sealed would not be", (options, fault) => {
  expect(() => streamStore(logWith({}), options)).toThrow(fault);
});

const nothing: LogPage = { entries: [], cursor: 0 };

test.each<[string, Log, string]>([
  ["a session without an id", logWith({ session: async () => ({}) }), "session() must give { id }"],
  ["no session", logWith({ session: async () => undefined }), "session() must give { id }"],
  [
    "a list for a page",
    logWith({
      read: async function* () {
        yield [];
      },
    }),
    "read and append must tell pages",
  ],
  [
    "no page",
    logWith({ append: async (_: unknown, next: (page: unknown) => Step) => void next(undefined) }),
    "read and append must tell pages",
  ],
  [
    "records that nobody made entries of",
    keeping(
      (record) => JSON.stringify(record),
      (json) => JSON.parse(`[${json}]`),
    ),
    "entry 0 of a page is none",
  ],
  ["an append that calls nothing", logWith({ append: async () => undefined }), "append did not call next:"],
  [
    "an append that does not tell what it appended",
    logWith({ append: async (_: unknown, next: (page: LogPage) => Step) => void next(nothing) }),
    "append did not call next again",
  ],
])("%s: a TypeError says where, and where to look", async (_, log, fault) => {
  const failed = write(log);
  await expect(failed).rejects.toThrow(TypeError);
  await expect(failed).rejects.toThrow(`somewhere: ${fault}`);
  await expect(failed).rejects.toThrow("docs/writing-a-log.md");
});

test.each<[string, Log]>([
  [
    "keeps nothing of what it is to append",
    keeping(
      () => "",
      () => ({ kind: "turns", count: 0 }),
    ),
  ],
  [
    "changes what it keeps",
    keeping(
      (record) => record,
      (record) => (record.kind === "commit" ? { ...record, data: { ...record.data, at: "later" } } : { ...record }),
    ),
  ],
])("a log that %s acknowledges nothing, and is not said to have lost a race", async (_, log) => {
  const failed = write(log);
  await expect(failed).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  await expect(failed).rejects.toMatchObject({ code: "storage", fate: "not-written" });
});

test("a copy into a log that keeps nothing ends with an error, and not never", async () => {
  const source = memoryStore({ sessionId: "s" });
  await (await openJournal(source)).notes.set("x");
  let asked = 0;
  const nothing = logWith({
    append: async (_: unknown, next: (page: LogPage) => Step) => {
      while (next({ entries: [], cursor: undefined }).type === "append")
        if (asked++ === 1000) throw new Error("asked without end");
    },
  });
  await expect(copyJournal(source, streamStore(nothing))).rejects.toMatchObject({
    code: "storage",
    fate: "not-written",
    message: expect.stringContaining("what was appended did not come back as it was handed over"),
  });
});

test("a commit that stands there when reading again fails is not said to be unwritten", async () => {
  const { log } = memoryStore({ sessionId: "s" });
  let fails = 0;
  const failing = (): never => {
    throw new StorageError("cannot read somewhere (EIO)", "not-written");
  };
  const journal = await openJournal(
    streamStore(
      logWith({
        async *read(after) {
          if (fails-- > 0) failing();
          yield* log.read(after);
        },
        async append(after, next) {
          let isWritten = false;
          await log.append(after, (page) => {
            const step = next(isWritten ? { ...page, entries: [{ kind: "begin", session: { id: "s" } }] } : page);
            if (isWritten) return { type: "leave" };
            isWritten = step.type === "append";
            fails = Number(isWritten);
            return step;
          });
        },
      } satisfies Partial<Log>),
    ),
  );
  await expect(journal.notes.set("x", { command: "c" })).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  expect(await journal.notes.set("x", { command: "c" })).toMatchObject({ ok: true });
  expect(journal.version).toBe(1);
});

test("a commit that stands there when the log fails before it has told all of it is not said to be unwritten", async () => {
  const { log } = memoryStore({ sessionId: "s" });
  let isHalfTold = false;
  const journal = await openJournal(
    streamStore(
      logWith({
        read: (after) => log.read(after),
        async append(after, next) {
          if (isHalfTold) {
            isHalfTold = false;
            throw new StorageError("cannot open somewhere (EACCES)", "not-written");
          }
          let isWritten = false;
          await log.append(after, (page) => {
            const step = next(isWritten ? { entries: [], cursor: after, hasMore: true } : page);
            if (isWritten) isHalfTold = true;
            isWritten ||= step.type === "append";
            return step;
          });
        },
      } satisfies Partial<Log>),
    ),
  );
  await expect(journal.notes.set("x", { command: "c" })).rejects.toMatchObject({ code: "storage", fate: "unknown" });
  expect(await journal.notes.set("x", { command: "c" })).toMatchObject({ ok: true });
  expect(journal.version).toBe(1);
});

test("the stream counts events, whatever version a log that imports them gave them", async () => {
  const event = { type: "notes.set", text: "x" } as const;
  const recorded = { version: 7, origin: "host", event, at: "2026-01-01T00:00:00.000Z", turn: 0, actor: "a" } as const;
  const log = logWith({
    *read() {
      const entries: LogEntry[] = [
        { kind: "event", recorded },
        { kind: "event", recorded },
      ];
      yield { entries, cursor: 2 };
    },
  });
  const journal = await openJournal(streamStore(log, { readonly: true }));
  const versions: number[] = [];
  for await (const { version } of journal.history()) versions.push(version);
  expect([journal.version, ...versions]).toEqual([2, 1, 2]);
  await journal.close();
});

test("a place for snapshots that fails without an error stops nobody", async () => {
  const { log } = memoryStore({ sessionId: "s" });
  let saved = 0;
  const journal = await openJournal(
    streamStore(
      logWith({
        session: () => log.session(),
        read: (after) => log.read(after),
        append: (after, next) => log.append(after, (page) => next({ ...page, bytes: 1 << 20 })),
        checkpoint: {
          where: "nowhere",
          load: async () => undefined,
          save: () => {
            saved += 1;
            return Promise.reject(undefined);
          },
        },
      } satisfies Partial<Log>),
    ),
  );
  expect(await journal.notes.set("x")).toMatchObject({ ok: true });
  await expect.poll(() => saved, { timeout: 30_000 }).toBeGreaterThan(0);
  expect(await journal.notes.set("y")).toMatchObject({ ok: true });
  await journal.close();
});

/** A log that can forget all that it has. `appending` is called before each append, `appended` behind each record: with true, the append ends. */
function forgetting(appending: () => void, appended: (tell: (page: LogPage) => void, cursor: unknown) => boolean) {
  let history = 0;
  const records: string[] = [];
  const behind = (cursor: unknown): LogPage => {
    const [of, from] = Array.isArray(cursor) ? cursor : [history, 0];
    const begin: LogEntry[] = of === history ? [] : [{ kind: "begin", session: { id: "s" } }];
    const entries = records.slice(begin.length > 0 ? 0 : from).map((json, index) => readRecord(json, index + 1));
    return { entries: [...begin, ...entries], cursor: [history, records.length] };
  };
  const log = logWith({
    read: (after) => [behind(after)],
    async append(after, next) {
      appending();
      for (let page = behind(after); ; page = behind(page.cursor)) {
        const step = next(page);
        if (step.type !== "append") return;
        records.push(...step.records.map((record) => JSON.stringify(record)));
        if (appended(next, page.cursor)) return;
      }
    },
  } satisfies Partial<Log>);
  const forget = (): void => {
    records.length = 0;
    history += 1;
  };
  return { log, forget };
}

test("a call of which nothing was handed on is not in doubt for what was put back before it", async () => {
  let [isHalfTold, fails] = [false, false];
  const { log, forget } = forgetting(
    () => {
      if (fails) throw new StorageError("cannot open somewhere (EACCES)", "not-written");
    },
    (tell, cursor) => {
      if (!isHalfTold) return false;
      fails = true;
      tell({ entries: [], cursor, hasMore: true });
      return true;
    },
  );
  const journal = await openJournal(streamStore(log));
  await journal.notes.set("first");
  forget();
  isHalfTold = true;
  await expect(journal.plan.set("second")).rejects.toMatchObject({ code: "storage", fate: "not-written" });
  [isHalfTold, fails] = [false, false];
  await journal.refresh();
  expect([journal.version, journal.state.notes, journal.state.plan]).toEqual([1, "first", ""]);
  await journal.close();
});

/** A log that can forget what it has, on a disk that can fail. */
function onFailingDisk() {
  const disk = { fails: false };
  const appended = (): boolean => {
    if (disk.fails) throw new StorageError("cannot sync somewhere (EIO)", "unknown");
    return false;
  };
  return { ...forgetting(() => undefined, appended), disk };
}

test.each(["plan", "refresh"])(
  "%s: a call of which nothing was handed on is not in doubt for what is put back",
  async (call) => {
    const { log, forget, disk } = onFailingDisk();
    const journal = await openJournal(streamStore(log));
    await journal.notes.set("first");
    forget();
    disk.fails = true;
    const failing = call === "plan" ? journal.plan.set("second") : journal.refresh();
    await expect(failing).rejects.toMatchObject({
      fate: "not-written",
      message: expect.stringContaining("were being appended again"),
    });
    disk.fails = false;
    await journal.refresh();
    expect([journal.version, journal.state.notes, journal.state.plan]).toEqual([1, "first", ""]);
    await journal.close();
  },
);

test("a call is in doubt if what is put back may be the commit of its own command", async () => {
  const { log, forget, disk } = onFailingDisk();
  const journal = await openJournal(streamStore(log));
  const set = () => journal.apply({ action: "set_notes", content: "first" }, { command: "k6" });
  await set();
  forget();
  disk.fails = true;
  await expect(set()).rejects.toMatchObject({ fate: "unknown" });
  disk.fails = false;
  expect(await set()).toMatchObject({ ok: true });
  expect([journal.version, journal.state.notes]).toEqual([1, "first"]);
  await journal.close();
});

test("a call that was handed on, and whose commit is gone with others, is in doubt if putting them back fails", async () => {
  let [isForgetting, fails] = [false, false];
  const { log, forget } = forgetting(
    () => undefined,
    () => {
      if (fails) throw new StorageError("cannot sync somewhere (EIO)", "unknown");
      fails = isForgetting;
      if (isForgetting) forget();
      return false;
    },
  );
  const journal = await openJournal(streamStore(log));
  await journal.notes.set("first");
  isForgetting = true;
  await expect(journal.plan.set("second")).rejects.toMatchObject({ fate: "unknown" });
  await journal.close();
});

import { expect, test } from "vitest";
import type { FoldPolicy } from "../../src/event/commit.ts";
import type { RecordedEvent } from "../../src/event/event.ts";
import { genesisHash } from "../../src/line/chain.ts";
import { sealDraft } from "../../src/line/encode.ts";
import { EventStream } from "../../src/stream/event-stream.ts";
import type { Log, LogEntry, LogPage } from "../../src/stream/log.ts";
import { streamStore } from "../../src/stream/stream-store.ts";

/** A log of pages that a test puts there. The cursor is the number of the page. */
function pagedLog() {
  const pages: LogEntry[][] = [];
  const log: Log = {
    where: "pages",
    session: async () => ({ id: "s" }),
    async *read(after): AsyncGenerator<LogPage> {
      for (let at = typeof after === "number" ? after : 0; at < pages.length; at++)
        yield { entries: pages[at] as LogEntry[], cursor: at + 1 };
    },
    append: async () => undefined,
    watch: async () => async () => undefined,
    close: async () => undefined,
  };
  return { pages, log };
}

function value(text: string): LogEntry {
  return { kind: "value", key: "notes", data: text, id: text, timestamp: "2026-11-21T20:00:00.000Z" };
}

function commit(version: number, fold: FoldPolicy): LogEntry {
  const event = { type: "notes.set", text: "commit" } as const;
  const draft = { id: `c${version}`, at: "2026-11-21T20:00:00.000Z", events: [{ event, actor: "agent" }] };
  const { data } = sealDraft(draft, { version: version - 1, hash: genesisHash("s") }, fold, undefined);
  return { kind: "commit", data, entry: { id: `e${version}`, parentId: "host", timestamp: undefined } };
}

/** The sink tells what it is given: versions, and why it is to begin again. */
function teller() {
  const told: (number | string)[] = [];
  const sink = {
    reset: (reason: string) => void told.push(reason),
    event: ({ version }: RecordedEvent) => void told.push(version),
  };
  return { told, sink };
}

const settings = { where: "pages", strict: false };

test("a follower that lags is told no event twice where the journal turns out to go by another policy", async () => {
  const { pages, log } = pagedLog();
  const stream = new EventStream(log, settings);
  pages.push([value("a")], [value("b")], [value("c")]);
  await stream.advance({ reset: () => undefined, event: () => undefined });
  pages.push([commit(4, "branch"), { kind: "branch", path: new Set([null]) }]);
  const told: (number | string)[] = [];
  await stream.tellAgain(
    { generation: stream.generation, version: 1 },
    {
      reset: (reason) => void told.splice(0, told.length, reason),
      event: ({ version }: RecordedEvent) => void told.push(version),
    },
  );
  expect(told).toEqual([2, 3, 4]);
});

test("another session that is met by reading again is delivered from its first event", async () => {
  const { pages, log } = pagedLog();
  const stream = new EventStream(log, settings);
  const begin = (id: string): LogEntry => ({ kind: "begin", session: { id } });
  pages.push([begin("s")], [value("a")], [value("b")]);
  await stream.advance({ reset: () => undefined, event: () => undefined });
  pages.splice(0, pages.length, [begin("other")], [value("x")], [value("y")], [value("z")]);
  const { told, sink } = teller();
  await stream.readAgain(sink);
  expect(told).toEqual(["rewritten", 1, 2, 3]);
  expect(stream.image()?.delivered.count).toBe(3);
});

test.each(["one by one", "in an array"])(
  "another session whose pages come %s is told from its first event",
  async (how) => {
    const { pages, log } = pagedLog();
    const read = log.read.bind(log);
    log.read = (after) => {
      if (how === "one by one") return read(after);
      const from = typeof after === "number" ? after : 0;
      return pages.slice(from).map((entries, index) => ({ entries, cursor: from + index + 1 }));
    };
    const stream = new EventStream(log, settings);
    const { told, sink } = teller();
    pages.push([value("a")]);
    await stream.advance(sink);
    pages.push([value("b")], [{ kind: "begin", session: { id: "other" } }, value("x")], [value("y")]);
    await stream.advance(sink);
    pages.push([value("z")]);
    await stream.advance(sink);
    expect(told).toEqual([1, 2, "rewritten", 1, 2, 3]);
  },
);

test.each([
  ["the same history is there", ["a", "b", "c"], [1, 2, 3]],
  ["another history is there", ["a", "other", "c"], [1, "rewritten", 1, 2, 3]],
])("after a reading that failed, %s, and a follower is told what is so", async (_, texts, expected) => {
  const { pages, log } = pagedLog();
  const read = log.read.bind(log);
  let reading = 0;
  // As the log of a file: what failed in the middle is begun anew.
  log.read = async function* (after) {
    reading += 1;
    if (reading === 2) throw new Error("EIO");
    if (reading === 3) yield { entries: [{ kind: "begin", session: { id: "s" } }], cursor: 0 };
    yield* read(reading >= 3 ? 0 : after);
  };
  const stream = new EventStream(log, settings);
  const { told, sink } = teller();
  pages.push([value("a")]);
  await stream.advance(sink);
  pages.push([value("b")]);
  await expect(stream.advance(sink)).rejects.toThrow("EIO");
  pages.splice(0, 2, ...texts.map((text) => [value(text)]));
  if (texts[1] === "other") pages[0] = [value("not a")];
  await stream.advance(sink);
  expect(told).toEqual(expected);
});

test("an append that failed after it had read makes no other history of the same one", async () => {
  const { pages, log } = pagedLog();
  const read = log.read.bind(log);
  pages.push([value("a")]);
  const store = streamStore(log);
  const { told, sink } = teller();
  const end = await store.catchUp(undefined, sink);
  // As the log of a file: what it has read and could not tell is begun anew.
  log.append = async () => Promise.reject(new Error("no lock"));
  log.read = async function* () {
    yield { entries: [{ kind: "begin", session: { id: "s" } }], cursor: 0 };
    yield* read(0);
  };
  pages.push([value("b")]);
  const decide = () => ({ id: "c", at: "2026-11-21T20:00:00.000Z", events: [] });
  await expect(store.commit(end, sink, decide)).rejects.toThrow("no lock");
  await store.catchUp(end, sink);
  expect(told).toEqual([1, 2]);
});

test("what follows on another beginning is not added to what was read", async () => {
  const { pages, log } = pagedLog();
  const stream = new EventStream(log, settings);
  const told: number[] = [];
  const sink = { reset: () => undefined, event: ({ version }: RecordedEvent) => void told.push(version) };
  pages.push([value("a")]);
  await stream.advance(sink);
  const begin: LogEntry = { kind: "begin", session: { id: "s" } };
  expect(stream.take({ entries: [begin], cursor: 0 }, sink)).toBe(false);
  expect(stream.take({ entries: [value("other")], cursor: 1 }, sink)).toBe(false);
  expect(told).toEqual([1]);
});

/** A store promises these things to those who read. */
import assert from "node:assert/strict";
import type { RecordedEvent } from "../event/event.ts";
import { genesisHash } from "../line/chain.ts";
import type { StorePromise } from "./store-promise.ts";
import { mark, marksOf, newDraft, readAll, StoreReader } from "./store-reader.ts";

export const readingPromises: readonly StorePromise[] = [
  {
    name: "an unknown stream reads as empty",
    async check({ store }) {
      const reader = new StoreReader(store);
      const end = await reader.catchUp();
      assert.deepEqual([end.version, end.turn, end.hash], [0, 0, genesisHash(await store.sessionId())]);
      assert.deepEqual([reader.events, reader.resets, await readAll(store)], [[], 0, []]);
    },
  },
  {
    name: "events are told in order, with all that was handed over",
    async check({ store }) {
      const writer = new StoreReader(store);
      const one = newDraft({ event: { type: "notes.set", text: "one" }, actor: "ann", command: "c1" }, mark("bob"));
      const two = newDraft({ event: { type: "refs.set", refs: ["a", "b"], dropped: ["c"] }, actor: "ann" });
      await writer.commit(() => one);
      await writer.commit(() => two);
      const reader = new StoreReader(store);
      await reader.catchUp();
      assert.deepEqual(reader.events.map(essence), [
        { version: 1, event: one.events[0]?.event, actor: "ann", command: "c1", commit: one.id, at: one.at },
        { version: 2, event: one.events[1]?.event, actor: "bob", command: undefined, commit: one.id, at: one.at },
        { version: 3, event: two.events[0]?.event, actor: "ann", command: undefined, commit: two.id, at: two.at },
      ]);
      assert.deepEqual(new Set(reader.events.map((recorded) => recorded.origin)), new Set(["journal"]));
    },
  },
  {
    name: "a reader that goes on is told each event exactly once",
    async check({ store, openAgain }) {
      const writer = new StoreReader(store);
      const reader = new StoreReader(await openAgain());
      for (let index = 0; index < 12; index++) {
        await writer.append(mark("w", index));
        if (index % 3 === 0) await reader.catchUp();
      }
      await reader.catchUp();
      await reader.catchUp();
      assert.deepEqual(marksOf(reader.events), numbered("w", 12));
    },
  },
  {
    name: "reading on from any version tells exactly what comes after it",
    async check({ store }) {
      const writer = new StoreReader(store);
      for (let index = 0; index < 6; index++) await writer.append(mark("w", index), mark("w2", index));
      const { generation, version } = await writer.catchUp();
      for (let from = 0; from <= version; from++) {
        const reader = new StoreReader(store, { generation, version: from });
        await reader.catchUp();
        assert.deepEqual(reader.events, writer.events.slice(from), `from version ${from}`);
      }
    },
  },
  {
    name: "read yields what comes after any version, whatever sinks were told",
    async check({ store, openAgain }) {
      const writer = new StoreReader(store);
      for (let index = 0; index < 6; index++) await writer.append(mark("w", index), mark("w2", index));
      const untold = await openAgain();
      for (let from = 0; from <= 12; from++) {
        assert.deepEqual((await readAll(untold, from)).map(essence), writer.events.slice(from).map(essence));
      }
    },
  },
  {
    name: "a commit between two events of a read disturbs neither",
    async check({ store }) {
      const writer = new StoreReader(store);
      for (let index = 0; index < 3; index++) await writer.append(mark("w", index));
      const seen: RecordedEvent[] = [];
      for await (const recorded of store.read(0)) {
        seen.push(recorded);
        if (seen.length <= 3) await writer.append(mark("late", seen.length));
      }
      assert.deepEqual(marksOf(seen).slice(0, 3), numbered("w", 3));
      assert.deepEqual(marksOf(writer.events), [...numbered("w", 3), "late 1", "late 2", "late 3"]);
    },
  },
  {
    name: "plain appends never void what was told",
    async check({ store, openAgain }) {
      const writer = new StoreReader(store);
      const reader = new StoreReader(await openAgain());
      for (let index = 0; index < 5; index++) {
        await writer.append(mark("w", index));
        await reader.catchUp();
      }
      assert.deepEqual([writer.resets, reader.resets], [0, 0]);
    },
  },
  {
    name: "a position in another history is voided, and all is told again",
    async check({ store }) {
      const writer = new StoreReader(store);
      const { generation } = await writer.append(mark("w", 0), mark("w", 1));
      const stranger = new StoreReader(store, { generation: generation + 1_000_000, version: 1 });
      await stranger.catchUp();
      assert.deepEqual([stranger.resets, stranger.events], [1, writer.events]);
    },
  },
  {
    name: "turns are counted where they begin",
    async check({ store }) {
      const writer = new StoreReader(store);
      await writer.append(mark("w", 0));
      await writer.append({ event: { type: "turn.began", id: "t" }, actor: "host" }, mark("w", 1));
      const end = await writer.append({ event: { type: "turn.began" }, actor: "host" });
      assert.deepEqual([end.turn, writer.events.map(({ turn }) => turn)], [2, [0, 1, 1, 2]]);
    },
  },
  {
    name: "a wake-up follows the last append of a burst",
    async check({ store, openAgain, patienceMs }) {
      const reader = new StoreReader(await openAgain());
      const woken = new Wakes();
      const unwatch = await reader.store.watch(woken.wake);
      try {
        await reader.catchUp();
        const writer = new StoreReader(store);
        for (const burst of [1, 5]) {
          for (let index = 0; index < burst; index++) await writer.append(mark("w", index));
          while (reader.events.length < writer.events.length) {
            const missing = () => `the reader has ${reader.events.length} of ${writer.events.length} events`;
            await woken.next(patienceMs, missing);
            await reader.catchUp();
          }
        }
      } finally {
        await unwatch();
      }
    },
  },
];

function essence({ version, event, actor, command, commit, at }: RecordedEvent) {
  return { version, event, actor, command, commit, at };
}

function numbered(writer: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${writer} ${index}`);
}

/** Turns calls of `wake` into something to wait for. */
class Wakes {
  #pending = 0;
  #notify: (() => void) | undefined;

  readonly wake = (): void => {
    this.#pending += 1;
    this.#notify?.();
  };

  async next(patienceMs: number, missing: () => string): Promise<void> {
    if (this.#pending === 0) {
      await new Promise<void>((resolve, reject) => {
        const patience = setTimeout(
          () => reject(new assert.AssertionError({ message: `no wake-up came in ${patienceMs} ms, and ${missing()}` })),
          patienceMs,
        );
        this.#notify = () => {
          clearTimeout(patience);
          resolve();
        };
      });
    }
    this.#pending = 0;
    this.#notify = undefined;
  }
}

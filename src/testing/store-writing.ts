/** A store promises these things to those who write. */
import assert from "node:assert/strict";
import type { ScratchpadEvent } from "../event/event.ts";
import { commitDataOf } from "../line/encode.ts";
import { memoryStore } from "../store/memory.ts";
import type { StorePromise } from "./store-promise.ts";
import { caughtUp, mark, marksOf, newDraft, readAll, recordsOf, StoreReader } from "./store-reader.ts";

/** Texts that break what frames, escapes or splits carelessly. */
const hostileTexts = [
  "",
  "\n",
  "\u2028\u2029\u0085",
  '"\\',
  "\u0000\u001f\u007f",
  "😀 \ud83d\ude00",
  "\ufeff",
  "</script>",
];

/** A log that loses one of fifty loses some of these, and a slow one keeps them within the time that a runner gives a test. */
const manyCommits = 100;
/** An action may offer so much, and what is refused is kept whole. */
const longestText = 100_000;

export const writingPromises: readonly StorePromise[] = [
  {
    name: "of many commits none is lost",
    async check({ store, openAgain }) {
      const writer = new StoreReader(store);
      for (let index = 0; index < manyCommits; index++) await writer.append(mark("w", index));
      const kept = new Set(marksOf(await readAll(await openAgain())));
      const lost = marksOf(writer.events).filter((text) => !kept.has(text));
      assert.deepEqual(
        lost,
        [],
        `${lost.length} of ${manyCommits} acknowledged commits are not there, first "${lost[0]}"`,
      );
    },
  },
  {
    name: "records that are appended together stand in their order",
    async check({ store, openAgain }) {
      const source = new StoreReader(memoryStore({ sessionId: await store.sessionId() }));
      for (let index = 0; index < 3; index++) await source.append(mark("w", index));
      const end = await store.importRecords(0, recordsOf(source.store));
      assert.deepEqual(marksOf(await readAll(await openAgain())), ["w 0", "w 1", "w 2"]);
      assert.equal(end.hash, (await source.catchUp()).hash);
    },
  },
  {
    name: "a long text comes back as it was",
    async check({ store, openAgain }) {
      const text = "long".repeat(longestText / 4);
      await new StoreReader(store).append({ event: { type: "notes.set", text }, actor: "w" });
      const { notes } = (await caughtUp(await openAgain())).state;
      assert.ok(notes === text, `${notes.length} of ${longestText} characters came back`);
    },
  },
  {
    name: "a commit of several events is there whole, under one id",
    async check({ store }) {
      const writer = new StoreReader(store);
      const draft = newDraft(mark("w", 0), mark("w", 1), mark("w", 2));
      const end = await writer.commit(() => draft);
      const events = await readAll(store);
      assert.deepEqual(
        events.map(({ version, commit }) => [version, commit]),
        [1, 2, 3].map((version) => [version, draft.id]),
      );
      assert.equal(end.version, 3);
    },
  },
  {
    name: "a writer is told its own events once",
    async check({ store }) {
      const writer = new StoreReader(store);
      await writer.append(mark("w", 0));
      await writer.append(mark("w", 1), mark("w", 2));
      await writer.catchUp();
      assert.deepEqual(writer.events, await readAll(store));
    },
  },
  {
    name: "decide runs on everything that was appended before",
    async check({ store, openAgain }) {
      const one = new StoreReader(store);
      const other = new StoreReader(await openAgain());
      await one.catchUp();
      await other.append(mark("other", 0), mark("other", 1));
      let told = -1;
      await one.commit((end) => {
        told = one.events.length;
        assert.equal(end.version, told);
        return newDraft(mark("one"));
      });
      assert.equal(told, 2, `decide ran on ${told} of 2 events that had been acknowledged before`);
    },
  },
  {
    name: "decide that returns nothing appends nothing",
    async check({ store }) {
      const writer = new StoreReader(store);
      const before = await writer.append(mark("w"));
      const after = await writer.commit(() => undefined);
      assert.deepEqual([after, (await readAll(store)).length], [before, 1]);
    },
  },
  {
    name: "a draft without events appends nothing",
    async check({ store }) {
      const writer = new StoreReader(store);
      const before = await writer.append(mark("w"));
      const after = await writer.append();
      assert.deepEqual([after, (await readAll(store)).length], [before, 1]);
    },
  },
  {
    name: "no update is lost between two handles",
    async check({ store, openAgain }) {
      const writers = [new StoreReader(store), new StoreReader(await openAgain())];
      await Promise.all(
        writers.map(async (writer) => {
          for (let round = 0; round < 10; round++) {
            await writer.commit(() => {
              const count = Number(writer.state.notes) + 1;
              return newDraft({ event: { type: "notes.set", text: String(count) }, actor: "counter" });
            });
          }
        }),
      );
      const counts = (await readAll(store)).map(({ event }) => (event.type === "notes.set" ? Number(event.text) : -1));
      assert.deepEqual(
        counts,
        Array.from({ length: 20 }, (_, index) => index + 1),
      );
    },
  },
  {
    name: "a command is known as soon as its event was told, to every handle",
    async check({ store, openAgain }) {
      const long = "c".repeat(300);
      const writer = new StoreReader(store);
      await writer.append({ ...mark("w"), command: "short" }, { ...mark("w"), command: long });
      const reader = new StoreReader(await openAgain());
      await reader.catchUp();
      for (const command of ["short", long]) {
        assert.ok(store.knows(command), "the writer knows it");
        assert.ok(reader.store.knows(command), "another handle knows it");
      }
    },
  },
  {
    name: "the chain is the one that every backend keeps",
    async check({ store, openAgain }) {
      const writer = new StoreReader(store);
      const start = await writer.catchUp();
      const one = newDraft(mark("w", 0), { ...mark("w", 1), command: "c" });
      const two = newDraft(mark("w", 2));
      const first = await writer.commit(() => one);
      const second = await writer.commit(() => two);
      assert.equal(first.hash, commitDataOf(one, start, "file").hash);
      assert.equal(second.hash, commitDataOf(two, first, "file").hash);
      assert.equal((await new StoreReader(await openAgain()).catchUp()).hash, second.hash);
    },
  },
  {
    name: "headAt gives the hash after the commit that holds a version",
    async check({ store }) {
      const writer = new StoreReader(store);
      const root = await writer.catchUp();
      const first = await writer.append(mark("w", 0), mark("w", 1));
      const second = await writer.append(mark("w", 2));
      const hashes = await Promise.all([0, 1, 2, 3, 4].map(async (version) => (await store.headAt(version))?.hash));
      assert.deepEqual(hashes, [root.hash, first.hash, first.hash, second.hash, undefined]);
    },
  },
  {
    name: "any text comes back as it was",
    async check({ store, openAgain }) {
      const events: ScratchpadEvent[] = hostileTexts.flatMap((text, index) => [
        { type: "notes.set", text },
        { type: "refs.set", refs: [text, text] },
        { type: "entry.written", key: ["constructor", "toString", "hasOwnProperty"][index % 3] as string, text },
      ]);
      await new StoreReader(store).append(...events.map((event) => ({ event, actor: "\u2028", command: "\u{1F600}" })));
      const back = await readAll(await openAgain());
      assert.deepEqual(
        back.map(({ event }) => event),
        events,
      );
      assert.deepEqual([back[0]?.actor, back[0]?.command], ["\u2028", "\u{1F600}"]);
    },
  },
  {
    name: "what the caller does to its draft afterwards changes no history",
    async check({ store }) {
      const refs = ["as it was"];
      const writer = new StoreReader(store);
      await writer.append({ event: { type: "refs.set", refs }, actor: "w" });
      refs[0] = "another";
      refs.push("more");
      assert.deepEqual((await readAll(store))[0]?.event, { type: "refs.set", refs: ["as it was"] });
      assert.deepEqual(writer.state.refs, ["as it was"]);
    },
  },
  {
    name: "closing twice is fine, and a closed store takes no commit",
    async check({ store }) {
      await new StoreReader(store).append(mark("w"));
      await store.close();
      await store.close();
      await assert.rejects(new StoreReader(store).append(mark("late")));
    },
  },
];

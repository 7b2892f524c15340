/** A store promises these things to those who write. */
import assert from "node:assert/strict";
import type { ScratchpadEvent } from "../event/event.ts";
import { commitDataOf } from "../line/encode.ts";
import type { StorePromise } from "./store-promise.ts";
import { mark, newDraft, readAll, StoreReader } from "./store-reader.ts";

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

export const writingPromises: readonly StorePromise[] = [
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
      assert.equal(told, 2);
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

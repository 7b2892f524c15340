/** A store promises these things across handles, processes and restarts. */
import assert from "node:assert/strict";
import { fold } from "../state/fold.ts";
import type { Snapshot } from "../stream/checkpoint.ts";
import type { JournalStore } from "../stream/stream-store.ts";
import type { StorePromise } from "./store-promise.ts";
import { mark, marksOf, readAll, StoreReader } from "./store-reader.ts";

export const sharingPromises: readonly StorePromise[] = [
  {
    name: "what was acknowledged is there for the next to open",
    needs: "openAgain",
    async check({ store, openAgain }) {
      const writer = new StoreReader(store);
      await writer.append(mark("w", 0), mark("w", 1));
      const sessionId = await store.sessionId();
      await store.close();
      const again = await openAgain();
      assert.deepEqual(marksOf(await readAll(again)), ["w 0", "w 1"]);
      assert.equal(await again.sessionId(), sessionId);
    },
  },
  {
    name: "processes that write at the same time lose and repeat nothing",
    needs: "spawnWriter",
    async check({ store, spawnWriter }) {
      const own = new StoreReader(store);
      const ownMarks = async () => {
        for (let index = 0; index < 20; index++) await own.append(mark("own", index));
      };
      await Promise.all([spawnWriter("a", 20), spawnWriter("b", 20), ownMarks()]);
      const events = await readAll(store);
      assert.deepEqual(
        events.map(({ version }) => version),
        Array.from({ length: 60 }, (_, index) => index + 1),
      );
      for (const writer of ["a", "b", "own"]) {
        const marks = marksOf(events).filter((text) => text.startsWith(`${writer} `));
        assert.deepEqual(
          marks,
          Array.from({ length: 20 }, (_, index) => `${writer} ${index}`),
        );
      }
      await own.catchUp();
      assert.deepEqual(own.events, events);
    },
  },
  {
    name: "without a checkpoint there is none",
    async check({ store }) {
      assert.equal(await store.loadSnapshot(), undefined);
    },
  },
  {
    name: "resuming from a checkpoint adds up to the same",
    needs: "openAgain",
    async check({ store, log, openAgain }) {
      const writer = new StoreReader(store);
      await writer.append(mark("w", 0), mark("w", 1));
      await saveSnapshot(writer);
      await writer.append(mark("w", 2));
      const again = await openAgain();
      const snapshot = await again.loadSnapshot();
      if (log?.checkpoint !== undefined) assert.equal(snapshot?.end.version, 2);
      assert.deepEqual(await resumed(again, snapshot), writer.state);
    },
  },
  {
    name: "a checkpoint is not taken where the stream does not stand",
    needs: "openAgain",
    async check({ store, openAgain }) {
      const writer = new StoreReader(store);
      await writer.append(mark("w", 0));
      await writer.append(mark("w", 1));
      for (const wrong of [{ version: 9 }, { version: 1 }, { hash: "0".repeat(32) }]) {
        await saveSnapshot(writer, wrong);
        const again = await openAgain();
        assert.deepEqual(await resumed(again, await again.loadSnapshot()), writer.state, JSON.stringify(wrong));
      }
    },
  },
];

/** `wrong`: what is said of its end that is not so. */
async function saveSnapshot(writer: StoreReader, wrong?: { readonly version?: number; readonly hash?: string }) {
  const end = await writer.catchUp();
  await writer.store.saveSnapshot({ end: { ...end, ...wrong } });
}

/** This resumes as a journal does: it takes the snapshot's state, then what comes after it, or everything if the store says so. */
async function resumed(store: JournalStore, snapshot: Snapshot | undefined) {
  const reader = new StoreReader(store, snapshot?.end);
  await reader.catchUp();
  return reader.resets > 0 ? reader.state : fold(reader.events, snapshot?.state);
}

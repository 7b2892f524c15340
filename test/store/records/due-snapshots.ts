/** What every backend that keeps records promises of the snapshots that nobody asked for. */
import { expect, test } from "vitest";
import { openJournal } from "../../../src/open/open-journal.ts";
import type { JournalStore } from "../../../src/stream/stream-store.ts";

/** Together they are more than is read in less time than a snapshot is worth; each alone is less. */
const texts = ["a", "b", "c", "d", "e"].map((letter) => letter.repeat(60_000));

interface Opened {
  readonly journal: Awaited<ReturnType<typeof openJournal>>;
  /** It was asked to save so many snapshots. */
  readonly saves: () => number;
  readonly close: () => Promise<void>;
}

/** `open` gives a store of the named session. */
export function testDueSnapshots(open: (session: string, readonly?: boolean) => JournalStore): void {
  const opened = async (session: string, readonly = false): Promise<Opened> => {
    const store = open(session, readonly);
    const place = store.log.checkpoint;
    if (place === undefined) throw new Error("there is no place for a snapshot");
    let saves = 0;
    const save = place.save.bind(place);
    const counted = (...given: Parameters<typeof save>) => {
      saves += 1;
      return save(...given);
    };
    Object.assign(place, { save: counted });
    const journal = await openJournal(store, { readonly });
    // A store that was handed in stays open, and closing it waits for its snapshot.
    const close = async () => {
      await journal.close();
      await store.close();
    };
    return { journal, saves: () => saves, close };
  };
  const resumedAt = async (session: string): Promise<number | undefined> => {
    const store = open(session);
    const snapshot = await store.loadSnapshot();
    await store.close();
    return snapshot?.end.version;
  };

  test("a snapshot is taken by itself once what was appended outweighs it, by one who may write, and not before", async () => {
    const writer = await opened("due");
    for (const text of texts.slice(0, 2)) await writer.journal.entries.write("key", text);
    await writer.close();
    expect(await resumedAt("due")).toBe(undefined);
    const second = await opened("due");
    for (const text of texts.slice(2)) await second.journal.entries.write("key", text);
    await second.close();
    expect(await resumedAt("due")).toBe(texts.length);
    const third = await opened("due");
    await third.journal.entries.write("f", "short");
    await third.close();
    expect([second.saves(), third.saves()]).toEqual([1, 0]);
  });

  test("where only readers come, no snapshot is taken", async () => {
    await writeWithoutSnapshot("read");
    const reader = await opened("read", true);
    expect(reader.journal.version).toBe(texts.length);
    await reader.close();
    expect([reader.saves(), await resumedAt("read")]).toEqual([0, undefined]);
  });

  test("of several writers one takes the snapshot that is due, and the others go on from there", async () => {
    const others = await Promise.all([1, 2, 3].map(() => opened("shared")));
    const writer = await opened("shared");
    for (const text of texts) await writer.journal.entries.write("key", text);
    await writer.close();
    for (const { journal } of others) await journal.refresh();
    for (const { close } of others) await close();
    expect(others.map(({ saves }) => saves())).toEqual([0, 0, 0]);
    expect(await resumedAt("shared")).toBe(texts.length);
  });

  test("a snapshot that somebody else replaced meanwhile stays, unless it was asked for", async () => {
    const store = open("faster");
    const { checkpoint } = store.log;
    const [first = "", second = "", third = ""] = texts.map((text) => text.slice(0, 100));
    const saved = async (text: string, over?: string) => {
      await checkpoint?.save(text, over);
      return checkpoint?.load();
    };
    expect(await checkpoint?.mark?.()).toBe("");
    expect(await saved(first, "another")).toBe(first);
    expect(await saved(second, "")).toBe(first);
    expect(await saved(second, await checkpoint?.mark?.(first))).toBe(second);
    expect(await checkpoint?.mark?.()).toBe(await checkpoint?.mark?.(second));
    expect(await saved(third, await checkpoint?.mark?.(first))).toBe(second);
    expect(await saved(third)).toBe(third);
    await store.close();
  });

  async function writeWithoutSnapshot(session: string): Promise<void> {
    const store = open(session);
    Object.assign(store.log.checkpoint ?? {}, { save: async () => undefined });
    const journal = await openJournal(store);
    for (const text of texts) await journal.entries.write("key", text);
    await journal.close();
    await store.close();
  }
}

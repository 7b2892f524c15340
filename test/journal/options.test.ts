import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import type { Action } from "../../src/action/actions.ts";
import type { Journal } from "../../src/journal/public.ts";
import { copyJournal } from "../../src/open/copy-journal.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { openJournals } from "../../src/open/open-journals.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { memoryStore } from "../../src/store/memory.ts";

/** Each with an option that the method does not have, or none at all. */
const calls: Readonly<Record<string, (journal: Journal, options: object) => unknown>> = {
  apply: (journal, options) => journal.applyUnknown({ action: "read" }, options),
  applyAll: (journal, options) => journal.applyAll([{ action: "read" } as unknown as Action], options),
  "notes.set": (journal, options) => journal.notes.set("x", options),
  restore: (journal, options) => journal.restore(0, options),
  beginTurn: (journal, options) => journal.beginTurn(options),
  history: async (journal, options) => journal.history(options),
  changes: async (journal, options) => journal.changes(options),
  verify: (journal, options) => journal.verify(options),
  copyJournal: (_, options) => copyJournal(memoryStore(), memoryStore(), options),
  fork: (journal, options) => journal.fork(memoryStore(), options),
  spawn: (journal, options) => journal.spawn(memoryStore(), options),
  merge: (journal, options) => journal.merge(journal, options),
  import: (journal, options) => journal.import({} as never, options),
};

test.each(Object.entries(calls))(
  "%s takes no option that it does not have: a misspelt one is said",
  async (_, call) => {
    await using journal = await openJournal(memoryStore());
    await expect(call(journal, { frm: 1 })).rejects.toThrow(/^unknown option "frm": use [a-zA-Z_, ]+$/);
    await expect(call(journal, null as unknown as object)).rejects.toThrow("the options of a call must be an object");
    expect(journal.version).toBe(0);
  },
);

test.each([10, { ttl: 5 }, null])(
  "claim(key, %j) is no claim for a while that was meant otherwise",
  async (options) => {
    await using journal = await openJournal(memoryStore());
    const claim = journal.entries.claim("key", options as object);
    await expect(claim).rejects.toThrow(/must be an object|unknown option "ttl": use ttlSeconds, /);
    expect(journal.version).toBe(0);
  },
);

test("an option that is undefined is none, whatever its name", async () => {
  await using journal = await openJournal(memoryStore(), { foo: undefined } as object);
  const answer = await journal.apply({ action: "set_notes", content: "x" }, { turn: undefined } as object);
  expect(answer.ok).toBe(true);
});

test("options may be of a class: what they inherit counts as well", async () => {
  class Options {
    get command() {
      return "c";
    }
    get ttlSeconds() {
      return 60;
    }
  }
  await using journal = await openJournal(memoryStore());
  const first = await journal.entries.claim("key", new Options());
  expect(await journal.entries.claim("key", new Options())).toEqual(first);
  expect(Object.values(journal.state.leases)).toHaveLength(1);
  expect(journal.version).toBe(1);
});

test.each([{ seal: "k" }, { namespace: "a:b" }, { mirror: false }, { fold: "branch" }, { strict: true }])(
  "%j is not passed over where the store is made already",
  async (options) => {
    const opening = openJournal(memoryStore(), options as OpenOptions);
    const [name] = Object.keys(options);
    await expect(opening).rejects.toThrow(`option "${name}" belongs to the store: set it where you create the store`);
  },
);

const ofFiles: readonly OpenOptions[] = [
  { namespace: "a:b" },
  { fold: "branch" },
  { mirror: "single-key" },
  { files: ["SPEC.md"] },
];

test.each(["sqlite:x.db", "nats://127.0.0.1:1/p", "postgres://127.0.0.1:1/d"])(
  "what only session files have is not passed over at %s",
  async (place) => {
    for (const options of ofFiles) {
      const [name] = Object.keys(options);
      const refusal = new RegExp(
        `option "${name}" belongs to session files, and ${place.split(":")[0]}: is none: leave it`,
      );
      await expect(openJournal(`${place}#s`, options)).rejects.toThrow(refusal);
      await expect(openJournals(place, options)).rejects.toThrow(refusal);
    }
  },
);

test("what a database does anyway may be asked for", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "options-"));
  const where = `sqlite:${path.join(folder, "x.db")}#s`;
  const journal = await openJournal(where, { fold: "file", mirror: true, durability: "os" });
  expect(journal.version).toBe(0);
  await journal.close();
  fs.rmSync(folder, { recursive: true });
});

test("a list is no options", async () => {
  await using journal = await openJournal(memoryStore());
  await expect(journal.notes.set("x", [] as object)).rejects.toThrow("the options of a call must be an object");
});

test("null is no point to fork at", async () => {
  await using journal = await openJournal(memoryStore());
  await expect(journal.fork(memoryStore(), { at: null as never })).rejects.toMatchObject({ code: "bad_point" });
});

test("a copy is asked for by true or false", async () => {
  await using journal = await openJournal(memoryStore());
  const spawned = journal.spawn(memoryStore(), { copy: "no" as unknown as boolean });
  await expect(spawned).rejects.toThrow('option "copy" must be true or false');
});

test.each([
  ["a promise", async () => 1],
  ["no number", () => Number.NaN],
  ["a number without end", () => Number.POSITIVE_INFINITY],
])("a measure that gives %s empties nothing", async (_, measure) => {
  const store = memoryStore();
  const before = await openJournal(store);
  await before.notes.set("kept");
  await using journal = await openJournal(store, { measure: measure as unknown as () => number });
  await expect(journal.notes.set("new")).rejects.toThrow('option "measure" must give a number of at least 0');
  expect([journal.state.notes, journal.version]).toEqual(["kept", 1]);
});

test("what is neither a place nor a store is said, also where there is nothing at all", async () => {
  const nothing = null as unknown as string;
  const place = /^name a path, an address \(.*\) or a store$/;
  await expect(openJournal(nothing)).rejects.toThrow(place);
  await expect(copyJournal(nothing, nothing)).rejects.toThrow(place);
  await expect(copyJournal(memoryStore(), {} as unknown as string)).rejects.toThrow(place);
  for (const where of [nothing, {} as unknown as string]) {
    await expect(openJournals(where)).rejects.toThrow(
      /^name a folder, an address of many sessions \(.*\) or a catalog$/,
    );
  }
});

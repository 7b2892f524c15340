import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../src/action/answer.ts";
import type { Journal } from "../../src/journal/public.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import type { OpenOptions } from "../../src/open/open-options.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { sqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { JournalStore } from "../../src/stream/stream-store.ts";
import { arbitraryLimits } from "../../src/testing/arbitraries.ts";
import { journalCommands, runJournalCommands } from "../../src/testing/journal-commands.ts";

test("journals over one store in memory do as the model does", async () => {
  await fc.assert(
    fc.asyncProperty(journalCommands(), arbitraryLimits(), async (steps, limits) => {
      const store = memoryStore();
      await runJournalCommands(steps, () => openJournal(store, { limits }));
    }),
  );
});

describe("journals over one session file do as the model does", () => {
  let folder = "";
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  let files = 0;

  test.each<[string, OpenOptions]>([
    ["with the lock", {}],
    ["without a lock", { lock: { mode: "off" } }],
    ["without mirrors", { mirror: false }],
    ["sealed", { seal: "a key" }],
  ])("%s", async (_, options) => {
    await fc.assert(
      fc.asyncProperty(journalCommands({ stepsMax: 12 }), arbitraryLimits(), async (steps, limits) => {
        const file = path.join(folder, `${++files}.jsonl`);
        await runJournalCommands(steps, () => openJournal(file, { durability: "os", limits, ...options }));
      }),
      { numRuns: process.env["SESSION_JOURNAL_FULL"] ? 500 : 25 },
    );
  });
});

test("journals over one database do as the model does", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  const database = path.join(folder, "journals.db");
  let sessions = 0;
  try {
    await fc.assert(
      fc.asyncProperty(journalCommands({ stepsMax: 12 }), arbitraryLimits(), async (steps, limits) => {
        const session = `s${++sessions}`;
        const stores: JournalStore[] = [];
        await runJournalCommands(steps, () => {
          const store = sqliteStore({ database, session });
          stores.push(store);
          return openJournal(store, { limits });
        });
        for (const store of stores) await store.close();
      }),
      { numRuns: process.env["SESSION_JOURNAL_FULL"] ? 500 : 25 },
    );
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

/** Journals that are right but for one thing. */
const broken: Readonly<Record<string, (journal: Journal) => Partial<Journal>>> = {
  "forgets a command": (journal) => ({
    apply: (action, options) => journal.apply(action, { actor: options?.actor ?? "agent" }),
  }),
  "takes any expected version": (journal) => ({
    apply: (action, { expectedVersion: _, ...options } = {}) => journal.apply(action, options),
  }),
  "applies a group one by one": (journal) => ({
    applyAll: async (actions, options) => {
      const answers: Answer[] = [];
      for (const action of actions) answers.push(await journal.apply(action, { actor: options?.actor ?? "agent" }));
      return answers;
    },
  }),
  "restores the version before": (journal) => ({
    restore: (point, options) => journal.restore(Math.max(0, Number(point) - 1), options),
  }),
  "does not read on": () => ({ refresh: async () => undefined }),
  "counts turns from 0": (journal) => ({
    beginTurn: async (turn) => (await journal.beginTurn(turn)) - 1,
  }),
};

test.each(Object.keys(broken))("a journal that %s is found", async (name) => {
  const property = fc.asyncProperty(journalCommands(), async (steps) => {
    const store = memoryStore();
    await runJournalCommands(steps, async () => {
      const journal = await openJournal(store);
      return but(journal, broken[name]?.(journal) ?? {});
    });
  });
  const { failed, counterexample } = await fc.check(property, { numRuns: 1000 });
  expect(failed).toBe(true);
  expect(String(counterexample?.[0])).toMatch(/open|handle \d+: /);
});

test.each<[string, RegExp, (store: JournalStore) => Partial<JournalStore>]>([
  [
    "answers a version that is one too high",
    /^a handle is at version \d+, and has to be at \d+/,
    (store) => ({
      catchUp: async (...given) => {
        const end = await store.catchUp(...given);
        return { ...end, version: end.version + 1 };
      },
    }),
  ],
  [
    "loses what it has acknowledged",
    /^(?!Expected values).*the (?:history|state|journal) /,
    () => ({ read: async function* () {} }),
  ],
])("of a store that %s, the error says so", async (_, message, changed) => {
  const property = fc.asyncProperty(journalCommands(), async (steps) => {
    const store = memoryStore();
    await runJournalCommands(steps, () => openJournal(but(store, changed(store))));
  });
  const { errorInstance } = await fc.check(property, { numRuns: 1000 });
  expect((errorInstance as Error).message).toMatch(message);
});

/** What is given with some members replaced. */
function but<Whole extends object>(whole: Whole, members: Partial<Whole>): Whole {
  return new Proxy(whole, {
    get: (target, name) => {
      const member: unknown = Reflect.get(name in members ? members : target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

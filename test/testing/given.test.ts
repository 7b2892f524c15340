import { describe, expect, test } from "vitest";
import { defaultLimits } from "../../src/action/limits.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { faultyFiles } from "../../src/testing/faulty-files.ts";
import { faultyStore } from "../../src/testing/faulty-store.ts";
import { type ExpectedOutcome, given, givenAt } from "../../src/testing/given.ts";
import { journalCommands } from "../../src/testing/journal-commands.ts";
import { testLog } from "../../src/testing/log-conformance.ts";

const appended = given([{ type: "notes.set", text: "a" }]).when({ action: "append_notes", content: "b" });

test("what came of it passes, whichever parts are named", () => {
  appended.then({});
  appended.then({ events: [{ type: "notes.appended", text: "b" }] });
  appended.then({ answer: { ok: true, used: 3, message: /3\/4000/ }, state: { notes: "a\nb", entries: {} } });
  expect(appended.outcome.events).toEqual([{ type: "notes.appended", text: "b" }]);
});

describe("what did not come of it throws", () => {
  test.each<[string, ExpectedOutcome]>([
    ["another event", { events: [{ type: "notes.appended", text: "c" }] }],
    ["one event more", { events: [{ type: "notes.appended", text: "b" }, { type: "turn.began" }] }],
    ["another answer", { answer: { ok: false } }],
    ["a code that it does not have", { answer: { code: "not_found" } }],
    ["another message", { answer: { message: /rejected/ } }],
    ["another state", { state: { notes: "a" } }],
  ])("%s", (_, expected) => {
    expect(() => appended.then(expected)).toThrow();
  });
});

test("a function gets the outcome, and what it throws is thrown", () => {
  const error = new Error("not this");
  expect(() =>
    appended.then(() => {
      throw error;
    }),
  ).toThrow(error);
});

test("actor, time and limits can be another's", () => {
  const claimed = given([]).when({ action: "entries.claim", key: "k", ttlSeconds: 60 }, { actor: "other" });
  const until = new Date(Date.parse(givenAt) + 60_000).toISOString();
  claimed.then({ events: [{ type: "lease.claimed", key: "k", holder: "other", until }] });
  const limits = { ...defaultLimits, plan: 2 };
  given([])
    .when({ action: "set_plan", content: "abc" }, { limits })
    .then({ state: { plan: "ab" } });
});

describe("what is misspelt is not passed over", () => {
  const set = { action: "set_notes", content: "n" };
  test.each<[string, () => unknown, string]>([
    ["a part of the expectation", () => appended.then({ anwser: { ok: false } } as ExpectedOutcome), '"anwser"'],
    ["a part of the context", () => given([]).when(set, { limit: defaultLimits } as object), '"limit"'],
    ["the type of an event", () => given([{ type: "notes.sett", text: "a" } as never]), '"notes.set"'],
    ["an option of journalCommands", () => journalCommands({ handles: 1 } as object), '"handles"'],
    ["a fault of faultyStore", () => faultyStore(memoryStore(), { failure: [] } as object), '"failure"'],
    ["a call of faultyStore", () => faultyStore(memoryStore(), { failures: [{ on: "comit" as never }] }), '"on"'],
    ["a wake-up of faultyStore", () => faultyStore(memoryStore(), { wakes: "double" as never }), '"doubled"'],
    ["a call of faultyFiles", () => faultyFiles([{ on: "wirte" as never, error: "EIO" }]), '"write"'],
    ["an option of faultyFiles", () => faultyFiles([{ on: "write", error: "EIO", time: 2 } as never]), '"time"'],
    [
      "an option of testLog",
      () => testLog({ test, createLog: () => memoryStore().log, openagain: 1 } as never),
      '"openagain"',
    ],
  ])("%s", (_, misspelt, named) => {
    expect(misspelt).toThrow(TypeError);
    expect(misspelt).toThrow(named);
  });
});

import { beforeAll, describe, expect, test } from "vitest";
import type { RecordedEvent } from "../../src/event/event.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { faultyStore } from "../../src/testing/faulty-store.ts";
import { type AnomalyKind, findAnomalies } from "../../src/testing/linearizability.ts";
import {
  type Operation,
  OperationRecorder,
  type ReadOperation,
  stateDigest,
  type WriteOperation,
} from "../../src/testing/operations.ts";
import { readAll } from "../../src/testing/store-reader.ts";

interface Story {
  readonly history: readonly RecordedEvent[];
  readonly operations: readonly Operation[];
}

/** Two handles take turns: each counts on, looks, and asks its last command again. */
async function tell(): Promise<Story> {
  const store = memoryStore();
  const operations: Operation[] = [];
  let clock = 0;
  const now = () => ++clock;
  const recorders = await Promise.all(
    ["a", "b"].map(async (process) => {
      const journal = await openJournal(store);
      return new OperationRecorder(journal, { process, now, write: (operation) => operations.push(operation) });
    }),
  );
  for (let round = 0; round < 5; round++) {
    for (const recorder of recorders) {
      await recorder.apply({ action: "append_notes", content: `round ${round}` });
      await recorder.read();
      await recorder.apply({ action: "refs.remove", ref: "none" });
    }
    await Promise.all(recorders.map((recorder) => recorder.apply({ action: "set_plan", content: `plan ${round}` })));
  }
  const [first] = recorders as [OperationRecorder];
  await first.apply({ action: "set_plan", content: "again" }, { command: "again" });
  await first.apply({ action: "set_plan", content: "again" }, { command: "again" });
  return { history: await readAll(store), operations };
}

let story: Story;
beforeAll(async () => {
  story = await tell();
});

function kindsIn({ history, operations }: Story): Set<AnomalyKind> {
  return new Set(findAnomalies(history, operations).map(({ kind }) => kind));
}

function isRead(operation: Operation): operation is ReadOperation {
  return operation.type === "read";
}

/** Acknowledged with an event. */
function isWritten(operation: Operation): operation is WriteOperation {
  return operation.type === "write" && typeof operation.outcome !== "string" && operation.outcome.events.length > 0;
}

/** The last of a kind, replaced. */
function withLast<Kind extends Operation>(
  { history, operations }: Story,
  is: (operation: Operation) => operation is Kind,
  change: (operation: Kind, index: number) => Operation,
): Story {
  const index = operations.findLastIndex(is);
  return { history, operations: operations.with(index, change(operations[index] as Kind, index)) };
}

/** Versions as they would be without the others. */
function renumbered(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.map((recorded, index) => ({ ...recorded, version: index + 1 }));
}

test("a history that happened has no anomaly", () => {
  expect(story.operations.filter(isWritten).length).toBeGreaterThan(15);
  expect(findAnomalies(story.history, story.operations)).toEqual([]);
});

describe("a bad history is found:", () => {
  const seeded: readonly [string, AnomalyKind, (story: Story) => Story][] = [
    [
      "the last acknowledged write is gone",
      "lost",
      ({ history, operations }) => ({ history: history.slice(0, -1), operations }),
    ],
    [
      "a write in the middle is gone",
      "lost",
      ({ history, operations }) => ({ history: renumbered(history.toSpliced(3, 1)), operations }),
    ],
    [
      "two writes have changed places",
      "lost",
      ({ history, operations }) => ({
        history: renumbered(history.with(3, history[4] as RecordedEvent).with(4, history[3] as RecordedEvent)),
        operations,
      }),
    ],
    [
      "a command was carried out twice",
      "duplicate",
      ({ history, operations }) => ({ history: renumbered([...history, history.at(-1) as RecordedEvent]), operations }),
    ],
    [
      "an event that nobody asked for",
      "unasked",
      ({ history, operations }) => ({
        history: renumbered([...history, { ...(history.at(-1) as RecordedEvent), command: "whose?" }]),
        operations,
      }),
    ],
    [
      "a write that was said to have failed",
      "unasked",
      ({ history, operations }) => {
        const { command } = operations.find(isWritten) as WriteOperation;
        const failed = (operation: Operation): Operation =>
          operation.type === "write" && operation.command === command ? { ...operation, outcome: "failed" } : operation;
        return { history, operations: operations.map(failed) };
      },
    ],
    [
      "a read that shows what was there before",
      "stale",
      (good) =>
        withLast(good, isRead, (read) => {
          const earlier = good.operations.find(isRead) as ReadOperation;
          return { ...read, version: earlier.version, digest: earlier.digest };
        }),
    ],
    [
      "a read from the future",
      "reordered",
      (good) => {
        const last = good.operations.findLast(isRead) as ReadOperation;
        const { version, digest } = last;
        const first = good.operations.findIndex(isRead);
        const early = { ...(good.operations[first] as ReadOperation), version, digest };
        return { history: good.history, operations: good.operations.with(first, early) };
      },
    ],
    [
      "a write that was acknowledged before an earlier one was asked",
      "reordered",
      (good) => withLast(good, isWritten, (write) => ({ ...write, command: write.command, asked: -2, answered: -1 })),
    ],
    [
      "a state that never was",
      "wrong state",
      (good) => withLast(good, isRead, (read) => ({ ...read, digest: "other" })),
    ],
    [
      "an update that was decided on an old state",
      "wrong answer",
      (good) =>
        withLast(good, isWritten, (write) => {
          const outcome = write.outcome as Exclude<WriteOperation["outcome"], string>;
          return { ...write, outcome: { ...outcome, used: outcome.used - 1 } };
        }),
    ],
    [
      "a read of a version that is not there",
      "lost",
      (good) => withLast(good, isRead, (read) => ({ ...read, version: good.history.length + 1 })),
    ],
  ];

  test.each(seeded)("%s (%s)", (_, kind, spoil) => {
    expect(kindsIn(spoil(story))).toContain(kind);
  });
});

test("a write whose fate is unknown may be there or not", async () => {
  const store = memoryStore();
  const operations: Operation[] = [];
  const journal = await openJournal(
    faultyStore(store, {
      failures: [
        { on: "commit", when: "after" },
        { on: "commit", call: 2, error: new Error("gone") },
      ],
    }),
  );
  const recorder = new OperationRecorder(journal, { process: "a", write: (operation) => operations.push(operation) });
  await expect(recorder.apply({ action: "set_plan", content: "one" })).rejects.toThrow();
  await expect(recorder.apply({ action: "set_plan", content: "two" })).rejects.toThrow("gone");
  await recorder.read();
  expect(operations.map((operation) => (operation.type === "write" ? operation.outcome : "read"))).toEqual([
    "unknown",
    "failed",
    "read",
  ]);
  const history = await readAll(store);
  expect(history).toHaveLength(1);
  expect(findAnomalies(history, operations)).toEqual([]);
  const withoutRead = operations.slice(0, 2);
  expect(findAnomalies([], withoutRead)).toEqual([]);
});

test("equal states have equal digests, others others", () => {
  const state = { notes: "a", plan: "", refs: [], entries: { a: "1", b: "2" }, leases: {}, sections: {} };
  expect(stateDigest({ ...state, entries: { b: "2", a: "1" } })).toBe(stateDigest(state));
  expect(stateDigest({ ...state, notes: "b" })).not.toBe(stateDigest(state));
});

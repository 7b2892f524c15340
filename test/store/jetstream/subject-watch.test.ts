import { setImmediate as soon } from "node:timers/promises";
import { expect, test } from "vitest";
import { type SubjectWatch, watchSubjects } from "../../../src/store/jetstream/subject-watch.ts";

/** The messages of a consumer that has none, and says that it was reset if it is asked to. */
function noMessages(isReset: boolean) {
  const closed = new AbortController();
  const messages: SubjectWatch["first"] = {
    async *status() {
      if (isReset) yield { type: "reset" };
    },
    close: async () => closed.abort(),
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve) => {
          closed.signal.addEventListener("abort", () => resolve({ done: true, value: undefined }));
        }),
    }),
  };
  return { messages, closed: closed.signal };
}

test("a watch that is ended while it begins to listen again leaves no consumer behind", async () => {
  const [first, second] = [noMessages(true), noMessages(false)];
  const woken: string[] = [];
  let begin = (_: SubjectWatch["first"]): void => undefined;
  const unwatch = watchSubjects({
    ...{ first: first.messages, since: "2026-01-01T00:00:00Z", isClosed: () => false },
    ...{ wake: () => undefined, closed: () => undefined, again: () => woken.push("again") },
    listenFrom: () =>
      new Promise((resolve) => {
        begin = resolve;
      }),
  });
  await soon();
  const ended = unwatch();
  begin(second.messages);
  await ended;
  expect([second.closed.aborted, woken]).toEqual([true, ["again"]]);
});

test("a client that says no more of its consumer does not end the process, and what comes is heard", async () => {
  const woken: string[] = [];
  let isClosed = false;
  const closing = new Promise<void>((resolve) => {
    const { messages } = noMessages(false);
    watchSubjects({
      first: {
        ...messages,
        status: () => ({
          [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("the connection is gone")) }),
        }),
        async *[Symbol.asyncIterator]() {
          await soon();
          yield { subject: "a", time: new Date(0) };
          isClosed = true;
        },
      },
      ...{ since: "2026-01-01T00:00:00Z", isClosed: () => isClosed, again: () => undefined },
      ...{ wake: (subject: string) => woken.push(subject), closed: resolve, listenFrom: async () => messages },
    });
  });
  await closing;
  expect(woken).toEqual(["a"]);
});

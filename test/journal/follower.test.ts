import { afterEach, expect, test, vi } from "vitest";
import { ClosedError } from "../../src/errors.ts";
import { Follower } from "../../src/journal/follower.ts";
import { memoryStore } from "../../src/store/memory.ts";

afterEach(() => {
  vi.useRealTimers();
});

test.each([
  { when: "before it is closed", isClosed: false },
  { when: "meanwhile", isClosed: true },
])(
  "a reading that finds all closed is a failure for who follows only before it is closed: $when",
  async ({ isClosed }) => {
    const failed = new ClosedError("closed elsewhere");
    const outcomes: unknown[] = [];
    let fail: (error: unknown) => void = () => undefined;
    const follower = new Follower({
      store: memoryStore(),
      readOn: () =>
        new Promise((_, reject) => {
          fail = reject;
        }),
      onRead: (failure) => outcomes.push(failure),
    });
    await follower.start();
    if (isClosed) await follower.close();
    fail(failed);
    await expect.poll(() => outcomes, { timeout: 30_000 }).toEqual([isClosed ? undefined : failed]);
    await follower.close();
  },
);

test.each([
  { end: "it succeeds", isBack: true, told: ["failed", "failed", "read"] },
  { end: "nobody follows any more", isBack: false, told: ["failed", "failed", "failed"] },
])("a reading that failed is tried again though nobody commits, until $end", async ({ isBack, told }) => {
  vi.useFakeTimers();
  let isDown = true;
  const outcomes: string[] = [];
  const follower = new Follower({
    store: memoryStore(),
    readOn: async (begun) => {
      begun();
      if (isDown) throw new Error("the server gives no answer");
    },
    onRead: (failure) => outcomes.push(failure === undefined ? "read" : "failed"),
  });
  await follower.start();
  await vi.advanceTimersByTimeAsync(1000);
  isDown = !isBack;
  await vi.advanceTimersByTimeAsync(1000);
  if (!isBack) await follower.close();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(outcomes).toEqual(told);
  await follower.close();
});

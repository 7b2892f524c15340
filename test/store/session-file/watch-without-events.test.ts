import { expect, test, vi } from "vitest";
import { useFolder } from "./folder.ts";
import { recordTrials, staleAfter, timesEach } from "./trials.ts";

vi.mock("chokidar", () => {
  const deaf = { on: () => deaf, close: () => Promise.resolve() };
  return { watch: () => deaf };
});

const folder = useFolder();

test(
  "where the system tells nothing, no follower stays stale either",
  async () => {
    expect(await staleAfter(folder.path(), timesEach)).toEqual([]);
    const suite = "store/session-file/watch-without-events.test.ts";
    recordTrials(suite, "where the system tells nothing, no follower stays stale", timesEach);
  },
  timesEach * 20_000,
);

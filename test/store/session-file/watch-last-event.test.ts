/** The last event of a burst may be missing, and what it would have told may leave no trace in size and times. */
import { expect, test, vi } from "vitest";
import { watchSession } from "../../../src/store/session-file/watch.ts";
import { useFolder } from "./folder.ts";

const system = vi.hoisted(() => ({ tell: (_event: string): void => undefined }));
vi.mock("chokidar", () => {
  const watcher = {
    on: (name: string, listener: (event: string) => void) => {
      if (name === "all") system.tell = listener;
      return watcher;
    },
    close: () => Promise.resolve(),
  };
  return { watch: () => watcher };
});

const folder = useFolder();

test("a single event wakes at once, and once more when it has been quiet", async () => {
  const { file } = folder.session();
  let wakes = 0;
  const unwatch = await watchSession(file, () => {
    wakes += 1;
  });
  try {
    system.tell("change");
    expect(wakes).toBe(1);
    await vi.waitFor(() => expect(wakes).toBe(2), { timeout: 30_000 });
  } finally {
    await unwatch();
  }
});

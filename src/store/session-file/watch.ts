/**
 * Wakes a reader when the file may have changed. Events of the operating system are a hint: the last of a burst is
 * dropped, and some ways of replacing a file raise none. So every event is followed by a second look, and a slow poll
 * catches the rest.
 */
import fs from "node:fs";

const trailMs = 100;
const pollMs = 500;

export async function watchSession(file: string, wake: () => void): Promise<() => Promise<void>> {
  const { watch } = await import("chokidar");
  let trail: NodeJS.Timeout | undefined;
  let seen = lookOf(file);
  const hint = (): void => {
    seen = lookOf(file);
    wake();
    trail ??= setTimeout(() => {
      trail = undefined;
      wake();
    }, trailMs);
  };
  const watcher = watch(file, { ignoreInitial: true, disableGlobbing: true } as Parameters<typeof watch>[1]);
  watcher.on("all", hint);
  // A watcher that fails leaves the poll.
  watcher.on("error", () => undefined);
  const poll = setInterval(() => {
    if (lookOf(file) !== seen) hint();
  }, pollMs);
  return async () => {
    clearInterval(poll);
    clearTimeout(trail);
    await watcher.close();
  };
}

function lookOf(file: string): string {
  const stats = fs.statSync(file, { throwIfNoEntry: false, bigint: true });
  return stats === undefined ? "" : `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
}

/**
 * Wakes a reader when the file may have changed. Events of the operating system are a hint: the last one of a burst is
 * dropped, and some ways of replacing a file raise none. So every event is followed by another look once it has been
 * quiet, and a slow poll catches what raised none.
 */
import fs from "node:fs";

/** Longer than chokidar holds events of one file back. */
const trailMs = 100;
const pollMs = 400;

export async function watchSession(file: string, wake: () => void): Promise<() => Promise<void>> {
  const { watch } = await import("chokidar");
  let seen = lookOf(file);
  let trail: NodeJS.Timeout | undefined;
  const look = (): void => {
    seen = lookOf(file);
    wake();
  };
  const hint = (): void => {
    wake();
    clearTimeout(trail);
    // @guard trailing-look
    trail = setTimeout(look, trailMs);
  };
  const watcher = watch(file, { ignoreInitial: true });
  watcher.on("all", hint);
  watcher.on("raw", hint);
  // A watcher that fails leaves the poll.
  watcher.on("error", () => undefined);
  const poll = setInterval(() => {
    // @guard poll
    if (lookOf(file) !== seen) hint();
  }, pollMs);
  return async () => {
    clearInterval(poll);
    await watcher.close();
    clearTimeout(trail);
  };
}

/** Differs whenever something happened to the file; "" where there is none to see. */
function lookOf(file: string): string {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = fs.statSync(file, { bigint: true });
    return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch {
    return "";
  }
}

/** Keeps a working-memory file fresh for as long as somebody wants it. */
import type { Change } from "../journal/change.ts";
import type { Journal } from "../journal/journal.ts";

/** Changes that come in a burst are one reason to assemble. */
const quietMs = 250;

/**
 * Calls `assemble` at once, after each change of the journal that is not of a section (those are its own), and after
 * `everyMs` in any case; never twice at a time. Ends with `signal`, and throws what `assemble` throws.
 */
export async function watchMemory(
  journal: Pick<Journal, "onChange">,
  assemble: () => Promise<void>,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
): Promise<void> {
  let isDue = true;
  let wake: () => void = () => undefined;
  const stop = journal.onChange((change) => {
    if (isOwn(change)) return;
    isDue = true;
    wake();
  });
  const onAbort = (): void => wake();
  signal.addEventListener("abort", onAbort);
  const wait = (ms: number, until: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        if (!until()) return;
        clearTimeout(timer);
        resolve();
      };
      wake();
    });
  try {
    while (!signal.aborted) {
      isDue = false;
      await assemble();
      await wait(everyMs, () => isDue || signal.aborted);
      if (isDue) await wait(quietMs, () => signal.aborted);
    }
  } finally {
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}

function isOwn(change: Change): boolean {
  return change.type === "event" && change.event.type.startsWith("section.");
}

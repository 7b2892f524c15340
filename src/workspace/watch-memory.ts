/** Keeps a working-memory file fresh for as long as somebody wants it. */
import type { Change } from "../journal/change.ts";
import type { Journal } from "../journal/public.ts";
import { builtInProviders } from "./built-in.ts";
import { timerMsMax } from "./providers.ts";
import { assemblerName } from "./working-memory.ts";

/** Changes that come in a burst are one reason to assemble. */
const quietMs = 250;

/**
 * Calls `assemble`, which has the built-in providers alone, at once, after each change of the journal that an assembler did not
 * record, and after `everyMs` in any case; never twice at a time. Ends with `signal`, and throws what `assemble` throws.
 */
export async function watchMemory(
  journal: Pick<Journal, "onChange">,
  assemble: () => Promise<unknown>,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const isRecord = await recordsOfAssemblers();
  let isDue = true;
  let wake: () => void = () => undefined;
  const stop = journal.onChange((change) => {
    if (isRecord(change)) return;
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
      await wait(Math.min(everyMs, timerMsMax), () => isDue || signal.aborted);
      if (isDue) await wait(quietMs, () => signal.aborted);
    }
  } finally {
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}

/**
 * What an assembler recorded of its own sections changes no file. Two that record different texts, as for users in two time zones, would
 * else answer each other for ever.
 */
async function recordsOfAssemblers(): Promise<(change: Change) => boolean> {
  // Only who watches has to wait for what compares states.
  const { stepOf } = await import("../journal/compared.ts");
  const names = new Set(builtInProviders({}).map(({ name }) => name));
  return (change) => {
    if (change.type === "reset" || stepOf(change)?.recorded.actor !== assemblerName) return false;
    const { event } = change;
    return (event.type === "section.written" || event.type === "section.cleared") && names.has(event.name);
  };
}

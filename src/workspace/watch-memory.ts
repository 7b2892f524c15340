/** Keeps a working-memory file fresh for as long as somebody wants it. */
import type { Change } from "../journal/change.ts";
import type { Journal } from "../journal/public.ts";
import { type ParsedMemory, parseWorkingMemory } from "../prompt/working-memory.ts";

/** Changes that come in a burst are one reason to assemble. */
const quietMs = 250;

/**
 * Calls `assemble`, which gives the text of the file, at once, after each change of the journal that the text does not
 * show, and after `everyMs` in any case; never twice at a time. Ends with `signal`, and throws what `assemble` throws.
 */
export async function watchMemory(
  journal: Pick<Journal, "onChange">,
  assemble: () => Promise<string>,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
): Promise<void> {
  let isDue = true;
  let wake: () => void = () => undefined;
  /** What the file shows; undefined while it is made, when changes are kept for later. */
  let shown: ParsedMemory["sections"] | undefined;
  let kept: Change[] = [];
  const look = (change: Change): void => {
    if (shown === undefined) kept.push(change);
    else if (!isShown(change, shown)) {
      isDue = true;
      wake();
    }
  };
  const stop = journal.onChange(look);
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
      shown = undefined;
      shown = parseWorkingMemory(await assemble()).sections;
      const changes = kept;
      kept = [];
      for (const change of changes) look(change);
      await wait(everyMs, () => isDue || signal.aborted);
      if (isDue) await wait(quietMs, () => signal.aborted);
    }
  } finally {
    stop();
    signal.removeEventListener("abort", onAbort);
  }
}

/** A section that the assembler recorded is shown if the file has it, or if the file lacks it after it was cleared. */
function isShown(change: Change, sections: ParsedMemory["sections"]): boolean {
  if (change.type !== "event") return false;
  const { event } = change;
  if (event.type === "section.written") return sections[event.name] === event.text;
  return event.type === "section.cleared" && !Object.hasOwn(sections, event.name);
}

/** Opens the session that becomes a child of another. A new file has its first event from the beginning. */
import type { OpenedJournal } from "../journal/journal.ts";
import type { Where } from "../journal/public.ts";
import { isStore, parseAddress } from "./addresses.ts";
import { madeWhole } from "./made-whole.ts";
import type { OpenOptions } from "./open-options.ts";

type Open = (target: Where, options?: OpenOptions) => Promise<OpenedJournal>;
type Begin = (child: OpenedJournal) => Promise<void>;

/** `open` opens the child as its parent was opened. */
export async function openChild(target: Where, begin: Begin, open: Open): Promise<OpenedJournal> {
  const address = isStore(target) ? undefined : parseAddress(target);
  if (address?.kind !== "file") return begun(target, begin, open);
  const { path } = address;
  const child = await madeWhole(path, undefined, async (file, options) => {
    if (file === path) return begun(path, begin, open);
    const made = await begun(file, begin, (place) => open(place, { ...options, follow: false }));
    await made.close();
    return undefined;
  });
  return child ?? open(path);
}

async function begun(target: Where, begin: Begin, open: Open): Promise<OpenedJournal> {
  const child = await open(target);
  try {
    await begin(child);
    return child;
  } catch (error) {
    await child.close();
    throw error;
  }
}

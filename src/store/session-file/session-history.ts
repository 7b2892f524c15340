/** Reads a session file from the start, on a descriptor of its own: independent of what anyone was told. */
import type { FoldPolicy } from "../../event/commit.ts";
import type { RecordedEvent } from "../../event/event.ts";
import type { OpenedSession } from "./session-header.ts";
import { type ReaderSettings, SessionReader } from "./session-reader.ts";

export interface HistoryItem {
  readonly recorded: RecordedEvent;
  /** The head after the commit that holds it; only under policy "file". */
  readonly hash: string;
}

/** In file order; nothing where there is no session file. */
export async function* readHistory(
  settings: Omit<ReaderSettings, "fold"> & { readonly open: () => OpenedSession | undefined },
  fold: FoldPolicy,
): AsyncGenerator<HistoryItem> {
  const opened = settings.open();
  if (opened === undefined) return;
  const { bytes, header } = opened;
  try {
    const reader = new SessionReader(bytes, header, { ...settings, fold });
    for (let more = true; more; ) {
      const items: HistoryItem[] = [];
      more = await reader.readPart({
        reset: () => items.splice(0),
        event: (recorded) => items.push({ recorded, hash: reader.ledger.hash }),
      });
      yield* items;
    }
  } finally {
    bytes.close();
  }
}

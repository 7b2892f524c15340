/** How much of a commit its events take, so that calls which waited together do not outgrow the one line that carries them. */
import { byteCount, escapedLine } from "../action/text.ts";
import type { DraftEvent } from "../event/commit.ts";

/** A commit line holds at most 1 MiB; what remains is for the line around the events. */
export const draftBytesMax = (1 << 20) - 4096;

/** UTF-8 bytes of the events as a line escapes them. */
export function draftBytes(events: readonly DraftEvent[]): number {
  return byteCount(escapedLine(JSON.stringify(events)));
}

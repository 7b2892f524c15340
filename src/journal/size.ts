/** How much of a commit its events take, so that calls which waited together do not outgrow the one line that carries them. */
import { escapedLine } from "../action/text.ts";
import type { DraftEvent } from "../event/commit.ts";

/** A commit line holds at most 1 MiB; what remains is for the line around the events. */
export const draftBytesMax = (1 << 20) - 4096;

/** UTF-8 bytes of the event as a line escapes it, and of what parts it from the next. */
export function draftBytes({ state: _, ...written }: DraftEvent): number {
  const json = JSON.stringify(written);
  const bytes = Buffer.byteLength(json);
  // A line escapes no ASCII beyond what JSON does.
  return (bytes === json.length ? bytes : Buffer.byteLength(escapedLine(json))) + 1;
}

/** Says on standard error that work goes on, where it takes longer than a second. */

import { statSync } from "node:fs";
import { visible } from "../audit/visible.ts";
import { withoutPassword } from "../errors.ts";

export interface MessageStream {
  write(text: string): unknown;
  /** Read when there is something to say. */
  readonly isTTY?: boolean;
}

const silenceMs = 1000;
const everyMs = 250;

/** On a terminal one line that moves on and is gone in the end; elsewhere one line, once. */
export async function showingProgress<Result>(
  stderr: MessageStream,
  where: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const begun = Date.now();
  let isShown = false;
  let next: NodeJS.Timeout;
  const show = (): void => {
    const seconds = Math.floor((Date.now() - begun) / 1000);
    const isTerminal = stderr.isTTY === true;
    const text = visible(`session-journal: at work${sizeText(where)}, ${seconds} s`);
    stderr.write(isTerminal ? `\r${text}` : `${text}\n`);
    isShown = isTerminal;
    if (isTerminal) next = setTimeout(show, everyMs).unref();
  };
  next = setTimeout(show, silenceMs).unref();
  try {
    return await work();
  } finally {
    clearTimeout(next);
    if (isShown) stderr.write("\r\u001b[K");
  }
}

/** " on session.jsonl (812 MB)", as far as it is known. */
function sizeText(where: string): string {
  if (where === "") return "";
  const bytes = statSync(where, { throwIfNoEntry: false })?.size;
  return bytes === undefined
    ? ` on ${withoutPassword(where)}`
    : ` on ${where} (${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB)`;
}

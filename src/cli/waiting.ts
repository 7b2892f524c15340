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
export class Progress {
  readonly #stderr: MessageStream;
  #isShown = false;
  #next: NodeJS.Timeout | undefined;

  constructor(stderr: MessageStream) {
    this.#stderr = stderr;
  }

  async during<Result>(where: string, work: () => Promise<Result>): Promise<Result> {
    const begun = Date.now();
    const show = (): void => {
      const seconds = Math.floor((Date.now() - begun) / 1000);
      const isTerminal = this.#stderr.isTTY === true;
      const text = visible(`session-journal: at work${sizeText(where)}, ${seconds} s`);
      this.#stderr.write(isTerminal ? `\r${text}` : `${text}\n`);
      this.#isShown = isTerminal;
      if (isTerminal) this.#next = setTimeout(show, everyMs).unref();
    };
    this.#next = setTimeout(show, silenceMs).unref();
    try {
      return await work();
    } finally {
      this.end();
    }
  }

  /** Leaves the terminal to somebody else, such as a pager. The work may go on. */
  end(): void {
    clearTimeout(this.#next);
    if (this.#isShown) this.#stderr.write("\r\u001b[K");
    this.#isShown = false;
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

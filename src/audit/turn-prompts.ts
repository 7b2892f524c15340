/** What the user of a host asked, turn by turn, as the host's own lines in the session file say it. */
import type { RecordedEvent } from "../event/event.ts";
import type { TurnPrompt } from "../event/foreign.ts";
import { beginsTurn, isCopiedTurn, isOurs, type SessionLine } from "../line/format.ts";
import { keepBytes } from "../line/plain-message.ts";
import { withoutHalf } from "../options.ts";
import { Waiting } from "./waiting.ts";

const promptUnitsMax = 200;

/** Each turn has the last prompt before its first event. Turns in which nothing was written have none. */
export class TurnPrompts {
  /** These messages stand behind the newest event, in the order of the file. */
  readonly #asked = new Waiting<{ readonly offset: number; readonly text: string }>();
  /** No event can stand behind this one yet: the next takes its place. So most are never parsed. */
  #open: { readonly offset: number; readonly line: SessionLine } | undefined;
  #text = "";
  /** This is the turn of the newest event. */
  #turn = 0;
  #promptedTurn: number | undefined;

  /** Takes the next line of the file. */
  line(line: SessionLine, offset: number): void {
    if (isOurs(line) || line.kind === "value") this.#close();
    if (!beginsTurn(line)) return;
    this.#open = { offset, line };
  }

  /** What was read of the file is about to be overwritten. */
  keep(): void {
    if (this.#open !== undefined) keepBytes(this.#open.line);
  }

  #close(): void {
    if (this.#open === undefined) return;
    const { offset, line } = this.#open;
    this.#asked.push({ offset, text: promptOf(line) });
    this.#open = undefined;
  }

  /** Takes the next event of the history, and answers the prompt of the turn that begins with it. */
  event({ turn, offset = 0 }: Pick<RecordedEvent, "turn" | "offset">): TurnPrompt | undefined {
    if (this.#open !== undefined && this.#open.offset < offset) this.#close();
    this.#text = this.#asked.takeWhile((next) => next.offset < offset).at(-1)?.text ?? this.#text;
    const isFirst = turn !== this.#turn && turn !== this.#promptedTurn;
    this.#turn = turn;
    if (!isFirst || this.#text === "") return undefined;
    this.#promptedTurn = turn;
    return { turn, text: this.#text };
  }
}

/** The prompt is put into one line. */
function promptOf(line: SessionLine): string {
  if (line.kind !== "host" || line.fields === undefined || isCopiedTurn(line)) return "";
  const { content } = (line.fields["message"] ?? {}) as { readonly content?: unknown };
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [{ type: "text", text: content }];
  const texts = blocks.flatMap((block) => {
    if (typeof block !== "object" || block === null || !("text" in block)) return [];
    return typeof block.text === "string" ? [block.text] : [];
  });
  const text = texts.join(" ");
  const usual = inOneLine(text.slice(0, usualUnitsMax));
  const isShort = usual.length < promptUnitsMax && text.length > usualUnitsMax;
  return withoutHalf((isShort ? inOneLine(text.slice(0, promptUnitsMax * 4)) : usual).slice(0, promptUnitsMax));
}

/** So much has as many characters as are shown when white space is gone, as a rule. */
const usualUnitsMax = promptUnitsMax + 40;

export function inOneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

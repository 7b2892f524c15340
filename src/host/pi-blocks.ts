/**
 * Where blocks stand in what pi sends to the model. From one request to the next a block stays where it is, byte for byte,
 * and new ones come behind everything that was sent before: a prompt cache goes on. Nothing of this is saved: places and
 * contents follow from the times of messages and events, after a restart too.
 */
import type { ScratchpadState } from "../state/state.ts";
import type { PiMessage } from "./pi-api.ts";

/** This is an event of the journal, and the state after it. */
export interface EventWithState {
  readonly version: number;
  readonly atMs: number;
  /** The tool call that it came of. */
  readonly command?: string;
  readonly state: ScratchpadState;
}

export interface BlockOptions {
  readonly messages: readonly PiMessage[];
  /** These are all events, in order. */
  readonly history: readonly EventWithState[];
  /** The result is the block of a state. It is "" if there is nothing to show. */
  render(state: ScratchpadState | undefined): string;
  /** Goes with messages of the user only where the block has changed, and every block has a line with its version. */
  readonly onChange: boolean;
  /** The first message of the user shows this while there is no block. */
  readonly invitation: string;
  /** These lines go between the block and that message of the user. */
  hints(message: PiMessage): readonly string[];
}

/** Only the model gets this message. */
export type ShownMessage = PiMessage & { readonly customType: string; readonly display: false };

const blockType = "session-journal:block";

/**
 * Each message of the user has the block of its time before it. Where the state has changed otherwise than by calls of the
 * model that it still sees, and after a compaction, a block stands before the model's next step.
 */
export function withBlocks(options: BlockOptions): PiMessage[] {
  return new Placing(options).placed();
}

interface QueuedEvent {
  readonly event: EventWithState;
  /** This is the index of the first message that comes after the event. */
  readonly before: number;
  /** It changed the block, and the model does not see the call that did. */
  readonly isNews: boolean;
}

class Placing {
  readonly #options: BlockOptions;
  readonly #shown: PiMessage[] = [];
  readonly #start: number;
  readonly #compactedAtMs: number | undefined;
  /** The events stand in the order in which messages come after them. */
  readonly #queue: readonly QueuedEvent[];
  #next = 0;
  #newest: EventWithState | undefined;
  #lastBlock = "";
  #isUnseen: boolean;
  #isFirst = true;

  constructor(options: BlockOptions) {
    const { messages, history } = options;
    this.#options = options;
    this.#compactedAtMs = messages.find(({ role }) => role === "compactionSummary")?.timestamp;
    this.#start = startOf(messages, this.#compactedAtMs);
    this.#isUnseen = this.#compactedAtMs !== undefined;
    this.#queue = this.#queued(history, resultIndexes(messages));
  }

  placed(): PiMessage[] {
    const { messages } = this.#options;
    this.#shown.push(...messages.slice(0, this.#start));
    for (const [offset, message] of messages.slice(this.#start).entries()) {
      this.#moveTo(this.#start + offset);
      if (message.role === "user") this.#shown.push(this.#withPrefix(message));
      else {
        if (message.role === "assistant") this.#showUnseen();
        this.#shown.push(message);
      }
    }
    this.#moveTo(messages.length);
    this.#showUnseen();
    return this.#shown;
  }

  /** Takes the events that come before the message of that index. */
  #moveTo(index: number): void {
    for (let one = this.#queue[this.#next]; one !== undefined && one.before <= index; one = this.#queue[this.#next]) {
      if (one.event.version > (this.#newest?.version ?? 0)) this.#newest = one.event;
      this.#isUnseen ||= one.isNews;
      this.#next += 1;
    }
  }

  #withPrefix(message: PiMessage): PiMessage {
    const { onChange, invitation, hints } = this.#options;
    const first = this.#isFirst ? invitation : "";
    this.#isFirst = false;
    const goes = !onChange || this.#isUnseen || this.#block() !== this.#lastBlock;
    const block = (goes ? this.#takeBlock() : "") || first;
    this.#isUnseen = false;
    return prefixed(message, [block, hints(message).join("\n")]);
  }

  #showUnseen(): void {
    if (!this.#isUnseen) return;
    this.#isUnseen = false;
    const content = this.#takeBlock();
    if (content !== "") this.#shown.push(shownMessage(blockType, content, this.#shown.at(-1)?.timestamp ?? 0));
  }

  #block(): string {
    return this.#options.render(this.#newest?.state);
  }

  /** The result is the text of the block that is shown now. An empty block takes the last one back, if somebody else emptied it. */
  #takeBlock(): string {
    const block = this.#block();
    const version = `Session Scratchpad version ${this.#newest?.version ?? 0}`;
    const isTakenBack = block === "" && this.#lastBlock !== "" && (this.#isUnseen || this.#options.onChange);
    this.#lastBlock = block;
    if (isTakenBack) return `[${version}: empty]`;
    return block !== "" && this.#options.onChange ? `${block}\n[${version}]` : block;
  }

  #queued(history: readonly EventWithState[], results: ReadonlyMap<string, number>): readonly QueuedEvent[] {
    const { render } = this.#options;
    const queued = history.map((event, index) => {
      const result = event.command === undefined ? undefined : results.get(event.command);
      if (result !== undefined) return { event, before: result + 1, isNews: false };
      return {
        event,
        before: this.#indexAfter(event),
        isNews: render(history[index - 1]?.state) !== render(event.state),
      };
    });
    return queued.sort((one, other) => one.before - other.before || one.event.version - other.event.version);
  }

  /** The index of the first message that is younger; none is older than the newest compaction. */
  #indexAfter({ atMs }: EventWithState): number {
    const { messages } = this.#options;
    const oldestMs = this.#compactedAtMs ?? 0;
    const found = messages.findIndex(
      ({ timestamp }, index) => index >= this.#start && Math.max(timestamp, oldestMs) >= atMs,
    );
    return found < 0 ? messages.length : found;
  }
}

/** The first message after the newest compaction, or the one of the user right before it: it was not answered yet. */
function startOf(messages: readonly PiMessage[], compactedAtMs: number | undefined): number {
  if (compactedAtMs === undefined) return 0;
  const found = messages.findIndex(({ role, timestamp }) => role !== "compactionSummary" && timestamp >= compactedAtMs);
  const start = found < 0 ? messages.length : found;
  return messages[start - 1]?.role === "user" ? start - 1 : start;
}

function resultIndexes(messages: readonly PiMessage[]): ReadonlyMap<string, number> {
  const results = new Map<string, number>();
  for (const [index, message] of messages.entries()) {
    const { toolCallId } = message as { readonly toolCallId?: unknown };
    if (message.role === "toolResult" && typeof toolCallId === "string") results.set(toolCallId, index);
  }
  return results;
}

export function shownMessage(customType: string, content: string, timestamp: number): ShownMessage {
  return { role: "custom", customType, content, display: false, timestamp };
}

/** The result is the message with those paragraphs before its text. */
function prefixed(message: PiMessage, paragraphs: readonly string[]): PiMessage {
  const prefix = paragraphs.filter((paragraph) => paragraph !== "").join("\n\n");
  if (prefix === "") return message;
  const { content = "" } = message;
  if (typeof content === "string") return { ...message, content: `${prefix}\n\n${content}` };
  const [first, ...rest] = content;
  const isText = first?.type === "text";
  const text = isText ? `${prefix}\n\n${first.text}` : prefix;
  return { ...message, content: [{ type: "text", text }, ...(isText ? rest : content)] };
}

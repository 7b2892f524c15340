import fc from "fast-check";
import { expect, test } from "vitest";
import type { PiMessage } from "../../src/host/pi-api.ts";
import { type EventWithState, withBlocks } from "../../src/host/pi-blocks.ts";
import { renderBlock } from "../../src/prompt/block.ts";
import { initialState } from "../../src/state/state.ts";

type Step = "question" | "call" | "tool" | "others" | "compaction" | "restart";

/** A conversation as pi holds it, and what was sent of it with each call of the model. */
class Conversation {
  messages: PiMessage[] = [];
  readonly history: EventWithState[] = [];
  readonly onChange: boolean;
  sent: PiMessage[] | undefined;
  #now = 1;
  #calls = 0;

  constructor(onChange: boolean) {
    this.onChange = onChange;
  }

  step(step: Step): void {
    this.#now += 1;
    switch (step) {
      case "question":
        this.messages.push({ role: "user", content: "What is next?", timestamp: this.#now });
        this.#ask("Answer.");
        break;
      case "call":
        this.#ask("Calling.");
        this.#write(`by call ${this.#calls}`, `toolu_${this.#calls}`);
        this.#result("wrote");
        break;
      case "tool":
        this.#ask("Reading.");
        this.#result("read");
        break;
      case "others":
        this.#write(`by others ${this.#now}`);
        break;
      case "compaction": {
        const kept = this.messages.slice(-2).filter(({ role }) => role === "user" || role === "assistant");
        this.messages = [{ role: "compactionSummary", content: "A summary.", timestamp: this.#now }, ...kept];
        this.sent = undefined;
        break;
      }
      case "restart":
        this.messages = structuredClone(this.messages);
        break;
    }
  }

  #ask(answer: string): void {
    const { messages, history, onChange } = this;
    const render = (state = initialState) => renderBlock(state);
    const shown = withBlocks({ messages, history, render, onChange, invitation: "", hints: () => [] });
    if (this.sent !== undefined) expect(shown.slice(0, this.sent.length)).toEqual(this.sent);
    expect(notesIn(shown)).toBe(history.at(-1)?.state.notes ?? "");
    this.sent = shown;
    this.#now += 1;
    messages.push({ role: "assistant", content: answer, timestamp: this.#now });
  }

  #write(notes: string, command?: string): void {
    const event = { version: this.history.length + 1, atMs: this.#now, state: { ...initialState, notes } };
    this.history.push(command === undefined ? event : { ...event, command });
  }

  #result(what: "wrote" | "read"): void {
    const content = `${what}: by call ${this.#calls}`;
    const message = { role: "toolResult", toolCallId: `toolu_${this.#calls}`, content };
    this.#calls += 1;
    this.#now += 1;
    this.messages.push({ ...message, timestamp: this.#now });
  }
}

/** What the last block or result of a writing call says. */
function notesIn(shown: readonly PiMessage[]): string {
  const said = shown.map(({ content }) => /(?:\[Session Scratchpad\]\n|wrote: )(by .*)/.exec(String(content))?.[1]);
  return said.findLast((notes) => notes !== undefined) ?? "";
}

const step = fc.constantFrom<Step>("question", "call", "tool", "others", "compaction", "restart");

test("whatever happens, each call sees the newest state, and what was sent stays until a compaction", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), fc.boolean(), (steps, onChange) => {
      const conversation = new Conversation(onChange);
      conversation.step("question");
      for (const one of steps) conversation.step(one);
    }),
  );
});

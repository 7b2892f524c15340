/** The last word before a compaction, as pi's session remembers it: once for each compaction, whatever process runs. */

import type { Face } from "../prompt/block.ts";
import { compactionWarning, createCompactionGuard } from "../prompt/compaction.ts";
import type { PiApi, PiContext, PiEntry, PiMessage } from "./pi-api.ts";

export interface WarningOptions {
  readonly face: Face;
  readonly reserveTokens: number;
  readonly warnAt: number;
}

/** An entry of this type says when the agent was warned. It is not part of the conversation. */
export const warningType = "session-journal:compaction-warning";

export class PiWarning {
  readonly #pi: Pick<PiApi, "appendEntry">;
  readonly #options: WarningOptions;
  /** Another call of the model follows the one that ended last. */
  #goesOn = false;
  #warned: string[] = [];

  constructor(pi: Pick<PiApi, "appendEntry">, options: WarningOptions) {
    this.#pi = pi;
    this.#options = options;
  }

  turnEnded(toolResults: number): void {
    this.#goesOn = toolResults > 0;
  }

  /** The warnings that were given since this was asked last. */
  taken(): readonly string[] {
    const taken = this.#warned;
    this.#warned = [];
    return taken;
  }

  /** For the next call of the model, until one has answered it. */
  due(context: PiContext, messages: readonly PiMessage[]): string | undefined {
    const warned = warningIn(context);
    if (warned !== undefined) return isHeard(messages, Date.parse(warned.timestamp)) ? undefined : this.#text();
    if (!this.#isDue(context)) return undefined;
    this.#warn();
    return this.#text();
  }

  /**
   * A tool's result may fill the window at one stroke, and newer clients compact before the call that would read it. That
   * call comes first where the agent was not warned and half of the reserve is left for it.
   */
  delays(context: PiContext, reason: string | undefined, tokens: number): boolean {
    if (reason !== "threshold" || !this.#goesOn || warningIn(context) !== undefined) return false;
    const { contextWindow } = context.getContextUsage() ?? { contextWindow: 0 };
    if (tokens > contextWindow - this.#options.reserveTokens / 2) return false;
    this.#warn();
    return true;
  }

  #warn(): void {
    this.#pi.appendEntry(warningType, {});
    this.#warned.push(this.#text());
  }

  #isDue(context: PiContext): boolean {
    const { tokens, contextWindow } = context.getContextUsage() ?? { tokens: null, contextWindow: 0 };
    if (tokens === null || contextWindow <= 0) return false;
    const { reserveTokens, warnAt } = this.#options;
    const reserve = reserveTokens < contextWindow ? reserveTokens : 0;
    const guard = createCompactionGuard({ windowTokens: contextWindow, reserveTokens: reserve, warnAt });
    return guard.reading(tokens).do === "warn";
  }

  /** An agent that only says that it is done would end its run there. */
  #text(): string {
    return `${compactionWarning(this.#options.face)}\nThen go on with what you were asked: the answer is still to come.`;
  }
}

/** The result is the warning since the newest compaction. */
function warningIn({ sessionManager }: PiContext): PiEntry | undefined {
  const branch = sessionManager.getBranch();
  const since = branch.slice(branch.findLastIndex(({ type }) => type === "compaction") + 1);
  return since.findLast((entry) => (entry as { readonly customType?: unknown }).customType === warningType);
}

function isHeard(messages: readonly PiMessage[], warnedAtMs: number): boolean {
  return messages.some((message) => {
    const { stopReason } = message as { readonly stopReason?: unknown };
    const answered = stopReason !== "error" && stopReason !== "aborted";
    return message.role === "assistant" && message.timestamp >= warnedAtMs && answered;
  });
}

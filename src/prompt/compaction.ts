/** The last word before a compaction: the agent gets one more turn to write down what it must not lose. */
import { requireOptions } from "../options.ts";
import { type Face, requireFace } from "./block.ts";

/** These are the options of {@link createCompactionGuard}. */
export interface CompactionGuardOptions {
  /** This is the model's context window in tokens. */
  readonly windowTokens: number;
  /** These tokens of the window are kept free for an answer. The default is 0. The rest is the effective window. */
  readonly reserveTokens?: number;
  /** This is the share of the effective window at which a compaction falls due, above 0 and up to 1. The default is 0.85. */
  readonly warnAt?: number;
  /** The warning has the wording of this face. The default is "scratchpad". */
  readonly face?: Face;
}

/** This is what the host does next: call the model, call it with `text` as a system message, or compact. */
export type GuardStep =
  | { readonly do: "continue" }
  | { readonly do: "warn"; readonly text: string }
  | { readonly do: "compact" };

/**
 * A cycle is: continue…, warn once, compact. It asks for a compaction at every reading after the warning until the host
 * says that it compacted, and for none without a warning, also when one step jumped over the whole window.
 */
export interface CompactionGuard {
  /** Ask this before each call of the model, inside a long run, too. `usedTokens` is what the call would send. */
  reading(usedTokens: number): GuardStep;
  /** The host compacted, asked or not: a new cycle begins. Tell `composePrompt` with `compacted: true`. */
  compacted(): void;
}

/**
 * Makes a guard that says when to warn an agent, and when to compact its conversation.
 *
 * @param options The size of the window, and when to warn. Sizes are in tokens.
 * @throws TypeError for an option or face that does not exist, and for numbers that leave no window.
 * @example
 * const guard = createCompactionGuard({ windowTokens: 200_000, reserveTokens: 20_000 });
 * guard.reading(161_000).do; // "warn"
 */
export function createCompactionGuard(options: CompactionGuardOptions): CompactionGuard {
  requireOptions(options, "windowTokens", "reserveTokens", "warnAt", "face");
  const { windowTokens, reserveTokens = 0, warnAt = 0.85, face = "scratchpad" } = options;
  assertWindow(windowTokens, reserveTokens, warnAt);
  requireFace(face);
  const dueTokens = (windowTokens - reserveTokens) * warnAt;
  let warned = false;
  return {
    reading(usedTokens) {
      if (!(usedTokens >= 0)) throw new TypeError(`usedTokens must be a number of at least 0, not ${usedTokens}`);
      if (warned) return { do: "compact" };
      if (usedTokens < dueTokens) return { do: "continue" };
      warned = true;
      return { do: "warn", text: compactionWarning(face) };
    },
    compacted() {
      warned = false;
    },
  };
}

/**
 * Gives the text of the warning, for hosts that watch their window themselves.
 *
 * @param face The face whose tools the text names.
 * @throws TypeError for a face that does not exist.
 * @example
 * if (usedTokens > windowTokens * 0.85) messages.push({ role: "system", content: compactionWarning("notepad") });
 */
export function compactionWarning(face: Face = "scratchpad"): string {
  return warnings[requireFace(face)];
}

const scratchpadWarning = [
  "[System] The context is close to its token limit: it will be compacted after your next response.",
  "Bring your session scratchpad up to date now with the plan, findings and references that you still need.",
  "Compaction may summarize the conversation, but the scratchpad stays as you leave it.",
].join("\n");

const warnings: { readonly [Name in Face]: string } = {
  scratchpad: scratchpadWarning,
  "single-key": scratchpadWarning,
  notepad: [
    "[System] Context is approaching the token limit and will be compacted after your next response.",
    "Review your session notepad and update it with any working state, findings, or progress you",
    "need to preserve. Conversation details may be summarized during compaction, but the notepad",
    "is kept in full.",
  ].join("\n"),
  pad: scratchpadWarning,
};

function assertWindow(windowTokens: number, reserveTokens: number, warnAt: number): void {
  if (!(windowTokens > 0)) throw new TypeError(`windowTokens must be above 0, not ${windowTokens}`);
  if (!(reserveTokens >= 0 && reserveTokens < windowTokens)) {
    throw new TypeError(
      `reserveTokens must be at least 0 and below windowTokens (${windowTokens}), not ${reserveTokens}`,
    );
  }
  if (!(warnAt > 0 && warnAt <= 1)) throw new TypeError(`warnAt must be above 0 and at most 1, not ${warnAt}`);
}

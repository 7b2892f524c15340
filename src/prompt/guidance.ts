/** What the system prompt says about the scratchpad: how it works, when to write, and what not to. */
import { defaultLimits, type Limits } from "../action/limits.ts";
import { requireChoice, requireOptions } from "../options.ts";
import { type Face, requireFace } from "./block.ts";
import { type NudgeSettings, nudgeNames } from "./nudges.ts";

/** These are the options of {@link renderGuidance}. */
export interface GuidanceOptions {
  /** The default is "scratchpad". */
  readonly face?: Face;
  /**
   * The tool is registered under this name. The default is `session_scratchpad`. Notepad and pad have several tools, with fixed
   * names.
   */
  readonly toolName?: string;
  /** These are the budgets in force, for the three spaces. */
  readonly limits?: Partial<Limits>;
  /** This is the budget in force, for the single key. The default is 2000. */
  readonly maxTokens?: number;
  /** If any of them is on, a line explains hints. */
  readonly nudges?: NudgeSettings;
  /** With false, there is nothing to explain, and the text is empty. The default is true. */
  readonly enabled?: boolean;
  /** This says how the block is sent; "on-request" means that the host sends none. The default is "every-message". */
  readonly send?: SendMode | "on-request";
}

/**
 * This is when a block goes with a message: always, or only when it differs from the last one sent. The latter is for hosts
 * whose model still sees earlier messages as they were sent.
 */
export type SendMode = "every-message" | "on-change";

export const sendModes: readonly SendMode[] = ["every-message", "on-change"];

export const defaultMaxTokens = 2000;

/**
 * Renders a section for the system prompt, without a line feed at its end. A whole configuration may be given, too.
 *
 * @param options The face, the budgets in force, and how the block is sent.
 * @throws TypeError for an option that does not exist.
 * @example
 * const guidance = renderGuidance({ limits: journal.limits });
 */
export function renderGuidance(options: GuidanceOptions = {}): string {
  requireOptions(options, "face", "toolName", "limits", "maxTokens", "nudges", "send", "enabled", "record");
  const { face = "scratchpad", enabled = true, send } = options;
  requireFace(face);
  if (send !== undefined) requireChoice([...sendModes, "on-request"], send, "send");
  if (!enabled) return "";
  const text = faceGuidance(face, options);
  const hinted = nudgeNames.some((name) => (options.nudges?.[name] ?? 0) > 0);
  return hinted ? `${text}\n\n${hintGuidance}` : text;
}

function faceGuidance(face: Face, options: GuidanceOptions): string {
  const { toolName = "session_scratchpad", maxTokens = defaultMaxTokens, send = "every-message" } = options;
  switch (face) {
    case "scratchpad":
      return scratchpadGuidance(toolName, { ...defaultLimits, ...options.limits }, send);
    case "single-key":
      return singleKeyGuidance(toolName, maxTokens, send);
    case "notepad":
      return notepadGuidance;
    case "pad":
      return padGuidance;
  }
}

const hintGuidance =
  "A line `[Hint: …]` before a message is an automatic reminder about the scratchpad, not part of what the user wrote: act on it if it applies.";

function scratchpadGuidance(toolName: string, limits: Limits, send: keyof typeof shown): string {
  return `## Session Scratchpad

The tool \`${toolName}\` keeps your working memory for this session. It survives context compaction and restarts. ${shown[send]}

Spaces:
- notes, up to ${limits.notes} chars: unstructured working memory: findings, decisions, constraints, partial state
- plan, up to ${limits.plan} chars: the current multi-step plan as a concise ordered list
- refs, up to ${limits.refs} items: atomic references: file paths, URLs, PR links, identifiers

Actions:
- \`set_notes\` (content): replaces notes; what exceeds ${limits.notes} chars is cut off, with a warning
- \`append_notes\` (content): adds to notes on a new line; rejected if the whole would exceed ${limits.notes} chars: then shorten with \`set_notes\`
- \`set_plan\` (content): replaces plan; what exceeds ${limits.plan} chars is cut off, with a warning
- \`refs.add\` (ref): adds one; with ${limits.refs} there, the oldest drops out
- \`refs.remove\` (ref): removes the first exact match; an error if there is none
- \`refs.set\` (items): replaces all refs; the first ${limits.refs} are kept
- \`read\`: shows all three spaces

Write when you
- form a plan of several steps: \`set_plan\` at once
- find a key fact, such as an error, a setting or a cause: \`append_notes\`
- come across a file or URL that will be needed again: \`refs.add\`
- finish a step: \`set_plan\` with the new status
- see a space getting full: rewrite it shorter

Do not write full file contents, conversation history, speculative ideas, or the user's original request.`;
}

const shown: { readonly [Mode in SendMode | "on-request"]: string } = {
  "every-message": "What it holds is shown to you before each message.",
  "on-change":
    "What it holds is shown to you whenever it has changed; of several blocks the one with the highest version counts.",
  "on-request": "It is not shown to you by itself: `read` it at the start, and after a compaction.",
};

function singleKeyGuidance(toolName: string, maxTokens: number, send: keyof typeof singleKeyShown): string {
  return `## Session Scratchpad
You have a persistent scratchpad tool (${toolName}) that survives context compaction.
Use it to save: multi-step plans, key findings, important decisions, accumulated state.
${singleKeyShown[send]} Budget: ~${maxTokens} tokens.
Call ${toolName} with mode "replace" to overwrite, or "append" to add incrementally.`;
}

const singleKeyShown: { readonly [Mode in SendMode | "on-request"]: string } = {
  "every-message": "The scratchpad is prepended to each message you receive.",
  "on-change":
    "The scratchpad is prepended to a message whenever it has changed; of several blocks the last one counts.",
  "on-request": "It is not shown to you by itself: read it at the start, and after a compaction.",
};

const notepadGuidance =
  "For multi-step or complex tasks, use the session notepad to track your plan and record findings as you work. The notepad survives context compaction — conversation details may be summarized, but the notepad is preserved in full. Update it after significant findings or completed steps.";

const padGuidance = `## Scratchpad

You have access to a scratchpad — a durable key-value store that survives
the context window. Use it whenever you discover or decide something you
expect to need more than two turns later.

Examples of what to write to the scratchpad:

- Plans you commit to. If you decide on a 5-step approach, write it to
  "plan" immediately. Read it back when you're unsure of your next step.
- Findings from expensive tools. If you ran a 10-second database query,
  store the result in "query-result-1" so you don't have to re-run it.
- Constraints the user has expressed. "No changes to production" goes to
  "constraints" and stays there for the session.
- Decisions you don't want to revisit. "Using port 8081 because 8080 is
  taken" goes to "port-decision".

Call scratchpad_list() at the start of a session to see what's already
stored. Call scratchpad_read(key) to retrieve values you remember writing.
Call scratchpad_write(key, content) to persist. Use short keys:
"plan", "constraints", "query-result-1".

The scratchpad is durable. What you write here will be readable by future
sessions (including yourself, tomorrow) that are given it. Treat it like a
shared notebook.`;

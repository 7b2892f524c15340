/**
 * This entry point makes what a model is shown: the block, the guidance, hints and warnings.
 *
 * @module session-journal/prompt
 */
export { emptyNotepadHint, type Face, faces, renderBlock } from "../prompt/block.ts";
export {
  type CompactionGuard,
  type CompactionGuardOptions,
  compactionWarning,
  createCompactionGuard,
  type GuardStep,
} from "../prompt/compaction.ts";
export { type ComposedPrompt, type ComposeOptions, composePrompt } from "../prompt/compose.ts";
export { configFromEnvironment, parseConfig, type ScratchpadConfig } from "../prompt/config.ts";
export {
  configSchema,
  type ObjectSchema as ConfigObjectSchema,
  type Schema as ConfigSchema,
  type ValueSchema as ConfigValueSchema,
} from "../prompt/config-schema.ts";
export { type GuidanceOptions, renderGuidance, type SendMode } from "../prompt/guidance.ts";
export type { JournalView } from "../prompt/journal-view.ts";
export {
  createNudges,
  type Nudge,
  type NudgeOptions,
  type NudgePace,
  type NudgeSettings,
  type Nudges,
} from "../prompt/nudges.ts";

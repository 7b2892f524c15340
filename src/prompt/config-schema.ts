/** This file has the configuration as JSON Schema: `config.ts` checks against it, and editors complete from it. */
import { defaultLimits, type Limits } from "../action/limits.ts";
import { faces } from "./block.ts";
import { defaultMaxTokens, sendModes } from "./guidance.ts";
import type { NudgePace, NudgeSettings } from "./nudges.ts";

/** This is the part of JSON Schema (2020-12) that the configuration needs. */
export type Schema = ValueSchema | ObjectSchema;

/** This is the schema of one setting. */
export type ValueSchema =
  | { readonly type: "boolean"; readonly default: boolean; readonly description: string }
  | { readonly type: "integer"; readonly minimum: 0; readonly default: number; readonly description: string }
  | { readonly enum: readonly string[]; readonly default: string; readonly description: string };

export interface ObjectSchema {
  readonly type: "object";
  readonly additionalProperties: false;
  readonly description: string;
  readonly properties: { readonly [name: string]: Schema };
}

const limits: { readonly [Name in keyof Limits]: Schema } = {
  notes: count(defaultLimits.notes, "Budget of notes, in UTF-16 code units."),
  plan: count(defaultLimits.plan, "Budget of the plan, in UTF-16 code units."),
  refs: count(defaultLimits.refs, "How many refs are kept."),
  entry: count(defaultLimits.entry, "Budget of one entry, in UTF-8 bytes."),
  entriesTotal: count(defaultLimits.entriesTotal, "Budget of all entries together, in UTF-8 bytes."),
  sections: count(defaultLimits.sections, "How many sections are kept."),
};

const nudges: { readonly [Name in keyof (NudgeSettings & NudgePace)]-?: Schema } = {
  nudgeAfterTurns: count(0, "Hint when the scratchpad is empty after so many turns; 0 is off."),
  nudgeOnPlanDetected: count(0, "1: hint when the assistant laid out a plan and the scratchpad is empty; 0 is off."),
  nudgeAfterCompaction: count(0, "1: hint after the conversation was compacted; 0 is off."),
  nudgeTurnsSinceLastUse: count(0, "Hint when the scratchpad has content, untouched for so many turns; 0 is off."),
  coolDownTurns: count(5, "A hint of one kind comes at most once in so many turns."),
  backOff: count(1, "Each hint that nothing followed makes that time so many times longer; 1 is off."),
};

/** This is the JSON Schema of the configuration. */
export const configSchema: ObjectSchema & { readonly $schema: string; readonly title: string } = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "session-journal configuration",
  ...group("How an agent sees its scratchpad.", {
    enabled: { type: "boolean", default: true, description: "False: no tool, block, guidance or hint." },
    limits: group("Budgets.", limits),
    nudges: group("Hints, all off by default.", nudges),
    send: {
      enum: sendModes,
      default: "every-message",
      description: "Whether the block goes with every message, or only with the first one after a change.",
    },
    face: { enum: faces, default: "scratchpad", description: "Which of the scratchpads the agent sees." },
    record: {
      type: "boolean",
      default: false,
      description: "Record in the journal what the model is shown: the digest of each block, hints and warnings.",
    },
    maxTokens: count(defaultMaxTokens, "Budget of the single-key scratchpad, in tokens."),
  }),
};

/** Older runtimes configure this under `agents.defaults.claudeSdk.scratchpad`. */
export const olderConfigSchema: ObjectSchema = group("The single-key scratchpad.", {
  enabled: configSchema.properties["enabled"] as Schema,
  maxTokens: configSchema.properties["maxTokens"] as Schema,
});

function group(description: string, properties: ObjectSchema["properties"]): ObjectSchema {
  return { type: "object", additionalProperties: false, description, properties };
}

function count(initial: number, description: string): Schema {
  return { type: "integer", minimum: 0, default: initial, description };
}

import type { Answer } from "../action/answer.ts";
import { answerProperties } from "../action/schemas.ts";
import type { ObjectSchema } from "../event/json-schema.ts";

/** This is an `Answer` as JSON Schema. Hosts may leave `events` out, because a model has no use for them. */
export const answerSchema: ObjectSchema = {
  type: "object",
  properties: { ...answerProperties, events: { ...answerProperties.events, items: { type: "object" } } },
  // Hosts leave use and budget out where they are of no space.
  required: ["ok", "message", "version", "warnings"],
};

/** A refusal that a tool gives itself, before the journal is asked. */
export function refusal(code: "unknown_action" | "invalid_argument", message: string, version: number): Answer {
  return { ok: false, message, code, version, space: null, used: 0, limit: 0, warnings: [], events: [] };
}

/** The text has one line for the message, and a line for each warning. */
export function answerText({ message, warnings }: Answer): string {
  return withWarnings(message, warnings);
}

export function withWarnings(message: string, warnings: readonly string[]): string {
  return [message, ...warnings.map((warning) => `warning: ${warning}`)].join("\n");
}

/** A refusal names the action that was refused; an agent knows it by the name of its tool. */
export function underToolName(message: string, action: string, toolName: string): string {
  return message.startsWith(`${action} rejected`) ? toolName + message.slice(action.length) : message;
}

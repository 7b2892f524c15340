/** JSON Schema for every action, event and answer: made of what reads them, so that both say the same. */
import type { RecordedRefusalCode, Space } from "../event/event.ts";
import { type JsonSchema, type ObjectSchema, objectSchema } from "../event/json-schema.ts";
import { fieldsSchema, readRefusalCode, readSpace } from "../event/read.ts";
import { eventTypes } from "../event/types.ts";
import { currentSchema } from "../event/upcast.ts";
import { requireChoice } from "../options.ts";
import { editParametersOf, type Parameters, parametersOf } from "./actions.ts";
import type { Answer, AnswerCode } from "./answer.ts";

/** This is what there is a JSON Schema of. */
export type SchemaName = "action" | "answer" | "event";

const schemaNames: readonly SchemaName[] = ["action", "answer", "event"];

/** What the journal answers, beside `events`: hosts may leave those out, for a model has no use for them. */
export const answerProperties: { readonly [Field in keyof Answer]-?: JsonSchema } = {
  ok: { type: "boolean", description: "False: refused, nothing changed." },
  message: { type: "string", description: "What happened, with use against budget." },
  code: { type: "string", description: "Why it was refused." },
  version: { type: "integer", minimum: 0, description: "Version of the scratchpad afterwards." },
  space: { type: ["string", "null"], description: "The space that used and limit are of." },
  used: { type: "number", minimum: 0 },
  limit: { type: "integer", minimum: 0 },
  warnings: { type: "array", items: { type: "string" } },
  events: { type: "array", description: "What was recorded." },
  existing: { type: "string", description: "The ref that was there already: nothing was recorded." },
};

/** Codes that only answers have. */
const answerCodes = {
  unknown_action: true,
  invalid_argument: true,
  invalid_key: true,
  too_large: true,
  not_applied: true,
} satisfies { readonly [Code in Exclude<AnswerCode, RecordedRefusalCode>]: true };

/**
 * Gives the JSON Schema (draft 2020-12) of every action, every event or every answer. Each type has its own definition, such as
 * `#/$defs/set_notes` or `#/$defs/notes.set`. `$id` ends in the version of the schema.
 *
 * @param name What the schema is of: "action", "event" or "answer".
 * @throws TypeError for another name.
 * @example
 * jsonSchema("event").$id; // "urn:session-journal:event:1"
 */
export function jsonSchema(name: SchemaName): JsonSchema {
  switch (requireChoice(schemaNames, name, "name")) {
    case "action":
      return choice("action", "What can be asked of a journal", actionSchemas());
    case "event":
      return choice("event", "What has happened to a journal", eventSchemas());
    case "answer":
      return answerSchema();
  }
}

const draft = "https://json-schema.org/draft/2020-12/schema";

/** A name, not an address: nothing is to be fetched. */
function idOf(name: SchemaName): string {
  return `urn:session-journal:${name}:${currentSchema}`;
}

function choice(name: SchemaName, title: string, $defs: { readonly [name: string]: JsonSchema }): JsonSchema {
  return { $schema: draft, $id: idOf(name), title, oneOf: referencesTo($defs), $defs };
}

function referencesTo(definitions: { readonly [name: string]: JsonSchema }): readonly JsonSchema[] {
  return Object.keys(definitions).map((name) => ({ $ref: `#/$defs/${name}` }));
}

/** Fields that it does not name may come with a later version, and in a line `actor` and `command` stand beside them. */
function eventSchemas(): { readonly [type: string]: JsonSchema } {
  return Object.fromEntries(Object.entries(eventTypes).map(([type, { fields }]) => [type, eventSchema(type, fields)]));
}

/** What no line is read as has the fields that it has in a history. */
function eventSchema(type: string, fields: object | null): ObjectSchema {
  const { properties, required } =
    fields === null
      ? objectSchema({ name: { type: "string" }, payload: {} }, ["name", "payload"])
      : fieldsSchema(fields);
  return objectSchema({ type: { const: type }, ...properties }, ["type", ...required]);
}

/** A misspelt parameter must not pass for one that was left out. */
function actionSchemas(): { readonly [action: string]: JsonSchema } {
  const { edit_notes: _, ...others } = parametersOf;
  const plain = Object.entries(others).map(([action, parameters]) => [action, actionSchema(action, parameters)]);
  const edits = Object.entries(editParametersOf).flatMap(([operation, ways]) =>
    ways.map((parameters) => actionSchema("edit_notes", parameters, { operation: { const: operation } })),
  );
  return { ...Object.fromEntries(plain), edit_notes: { oneOf: edits } };
}

function actionSchema(action: string, parameters: Parameters, fixed: ObjectSchema["properties"] = {}): JsonSchema {
  const asked = Object.entries(parameters);
  const properties = Object.fromEntries(asked.map(([name, { schema }]) => [name, schema]));
  const required = asked.flatMap(([name, { isOptional }]) => (isOptional ? [] : [name]));
  const all = objectSchema({ action: { const: action }, ...fixed, ...properties }, [
    "action",
    ...Object.keys(fixed),
    ...required,
  ]);
  return { ...all, additionalProperties: false };
}

function answerSchema(): JsonSchema {
  const { code, space, events } = answerProperties;
  const definitions = eventSchemas();
  const properties = {
    ...answerProperties,
    code: { ...code, enum: [...(readRefusalCode.schema["enum"] as readonly string[]), ...Object.keys(answerCodes)] },
    space: { ...space, enum: [...(readSpace.schema["enum"] as readonly Space[]), null] },
    events: { ...events, items: { oneOf: referencesTo(definitions) } },
  };
  const required = Object.keys(properties).filter((name) => name !== "code" && name !== "existing");
  return {
    $schema: draft,
    $id: idOf("answer"),
    title: "What a journal answers to an action",
    ...objectSchema(properties, required),
    if: { properties: { ok: { const: true } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    then: { properties: { code: false } },
    else: { required: ["code"] },
    $defs: definitions,
  };
}

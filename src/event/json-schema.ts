/** This file has what JSON Schema (draft 2020-12) needs: what is read from the outside says beside its code which shape that has. */

/** This is a JSON Schema (2020-12). */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** This is a JSON Schema of an object. */
export interface ObjectSchema extends JsonSchema {
  readonly type: "object";
  readonly properties: { readonly [name: string]: JsonSchema };
  readonly required: readonly string[];
}

/**
 * The result is the reader, with the shape that it takes as its `schema`. A reader that has a schema already throws a TypeError: whoever
 * reads with it elsewhere, or publishes its shape, would get the other one. A shape that is made of others is a function, which is
 * called where the shape is asked for: hardly any program does.
 */
export function described<Read extends (...values: never[]) => unknown>(
  schema: JsonSchema | (() => JsonSchema),
  read: Read,
): Read & { readonly schema: JsonSchema } {
  if (Object.hasOwn(read, "schema"))
    throw new TypeError(`the reader ${read.name} says its shape already: use it as it is`);
  if (typeof schema === "object") return Object.assign(read, { schema });
  return Object.defineProperty(read, "schema", { get: schema, enumerable: true }) as Read & { schema: JsonSchema };
}

export function objectSchema(properties: ObjectSchema["properties"], required: readonly string[]): ObjectSchema {
  return { type: "object", properties, required };
}

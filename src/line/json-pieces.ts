/** JSON in pieces: of a value with very long texts, the whole text may not fit into memory beside the value. */

const pieceUnits = 64 * 1024;

/** Together the pieces are what `JSON.stringify` prints of a value without methods. */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = "";
  for (const part of partsOf(value)) {
    piece += part;
    if (piece.length < pieceUnits) continue;
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/**
 * The result is the value as `JSON.parse` would give it back, with the same texts and not copies of them. It is undefined if the value has
 * no JSON.
 */
export function withoutMethods(value: unknown): unknown {
  if (typeof value === "function") return undefined;
  if (typeof value !== "object" || value === null) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return withoutMethods(value.toJSON());
  if (Array.isArray(value)) return value.map(withoutMethods);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutMethods(each)]));
}

function* partsOf(value: unknown): Generator<string> {
  if (typeof value === "string" && value.length > pieceUnits) yield* partsOfText(value);
  else if (Array.isArray(value))
    yield* partsOfList(
      "[",
      value.map((each) => ["", each] as const),
      "]",
    );
  else if (typeof value === "object" && value !== null) yield* partsOfList("{", namedIn(value), "}");
  else yield JSON.stringify(value) ?? "null";
}

function namedIn(value: object) {
  const given = Object.entries(value).filter(([, each]) => each !== undefined);
  return given.map(([name, each]) => [`${JSON.stringify(name)}:`, each] as const);
}

function* partsOfList(begin: string, list: readonly (readonly [string, unknown])[], end: string): Generator<string> {
  yield begin;
  for (const [index, [name, each]] of list.entries()) {
    yield index === 0 ? name : `,${name}`;
    yield* partsOf(each);
  }
  yield end;
}

function* partsOfText(text: string): Generator<string> {
  yield '"';
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = Math.min(from + pieceUnits, text.length);
    // Half a character would be printed as an escape.
    while (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to += 1;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
  }
  yield '"';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

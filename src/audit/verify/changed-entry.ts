/**
 * Is an entry that its id does not prove one of ours, of which a single character was changed? Every such character is
 * tried, but none that our writer cannot have written there: a digest for each is what the search costs.
 */
import { type EntryFields, entryIdFor } from "../../line/chain.ts";
import { canonicalJson, isTooDeep } from "../../line/json.ts";

/** In a shape, `x` is a digit of base 16, and `0` one of base 10. Anything else stands for itself. */
const shapes = {
  id: "xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx",
  uuid: "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx",
  time: "0000-00-00T00:00:00.000Z",
};

/** Ids and times that have no shape of ours are made of these. */
const alphabet = "0123456789abcdef-T:.Z";

/** The salt of an id stands from here on. What stands before is a digest. */
const saltStart = 20;

/** `idOf` makes the id that proves the fields with this salt. */
export function isChangedEntry(id: string, fields: EntryFields, idOf = entryIdFor): boolean {
  if (isTooDeep(fields.content)) return false;
  const json = canonicalJson(fields.content);
  const isProof = (text: string, change: Partial<EntryFields> = {}): boolean =>
    idOf({ ...fields, ...change }, saltOf(text), json) === text;
  if (isRepairedDigest(id, idOf(fields, saltOf(id), json))) return true;
  const wrong = faults(id, shapes.id).length;
  if (wrong <= 1 && repairs(id, shapes.id, saltStart).some((text) => isProof(text))) return true;
  if (wrong > 0) return false;
  const { parentId, timestamp, mirror } = fields;
  return (
    repairs(timestamp, shapes.time).some((text) => isProof(id, { timestamp: text })) ||
    repairs(parentId ?? "", shapes.uuid).some((text) => isProof(id, { parentId: text })) ||
    repairs(mirror ?? "", shapes.uuid).some((text) => isProof(id, { mirror: text }))
  );
}

function saltOf(id: string): string {
  return id.slice(saltStart, saltStart + 3) + id.slice(saltStart + 4);
}

/** What a digest proves is known at once: no character of it needs to be tried. */
function isRepairedDigest(id: string, proving: string): boolean {
  if (faults(proving, shapes.id).length > 0) return false;
  return [...proving].filter((char, at) => char !== id[at]).length === 1;
}

/** The result has the text with each single character from `start` on replaced in every way that may bring `shape` about. */
function repairs(text: string, shape: string, start = 0): string[] {
  const wrong = faults(text, shape);
  const places = wrong.length === 1 ? wrong : Array.from({ length: text.length }, (_, at) => at);
  return places
    .filter((at) => at >= start)
    .flatMap((at) =>
      [...(wrong.length > 1 ? alphabet : charactersOf(shape[at] ?? ""))]
        .filter((char) => char !== text[at])
        .map((char) => text.slice(0, at) + char + text.slice(at + 1)),
    );
}

/** The result has the places where a text is not as its shape. It has all places if the text has another length. */
function faults(text: string, shape: string): number[] {
  const isOther = text.length !== shape.length;
  return Array.from({ length: text.length }, (_, at) => at).filter(
    (at) => isOther || !charactersOf(shape[at] ?? "").includes(text[at] ?? ""),
  );
}

function charactersOf(place: string): string {
  return place === "x" ? "0123456789abcdef" : place === "0" ? "0123456789" : place;
}

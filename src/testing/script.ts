/** Values as one would write them by hand, so that a counterexample can be read, and pasted into a test. */
import { escapedLine } from "../action/text.ts";

/** The result is the source text of a plain value. Long runs of one character or one item are written as such. */
export function sourceOf(value: unknown): string {
  if (typeof value === "string") return textSource(value);
  if (Array.isArray(value)) return listSource(value);
  if (typeof value !== "object" || value === null) return String(value);
  return Object.keys(value).length === 0 ? "{}" : `{ ${fieldsSource(value)} }`;
}

/** The result is what stands between the braces. */
export function fieldsSource(value: object): string {
  return Object.entries(value)
    .map(([name, field]) => `${nameSource(name)}: ${sourceOf(field)}`)
    .join(", ");
}

/** From so many on, a run is shorter to read as a repetition. */
const runMin = 16;

function textSource(text: string): string {
  const parts: string[] = [];
  let literal = "";
  const endLiteral = () => {
    if (literal !== "") parts.push(escapedLine(JSON.stringify(literal)));
    literal = "";
  };
  for (const [run] of text.matchAll(/(.)\1*/gsu)) {
    const [character = ""] = run;
    const times = run.length / character.length;
    if (times < runMin) literal += run;
    else {
      endLiteral();
      parts.push(`${escapedLine(JSON.stringify(character))}.repeat(${times})`);
    }
  }
  endLiteral();
  return parts.length === 0 ? '""' : parts.join(" + ");
}

function listSource(items: readonly unknown[]): string {
  const [first] = items;
  if (items.length >= runMin && items.every((item) => item === first)) {
    return `Array(${items.length}).fill(${sourceOf(first)})`;
  }
  return `[${items.map(sourceOf).join(", ")}]`;
}

function nameSource(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_]\w*$/.test(name) ? name : textSource(name);
}

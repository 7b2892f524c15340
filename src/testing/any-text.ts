import { fc } from "./fast-check.ts";

const surrogatesFrom = 0xd800;
const surrogatesCount = 0x800;

function codePointAt(index: number): string {
  return String.fromCodePoint(index < surrogatesFrom ? index : index + surrogatesCount);
}

/** Whoever asks takes an error for "it was not generated here". */
function indexOf(text: unknown): number {
  const point = typeof text === "string" ? text.codePointAt(0) : undefined;
  const index = point === undefined || point < surrogatesFrom ? point : point - surrogatesCount;
  if (index === undefined || index < 0 || codePointAt(index) !== text)
    throw new TypeError("This is not one code point.");
  return index;
}

/**
 * It generates every text without lone surrogates, and often one that has a meaning to JavaScript, such as `__proto__`. These are the
 * texts of fast-check's unit `binary`, which makes a map of a million code points in each process that names it.
 */
export const anyText: fc.Arbitrary<string> = fc.string({
  unit: fc.nat({ max: 0x10ffff - surrogatesCount }).map(codePointAt, indexOf),
});

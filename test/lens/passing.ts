/** What tests of the lines that a lens passes by a look at their bytes have in common. */
import fc from "fast-check";
import { expect } from "vitest";
import type { Lens } from "../../src/lens/lens.ts";
import { isFull } from "../reliability/results.ts";
import { type Told, tell, tellPieces } from "./lens-run.ts";

export type Line = Record<string, unknown>;

/** By name: what stands in place of a line, behind the lines `before`. */
export type Oddities = Readonly<Record<string, (line: string, before: readonly string[]) => string>>;

/** Without what only the reading of every line may find, and how often lines were read. */
export function story({ events, markers, turns, facts }: Told): unknown {
  const { unknownTypes, ...others } = facts;
  return { events, markers, turns, others };
}

export function object(line: string | undefined): Line {
  try {
    return JSON.parse(line ?? "{}") as Line;
  } catch {
    return {};
  }
}

/** These stay JSON, whoever wrote the line. */
export const otherwisePrinted: Oddities = {
  "keys in another order": (line) => JSON.stringify(Object.fromEntries(Object.entries(object(line)).reverse())),
  "white space": (line) => JSON.stringify(object(line), null, 1).replaceAll("\n", ""),
};

/** With oddities in place of lines of a source, in pieces of any length, the lens must tell what parsing every line tells. */
export function expectNoneDeceives(lens: Lens, sources: readonly (readonly string[])[], oddities: Oddities): void {
  fc.assert(
    fc.property(
      fc.nat({ max: sources.length - 1 }),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...Object.keys(oddities))), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 700, max: 40_000 }),
      fc.boolean(),
      (source, odd, pieceLength, isInRoom) => {
        const harmed = [...(sources[source] ?? [])];
        for (const [where, what] of odd) {
          const index = where % harmed.length;
          harmed[index] = oddities[what]?.(harmed[index] ?? "", harmed.slice(0, index)) ?? "";
        }
        expect(story(tellPieces(lens, harmed, pieceLength, { isInRoom }))).toEqual(
          story(tell(lens, harmed, { every: true })),
        );
      },
    ),
    isFull ? { numRuns: 2000 } : { numRuns: 40, seed: 1 },
  );
}

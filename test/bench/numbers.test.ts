/** Wrong arithmetic would make every verdict wrong. */
import path from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";

interface Numbers {
  median(values: readonly number[]): number;
  quantile(values: readonly number[], part: number): number;
  fairness(shares: readonly number[]): number;
  verdictOf(gate: string, value: number): string;
  withUnit(gate: string, value: number): string;
}

interface Measure {
  interleave(script: string, contenders: readonly object[], rounds: number): Map<string, Answer[]>;
  ratioOf(over: readonly Answer[], overField: string, under: readonly Answer[], underField?: string): number;
}

type Answer = Readonly<Record<string, number | string>>;

const lib = path.resolve(import.meta.dirname, "../../bench/lib");
const { median, quantile, fairness, verdictOf, withUnit } = (await import(
  pathToFileURL(path.join(lib, "numbers.mjs")).href
)) as Numbers;
const { interleave, ratioOf } = (await import(pathToFileURL(path.join(lib, "measure.mjs")).href)) as Measure;

test("a median of an even number, of numbers sorted as texts, of none", () => {
  expect(median([10, 9, 100])).toBe(10);
  expect(median([1, 2, 3, 10])).toBe(2.5);
  expect(median([])).toBeNaN();
});

test("a quantile beyond the last value", () => {
  expect(quantile([1, 2, 3, 4, 5], 1)).toBe(5);
  expect(quantile([1, 2, 3, 4, 5], 0)).toBe(1);
  expect(quantile([0, 10], 0.75)).toBe(7.5);
});

test("fairness of those who share, and of one who takes all", () => {
  expect(fairness([7, 7, 7, 7])).toBe(1);
  expect(fairness([28, 0, 0, 0])).toBe(0.25);
});

describe("a verdict", () => {
  test.each([
    ["≥ 2 ×", 2, "holds"],
    ["≥ 2 ×", 1.99, "missed"],
    ["≤ 1.35 ×", 1.35, "holds"],
    ["≤ 1.35 ×", 1.36, "missed"],
    ["≤ 300 ms", 299, "holds"],
    ["≥ 0.9", 0.89, "missed"],
    ["= 0", 0, "holds"],
    ["= 0", 1, "missed"],
    ["≤ 2 ×", Number.NaN, "missed"],
    ["a table", Number.NaN, "missed"],
    ["a table", 1, "holds"],
  ])("%s of %d: %s", (gate, value, verdict) => {
    expect(verdictOf(gate, value)).toBe(verdict);
  });

  test("of a gate that says nothing", () => {
    expect(() => verdictOf("fast", 1)).toThrow(TypeError);
  });

  test("a value without its unit", () => {
    expect([withUnit("≤ 300 ms", 251.4), withUnit("≤ 2 ×", 1.234), withUnit("= 0", 0)]).toEqual([
      "251 ms",
      "1.23 ×",
      "0",
    ]);
  });
});

test("a ratio that a slow round decides", () => {
  const [over, under] = [
    [1, 50, 3],
    [1, 100, 2],
  ].map((values) => values.map((ms) => ({ ms })));
  expect(ratioOf(over ?? [], "ms", under ?? [])).toBe(1);
  expect(ratioOf([{ failed: "Error" }], "ms", [{ ms: 1 }])).toBeNaN();
});

test("a contender that fails is asked again, or takes the others with it", () => {
  const script = path.join(import.meta.dirname, "contender.mjs");
  const contenders = ["answer", "fail"].map((name) => ({ name, words: [name] }));
  const runs = interleave(script, contenders, 2);
  expect(runs.get("answer")).toEqual([expect.objectContaining({ one: 1 }), expect.objectContaining({ one: 1 })]);
  expect(runs.get("fail")).toEqual([{ failed: "Error: no" }]);
});

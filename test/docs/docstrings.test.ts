/** The check of docstrings finds what it is there for, and finds nothing in src. test/package asks more of public names. */
import ts from "typescript";
import { expect, test } from "vitest";

const { faultsOf, fragmentsIn, fragmentsInSources } = (await import("../../.ci/docstrings.mjs" as string)) as {
  readonly faultsOf: (node: ts.Node | undefined) => readonly string[];
  readonly fragmentsIn: (text: string) => readonly string[];
  readonly fragmentsInSources: () => readonly string[];
};

test.each([
  "The same for hits.",
  "The events that were appended.",
  "What was cut off, and why.",
  "Of the event that took it.",
  "Default true.",
  "How long to wait for it.",
  "It is read once. Absent where nobody wrote.",
  "A version, or what a newer one calls it.",
  "Counted on when the format changes.",
  "What is read from the file.",
])("a fragment is found: %s", (text) => {
  expect(fragmentsIn(text)).toHaveLength(1);
});

test.each([
  "These are the events that were appended.",
  "Answers who wrote each line.",
  "This says what was cut off.",
  "With true, nothing is written.",
  "`offset` counts bytes, and `line` counts from 1.",
  "Actions beside it were not applied because of it.",
])("a sentence is left alone: %s", (text) => {
  expect(fragmentsIn(text)).toEqual([]);
});

test("a public function without its tags is found", () => {
  const found = (text: string) => {
    const file = ts.createSourceFile("a.d.ts", text, ts.ScriptTarget.ES2023, true);
    return faultsOf(file.statements[0]);
  };
  expect(found("/** Adds up. */\nexport declare function sum(a: number): number;")).toEqual([
    "no @param",
    "no @throws",
    "no @example",
  ]);
  const whole = "/**\n * Adds up.\n * @param a One.\n * @throws Nothing.\n * @example\n * sum(1);\n */";
  expect(found(`${whole}\nexport declare function sum(a: number): number;`)).toEqual([]);
});

test("no docstring in src is a fragment", () => {
  expect(fragmentsInSources()).toEqual([]);
});

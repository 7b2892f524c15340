import { expect, test } from "vitest";
import { MirrorValues } from "../../../src/audit/redact/mirror-values.ts";
import { initialState } from "../../../src/state/state.ts";

const redact = (json: string): string => json.replaceAll("secret", "[redacted 6 characters]");
const state = (notes: string) => ({ ...initialState, notes });

test("a value that a commit made is repeated as the copy's own commit makes it, also long after", () => {
  const values = new MirrorValues(redact);
  values.note(state("one secret"), state("[redacted 10 characters]"));
  values.note(state("two secret"), state("two [redacted 6 characters]"));
  values.note(state("three"), state("three"));
  expect(JSON.parse(values.printed("notes", "one secret", true))).toBe("[redacted 10 characters]");
  expect(JSON.parse(values.printed("notes", "two secret", true))).toBe("two [redacted 6 characters]");
  expect(JSON.parse(values.printed("notes", "three", true))).toBe("three");
  expect(JSON.parse(values.printed("notes", "one secret", false))).toBe("one [redacted 6 characters]");
});

test("a value that comes back stands for what it is now", () => {
  const values = new MirrorValues(redact);
  values.note(state("a secret"), state("[redacted 8 characters]"));
  expect(JSON.parse(values.printed("notes", "a secret", true))).toBe("[redacted 8 characters]");
  values.note(state("a secret"), state("a [redacted 6 characters]"));
  values.note(state(""), state(""));
  expect(JSON.parse(values.printed("notes", "a secret", true))).toBe("a [redacted 6 characters]");
});

test("a value of no commit keeps nothing that matches", () => {
  const values = new MirrorValues(redact);
  expect(JSON.parse(values.printed("refs", ["x", "secret"], true))).toEqual(["x", "[redacted 6 characters]"]);
});

test("values that differ from their redacted text do not pile up, and the newest stay", () => {
  const values = new MirrorValues(redact);
  const text = (index: number) => `${index} secret ${"x".repeat(50_000)}`;
  for (let index = 0; index < 400; index++) values.note(state(text(index)), state(`[redacted ${index}]`));
  values.note(state(""), state(""));
  expect(JSON.parse(values.printed("notes", text(399), true))).toBe("[redacted 399]");
  expect(JSON.parse(values.printed("notes", text(0), true))).toBe(text(0).replace("secret", "[redacted 6 characters]"));
});

import { describe, expect, test } from "vitest";
import { detectsPlan, planTextUnitsMax } from "../../src/prompt/plan-detection.ts";

describe("plan detection", () => {
  test.each([
    ["numbered with dots", "I will:\n1. read\n2. fix\n3. test"],
    ["numbered with brackets", "1) read\n2) fix\n3) test"],
    ["numbered and indented", "  1. read\n\n  2. fix\n   3. test"],
    ["numbered headings", "### 1. Read\ntext\n### 2. Fix\n### 3. Test"],
    ["bold numbers", "**1.** read\n**2.** fix\n**3.** test"],
    ["CRLF", "1. read\r\n2. fix\r\n3. test\r\n"],
    ["steps in a sentence", "Step 1 is reading, then step 2, and STEP 3 tests."],
    ["steps, phases and stages together", "Phase 1: a\nStage 2: b\nStep 3: c"],
    ["task boxes", "- [ ] read\n- [x] fix\n* [X] test"],
  ])("sees %s", (_name, text) => expect(detectsPlan(text)).toBe(true));

  test.each([
    ["two items", "1. read\n2. fix"],
    ["two of each kind", "1. a\n2. b\n- [ ] c\n- [ ] d\nStep one"],
    ["a number at the start of a sentence", "2026 was a year.\n3 apples\n4 pears\n5 plums"],
    ["versions", "1.2.3\n1.2.4\n1.2.5"],
    ["plain bullets", "- a\n- b\n- c\n- d"],
    ["stepping", "stepping 1 backstep2 steps"],
    ["numbers without text", "1. \n2. \n3. "],
    ["nothing", ""],
  ])("does not see %s", (_name, text) => expect(detectsPlan(text)).toBe(false));

  test("does not look beyond its cap", () => {
    const plan = "\n1. a\n2. b\n3. c";
    expect(detectsPlan("x".repeat(planTextUnitsMax - plan.length) + plan)).toBe(true);
    expect(detectsPlan("x".repeat(planTextUnitsMax) + plan)).toBe(false);
  });

  test.each(["1", "1. ", " ", "\t", "step ", "- [", "- ", ">", "step\t", "1.*", "#", "\n", "1.  \n"])(
    "comes back from a megabyte of %j",
    (piece) => expect(detectsPlan(piece.repeat(Math.ceil(1_000_000 / piece.length)))).toBe(false),
  );
});

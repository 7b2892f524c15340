import { describe, expect, test } from "vitest";
import { compactionWarning, createCompactionGuard } from "../../src/prompt/compaction.ts";

describe("compaction guard", () => {
  test("warns once, then asks for the compaction until it happened, then begins again", () => {
    const guard = createCompactionGuard({ windowTokens: 1000, warnAt: 0.8 });
    const doing = (tokens: number) => guard.reading(tokens).do;
    expect([doing(0), doing(799), doing(800), doing(810), doing(820)]).toEqual([
      "continue",
      "continue",
      "warn",
      "compact",
      "compact",
    ]);
    guard.compacted();
    expect([doing(100), doing(900), doing(100)]).toEqual(["continue", "warn", "compact"]);
  });

  test("warns also when one step jumps over the whole window", () => {
    const guard = createCompactionGuard({ windowTokens: 1000 });
    expect(guard.reading(5000)).toEqual({ do: "warn", text: compactionWarning() });
    expect(guard.reading(5100)).toEqual({ do: "compact" });
  });

  test("begins again after a compaction that the host forced between warning and reading", () => {
    const guard = createCompactionGuard({ windowTokens: 1000 });
    guard.reading(990);
    guard.compacted();
    expect(guard.reading(10)).toEqual({ do: "continue" });
  });

  test("counts against the window without its reserve", () => {
    const guard = createCompactionGuard({ windowTokens: 1000, reserveTokens: 200, warnAt: 0.5 });
    expect([guard.reading(399).do, guard.reading(400).do]).toEqual(["continue", "warn"]);
  });

  test("has the notepad's warning word for word", () => {
    expect(createCompactionGuard({ windowTokens: 1, face: "notepad" }).reading(1)).toEqual({
      do: "warn",
      text: `[System] Context is approaching the token limit and will be compacted after your next response.
Review your session notepad and update it with any working state, findings, or progress you
need to preserve. Conversation details may be summarized during compaction, but the notepad
is kept in full.`,
    });
    expect(compactionWarning("scratchpad")).toContain("session scratchpad");
  });

  test.each([
    [{ windowTokens: 0 }, "windowTokens must be above 0, not 0"],
    [{ windowTokens: Number.NaN }, "windowTokens must be above 0, not NaN"],
    [{ windowTokens: 10, reserveTokens: 10 }, "reserveTokens must be at least 0 and below windowTokens (10), not 10"],
    [{ windowTokens: 10, warnAt: 1.5 }, "warnAt must be above 0 and at most 1, not 1.5"],
  ])("refuses %j", (options, message) => expect(() => createCompactionGuard(options)).toThrow(new TypeError(message)));

  test("refuses a reading that is no number", () => {
    expect(() => createCompactionGuard({ windowTokens: 10 }).reading(Number.NaN)).toThrow(TypeError);
  });
});

import { describe, expect, test } from "vitest";
import { emptyNotepadHint, type Face, faces, renderBlock } from "../../src/prompt/block.ts";
import { compactionWarning, createCompactionGuard } from "../../src/prompt/compaction.ts";
import { renderGuidance } from "../../src/prompt/guidance.ts";
import { createNudges } from "../../src/prompt/nudges.ts";
import { initialState, type ScratchpadState } from "../../src/state/state.ts";

const state = (given: Partial<ScratchpadState>): ScratchpadState => ({ ...initialState, ...given });

describe("block of the three spaces", () => {
  test("shows all three with a blank line between spaces only", () => {
    expect(renderBlock(state({ notes: "NOTES", plan: "PLAN", refs: ["a.ts", "b.ts"] }))).toBe(
      "[Session Scratchpad]\nNOTES\n\nPlan:\nPLAN\n\nReferences:\n• a.ts\n• b.ts\n[End Scratchpad]",
    );
  });

  test.each<[string, Partial<ScratchpadState>, string]>([
    ["notes alone", { notes: "n" }, "[Session Scratchpad]\nn\n[End Scratchpad]"],
    ["plan alone", { plan: "p" }, "[Session Scratchpad]\nPlan:\np\n[End Scratchpad]"],
    ["refs alone", { refs: ["r"] }, "[Session Scratchpad]\nReferences:\n• r\n[End Scratchpad]"],
    ["notes and refs", { notes: "n", refs: ["r"] }, "[Session Scratchpad]\nn\n\nReferences:\n• r\n[End Scratchpad]"],
    ["an empty ref", { refs: [""] }, "[Session Scratchpad]\nReferences:\n• \n[End Scratchpad]"],
    ["blank lines inside notes", { notes: "a\n\n\nb\n" }, "[Session Scratchpad]\na\n\n\nb\n\n[End Scratchpad]"],
  ])("%s", (_name, given, block) => expect(renderBlock(state(given))).toBe(block));

  test("is nothing when all three are empty, whatever entries and sections hold", () => {
    const other = state({ entries: { plan: "x" }, sections: { Mood: { text: "y", at: "2026-01-01T00:00:00.000Z" } } });
    expect(renderBlock(other)).toBe("");
    expect(renderBlock(state({ notes: "n", entries: { k: "hidden" } }))).not.toContain("hidden");
  });

  test("keeps a ref with line breaks on its own line", () => {
    const block = renderBlock(state({ refs: ["a\n• b\r\n\nPlan:\u2028x"] }));
    expect(block).toBe("[Session Scratchpad]\nReferences:\n• a↵• b↵↵Plan:↵x\n[End Scratchpad]");
  });
});

describe("blocks of the other faces", () => {
  test("frames the single key with its own opening", () => {
    expect(renderBlock(state({ notes: "T\nU", plan: "not shown" }), "single-key")).toBe(
      "[Session Scratchpad - your persistent working memory]\nT\nU\n[End Scratchpad]",
    );
    expect(renderBlock(initialState, "single-key")).toBe("");
  });

  test("heads the notepad, and says what it is for while it is empty", () => {
    expect(renderBlock(state({ notes: "- [x] Survey" }), "notepad")).toBe("## Session Notepad\n- [x] Survey");
    expect(renderBlock(initialState, "notepad")).toBe(
      "## Session Notepad\n(empty — use write_notepad or update_notepad to save working notes, findings, and task progress; content here survives context compaction)",
    );
    expect(renderBlock(state({ notes: "[Hint: forged]" }), "notepad")).toBe("## Session Notepad\n(Hint: forged]");
    expect(emptyNotepadHint.startsWith("(empty — ")).toBe(true);
  });

  test("keeps the pad out of the context", () => expect(renderBlock(state({ notes: "n" }), "pad")).toBe(""));

  test("knows every face", () => expect(faces).toEqual(["scratchpad", "single-key", "notepad", "pad"]));
});

test.each(["scratchpad", "single-key", "notepad"] as const)(
  "half a character, which services of models refuse, is not shown with the face %s",
  (face) => {
    const block = renderBlock(state({ notes: "a\ud83d", refs: ["\udc4db"] }), face);
    expect(block).toContain("a\ufffd");
    expect(block.isWellFormed()).toBe(true);
  },
);

describe("a face that does not exist is said, not shown as undefined", () => {
  const face = "zz" as Face;
  test.each<[string, () => unknown]>([
    ["renderBlock", () => renderBlock(initialState, face)],
    ["renderGuidance", () => renderGuidance({ face })],
    ["compactionWarning", () => compactionWarning(face)],
    ["createCompactionGuard", () => createCompactionGuard({ windowTokens: 1000, face })],
  ])("%s", (_, call) => {
    expect(call).toThrow(new TypeError('option "face" must be one of "scratchpad", "single-key", "notepad", "pad"'));
  });

  test("nor are nudges and guards made under options that do not exist", () => {
    expect(() => createNudges({ nudgeAfterTurn: 3 } as object)).toThrow(/^unknown option "nudgeAfterTurn": use nudge/);
    const guard = () => createCompactionGuard({ windowTokens: 1000, warn_at: 0.5 } as { windowTokens: number });
    expect(guard).toThrow(/^unknown option "warn_at": use windowTokens, /);
    expect(() => createCompactionGuard(undefined as never)).toThrow("the options of a call must be an object");
  });

  test("nor is guidance given under options that do not exist", () => {
    expect(() => renderGuidance({ tool: "x" } as object)).toThrow(/^unknown option "tool": use face, toolName, /);
  });
});

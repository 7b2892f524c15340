import { describe, expect, test } from "vitest";
import { renderGuidance } from "../../src/prompt/guidance.ts";

describe("guidance", () => {
  test("names the tool, the spaces with the limits in force, every action, and when to write", () => {
    const text = renderGuidance({ toolName: "pad_tool", limits: { notes: 111, refs: 7 } });
    expect(text.startsWith("## Session Scratchpad\n")).toBe(true);
    expect(text).toContain("`pad_tool`");
    for (const part of ["notes, up to 111 chars", "plan, up to 2000 chars", "refs, up to 7 items"])
      expect(text).toContain(part);
    for (const action of ["set_notes", "append_notes", "set_plan", "refs.add", "refs.remove", "refs.set", "read"]) {
      expect(text).toContain(`- \`${action}\``);
    }
    for (const when of ["form a plan", "key fact", "needed again", "finish a step", "getting full"])
      expect(text).toContain(when);
    for (const not of [
      "full file contents",
      "conversation history",
      "speculative ideas",
      "the user's original request",
    ]) {
      expect(text).toContain(not);
    }
    expect(text).not.toContain("Hint");
    expect(text).not.toMatch(/\n$/);
  });

  test.each(["scratchpad", "single-key", "notepad", "pad"] as const)(
    "explains hints in the face %s when any is on",
    (face) => {
      expect(renderGuidance({ face, nudges: { nudgeAfterTurns: 0 } })).not.toContain("[Hint:");
      expect(renderGuidance({ face, nudges: { nudgeAfterCompaction: 1 } })).toContain("`[Hint: …]`");
    },
  );

  test("says how the block is sent", () => {
    expect(renderGuidance()).toContain("before each message");
    expect(renderGuidance({ send: "on-change" })).toContain("whenever it has changed");
    expect(renderGuidance({ send: "on-request" })).toContain("`read` it at the start");
  });

  test("is the single key's own text", () => {
    expect(renderGuidance({ face: "single-key", toolName: "session.scratchpad" })).toBe(`## Session Scratchpad
You have a persistent scratchpad tool (session.scratchpad) that survives context compaction.
Use it to save: multi-step plans, key findings, important decisions, accumulated state.
The scratchpad is prepended to each message you receive. Budget: ~2000 tokens.
Call session.scratchpad with mode "replace" to overwrite, or "append" to add incrementally.`);
    const asSent = (send: "on-change" | "on-request") => renderGuidance({ face: "single-key", send });
    expect(asSent("on-change")).toContain("whenever it has changed");
    expect(asSent("on-request")).toContain("not shown to you by itself");
    expect(renderGuidance({ face: "single-key", maxTokens: 500 })).toContain("Budget: ~500 tokens.");
  });

  test("is the notepad's own sentence", () => {
    expect(renderGuidance({ face: "notepad" })).toBe(
      "For multi-step or complex tasks, use the session notepad to track your plan and record findings as you work. The notepad survives context compaction — conversation details may be summarized, but the notepad is preserved in full. Update it after significant findings or completed steps.",
    );
  });

  test("has the parts of the pad: plans, expensive findings, constraints, decisions, the calls, who reads it", () => {
    const text = renderGuidance({ face: "pad" });
    const items = text.split("\n").filter((line) => line.startsWith("- "));
    expect(items.map((line) => line.split(" ")[1])).toEqual(["Plans", "Findings", "Constraints", "Decisions"]);
    for (const part of [
      "You have access to a scratchpad — a durable key-value store that survives\nthe context window.",
      "expect to need more than two turns later.",
      "Call scratchpad_list() at the start of a session to see what's already\nstored. Call scratchpad_read(key)",
      "Call scratchpad_write(key, content) to persist. Use short keys:",
      "What you write here will be readable by future\nsessions (including yourself, tomorrow) that are given it. Treat it like a\nshared notebook.",
    ])
      expect(text).toContain(part);
  });
});

test("a way of sending that does not exist is said, and not written into the system prompt", () => {
  expect(() => renderGuidance({ send: "on_change" as "on-change" })).toThrow(
    'option "send" must be one of "every-message", "on-change", "on-request"',
  );
  expect(renderGuidance({ send: "on-request" })).toContain("It is not shown to you by itself");
});

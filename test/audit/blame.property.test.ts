import fc from "fast-check";
import { expect, test } from "vitest";
import { type BlamedLine, blame } from "../../src/audit/blame.ts";
import { fold } from "../../src/state/fold.ts";
import type { ScratchpadState } from "../../src/state/state.ts";
import { histories } from "./histories.ts";

function joined(lines: readonly BlamedLine[], space: BlamedLine["space"]): Record<string, string> {
  const texts: Record<string, string> = Object.create(null);
  for (const { key = "", text } of lines.filter((line) => line.space === space)) {
    texts[key] = key in texts ? `${texts[key]}\n${text}` : text;
  }
  return texts;
}

function sectionTexts({ sections }: ScratchpadState): Record<string, string> {
  const texts: Record<string, string> = Object.create(null);
  for (const [name, { text }] of Object.entries(sections)) texts[name] = text;
  return texts;
}

test("the blamed texts joined are the state", () => {
  fc.assert(
    fc.property(histories, (history) => {
      const lines = blame(history);
      const state = fold(history);
      expect(joined(lines, "notes")[""] ?? "").toBe(state.notes);
      expect(joined(lines, "plan")[""] ?? "").toBe(state.plan);
      expect(lines.filter((line) => line.space === "refs").map((line) => line.text)).toEqual(state.refs);
      expect(joined(lines, "entries")).toEqual(state.entries);
      expect(joined(lines, "sections")).toEqual(sectionTexts(state));
    }),
  );
});

test("a line is written by an event of the history that carries its text", () => {
  fc.assert(
    fc.property(histories, (history) => {
      for (const line of blame(history)) {
        const author = history.find(({ version }) => version === line.version);
        expect(author).toMatchObject({ turn: line.turn, actor: line.actor, at: line.at });
        const edited = author?.event.type === "notes.edited";
        if (!edited) expect(JSON.stringify(author?.event)).toContain(JSON.stringify(line.text).slice(1, -1));
      }
    }),
  );
});

test("blame does not change for what a further event leaves alone", () => {
  fc.assert(
    fc.property(histories, (history) => {
      const further = {
        ...history[0],
        version: history.length + 1,
        event: { type: "plan.set", text: "zeta" },
      } as const;
      if (history[0] === undefined) return;
      const rest = (lines: readonly BlamedLine[]) => lines.filter((line) => line.space !== "plan");
      expect(rest(blame([...history, { ...history[0], ...further }]))).toEqual(rest(blame(history)));
    }),
  );
});

test("reading a history again, or from a generator, blames the same", () => {
  fc.assert(
    fc.property(histories, (history) => {
      expect(blame(history.values())).toEqual(blame(history));
    }),
  );
});

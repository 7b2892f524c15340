/** Files of others come from anywhere: cut, mended by hand, made to harm. A lens reads what it can, and never fails. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { claudeCode } from "../../src/lens/claude-code.ts";
import { codex } from "../../src/lens/codex.ts";
import { MadeClaude } from "./claude-made.ts";
import { linesOf, summary, tell } from "./lens-run.ts";

const sources = [
  { lens: claudeCode, lines: linesOf("claude-code/2.1.330-tasks-compaction-subagent.jsonl") },
  { lens: claudeCode, lines: linesOf("claude-code/1.0.108-todowrite-claude-md.jsonl") },
  { lens: codex, lines: linesOf("codex/0.169.0-code-mode-compaction.jsonl") },
];

const junk = fc.oneof(
  fc.string(),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '{"__proto__":{"x":1}}',
    "[".repeat(20_000),
    '{"type":"user"}',
    '{"type":"assistant","message":{"content":[null,7]}}',
  ),
);

/** What happened to a line on its way. */
const harm = fc.oneof(
  fc.record({ kind: fc.constant("cut" as const), at: fc.nat() }),
  fc.record({ kind: fc.constant("flip" as const), at: fc.nat(), bit: fc.nat({ max: 7 }) }),
  fc.record({ kind: fc.constant("drop" as const) }),
  fc.record({ kind: fc.constant("twice" as const) }),
  fc.record({ kind: fc.constant("junk" as const), text: junk }),
);

function harmed(
  lines: readonly string[],
  harms: readonly (readonly [number, typeof harm extends fc.Arbitrary<infer Harm> ? Harm : never])[],
): string[] {
  const out = lines.map((line) => [line]);
  for (const [where, what] of harms) {
    const index = where % lines.length;
    const line = lines[index] ?? "";
    const bytes = Buffer.from(line);
    switch (what.kind) {
      case "cut":
        out[index] = [line.slice(0, what.at % (line.length + 1))];
        break;
      case "flip":
        bytes[what.at % bytes.length] = (bytes[what.at % bytes.length] ?? 0) ^ (1 << what.bit);
        out[index] = bytes.toString("utf8").split("\n");
        break;
      case "drop":
        out[index] = [];
        break;
      case "twice":
        out[index] = [line, line];
        break;
      case "junk":
        out[index] = [line, what.text.replaceAll("\n", " ")];
    }
  }
  return out.flat();
}

test("whatever happens to lines on their way, the rest is read and nothing fails", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...sources),
      fc.array(fc.tuple(fc.nat(), harm), { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      ({ lens, lines }, harms, every) => {
        const found = tell(lens, harmed(lines, harms), { every });
        for (const { recorded } of [{ recorded: found.events }])
          expect(recorded.every(({ turn }) => turn <= found.turns)).toBe(true);
        for (const { line } of found.findings) expect(line).toBeGreaterThan(0);
      },
    ),
    { numRuns: 150 },
  );
});

test("a file whose lines are each other's parents is read to its end", () => {
  const session = new MadeClaude();
  session.task("1", "a");
  session.task("2", "b");
  const [first, second] = session.lines;
  if (first !== undefined && second !== undefined) first["parentUuid"] = second["uuid"];
  expect(summary(tell(claudeCode, session.lines)).length).toBe(2);
});

test("what a call names is told as text: it is no path, no markup and no escape sequence to anybody", () => {
  const evil = "../../etc/\u001b[2J/PLAN.md";
  const session = new MadeClaude();
  session.result(session.call("Write", { file_path: evil, content: "\u001b[31m<script>" }), {
    type: "create",
    filePath: evil,
    content: "x",
  });
  const [event] = tell(claudeCode, session.lines).events;
  expect(event?.event).toMatchObject({ type: "section.written", name: evil, text: "x" });
});

test("thousands of rewinds take two readings, not one each", () => {
  const session = new MadeClaude();
  const root = session.prompt("go");
  for (let turn = 0; turn < 2000; turn++) {
    session.tip = root;
    session.prompt(`try ${turn}`);
    session.todos([String(turn), "pending"]);
  }
  const found = tell(claudeCode, session.lines);
  expect([found.readings, found.turns]).toEqual([2, 2001]);
  expect(summary(found).at(-1)).toBe("t2001 claude-code plan.set - [ ] 1999");
});

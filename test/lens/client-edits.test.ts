/** What the clients' own edit tools do to a file beyond what was asked for, as the real clients do it. */
import { expect, test } from "vitest";
import { claudeCode } from "../../src/lens/claude-code.ts";
import { gemini } from "../../src/lens/gemini.ts";
import { openCode } from "../../src/lens/opencode.ts";
import { MadeClaude } from "./claude-made.ts";
import { summary, type Told, tell } from "./lens-run.ts";

const path = "/home/dev/project/PLAN.md";

function claude(make: (session: MadeClaude) => void): Told {
  const session = new MadeClaude();
  make(session);
  return tell(claudeCode, session.lines);
}

function edit(session: MadeClaude, before: string | undefined, old: string, put: string, all = false): void {
  const input = { file_path: path, old_string: old, new_string: put, replace_all: all };
  session.result(
    session.call("Edit", input),
    before === undefined ? undefined : { filePath: path, originalFile: before },
  );
}

function write(session: MadeClaude, content: string): void {
  session.result(session.call("Write", { file_path: path, content }), {
    type: "create",
    filePath: path,
    content,
    originalFile: null,
  });
}

test("a line that Claude Code deletes leaves no empty line, and nobody else took one away", () => {
  const found = claude((session) => {
    write(session, "one\ntwo\nthree\nthree\nend two\n");
    edit(session, "one\ntwo\nthree\nthree\nend two\n", "two", "");
    edit(session, "one\nthree\nthree\nend two\n", "three", "", true);
    edit(session, "one\nend two\n", "end ", "");
    const edits = [{ old_string: "one\n", new_string: "" }];
    session.result(session.call("MultiEdit", { file_path: path, edits }), { originalFileContents: "one\ntwo\n" });
    edit(session, "two\n", "two", "2");
  });
  expect(summary(found)).toEqual([
    "t0 claude-code section.written PLAN.md one | two | three | three | end two | ",
    "t0 claude-code section.written PLAN.md one | three | three | end two | ",
    "t0 claude-code section.written PLAN.md one | end two | ",
    "t0 claude-code section.written PLAN.md one | two | ",
    "t0 claude-code section.written PLAN.md two | ",
    "t0 claude-code section.written PLAN.md 2 | ",
  ]);
  expect(found.findings).toEqual([]);
});

interface Patch {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly lines: readonly string[];
}

function editShown(session: MadeClaude, before: string, old: string, put: string, patch: Patch, more = {}): void {
  const input = { file_path: path, old_string: old, new_string: put };
  session.result(session.call("Edit", input), {
    filePath: path,
    originalFile: before,
    structuredPatch: [patch],
    userModified: false,
    ...more,
  });
}

test("straight quotes that Claude Code takes for curly ones are put as it puts them, in a file with tabs, too", () => {
  const first = '# “Plan”\n\n\t- it’s ‘one’\n\t\t- “two” and "three"\n';
  const second = '# “Plan”\n\n\t- it’s not ‘one’ but "1"\n\t\t- “two” and "three"\n';
  const third = '# “Plan”\n\n\t- it’s not ‘one’ but "1"\n\t\t- (“2”) don\'t\n';
  const found = claude((session) => {
    write(session, first);
    editShown(session, first, "\t- it's 'one'", "\t- it's not 'one' but \"1\"", {
      ...{ oldStart: 1, oldLines: 4 },
      lines: [...[" # “Plan”", " ", "-  - it’s ‘one’", '+  - it’s not ‘one’ but "1"'], '     - “two” and "three"'],
    });
    edit(session, second, '- "two" and "three"', '- ("2") don\'t');
    edit(session, third, "it's not", "it's");
    const edits = [
      { old_string: '"Plan"', new_string: '"Plan" "B"' },
      { old_string: "‘one’", new_string: "'1'" },
    ];
    session.result(session.call("MultiEdit", { file_path: path, edits }), {});
  });
  expect(summary(found).map((line) => line.slice("t0 claude-code section.written PLAN.md # ".length))).toEqual([
    '“Plan” |  | \t- it’s ‘one’ | \t\t- “two” and "three" | ',
    '“Plan” |  | \t- it’s not ‘one’ but "1" | \t\t- “two” and "three" | ',
    '“Plan” |  | \t- it’s not ‘one’ but "1" | \t\t- (“2”) don\'t | ',
    '“Plan” |  | \t- it’s ‘one’ but "1" | \t\t- (“2”) don\'t | ',
    "“Plan” “B” |  | \t- it’s '1' but \"1\" | \t\t- (“2”) don't | ",
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 3, equal: 3, explained: 0, elsewhere: 0 });
  expect(found.findings).toEqual([]);
});

test("what Claude Code adds to a memory by itself is the client's, and nobody else's", () => {
  const [first, second] = ["---\nname: x\n---\n\tbody\n", "---\nname: x\nmodified: 1\n---\n\n\tbodies\n"];
  const found = claude((session) => {
    write(session, first);
    const lines = [" ---", " name: x", "+modified: 1", " ---", "-  body", "+", "+  bodies"];
    editShown(session, first, "body", "bodies", { oldStart: 1, oldLines: 4, lines });
    edit(session, second, "bodies", "body");
  });
  expect(summary(found)).toEqual([
    "t0 claude-code section.written PLAN.md --- | name: x | --- | \tbody | ",
    "t0 claude-code section.written PLAN.md --- | name: x | modified: 1 | --- |  | \tbodies | ",
    "t0 claude-code section.written PLAN.md --- | name: x | modified: 1 | --- |  | \tbody | ",
  ]);
  expect(found.facts.repetitions).toMatchObject({ seen: 2, equal: 2 });
});

test("what a person changed in a proposal is told from its patch, in a file with tabs and without a last line feed, too", () => {
  const found = claude((session) => {
    write(session, "a\n\tb");
    const lines = [" a", "-  b", "\\ No newline at end of file", "+  mine"];
    editShown(session, "a\n\tb", "\tb", "\tc", { oldStart: 1, oldLines: 2, lines }, { userModified: true });
    const made = ["+x", "+y", "\\ No newline at end of file"];
    editShown(session, "", "", "x", { oldStart: 1, oldLines: 0, lines: made }, { userModified: true });
    const other = [" q", "-r", "+s"];
    editShown(session, "x\ny", "x", "z", { oldStart: 1, oldLines: 2, lines: other }, { userModified: true });
  });
  expect(summary(found)).toEqual([
    "t0 claude-code section.written PLAN.md a | \tb",
    "t0 claude-code section.written PLAN.md a | \tmine | ",
    "t0 elsewhere section.written PLAN.md ",
    "t0 claude-code section.written PLAN.md x | y",
  ]);
  expect(found.findings.at(-1)).toMatchObject({ detail: expect.stringContaining("is not in the file") });
});

test("a line that a person put into a proposal is indented as the lines around it, which the patch shows without their tabs", () => {
  const deep = claude((session) => {
    write(session, "a\n\tb\n");
    const lines = [" a", "-  b", "+  b", "+      mine", "+  c"];
    editShown(session, "a\n\tb\n", "\tb", "\tb\n\tc", { oldStart: 1, oldLines: 2, lines }, { userModified: true });
  });
  expect(summary(deep).at(-1)).toBe("t0 claude-code section.written PLAN.md a | \tb | \t\t\tmine | \tc | ");
  // Where both stand, nobody knows which one the person typed.
  const mixed = claude((session) => {
    write(session, "\ta\n  b\n    c\n");
    const lines = ["   a", "   b", "-    c", "+    c", "+  mine", "+    mine"];
    editShown(session, "\ta\n  b\n    c\n", "c", "d", { oldStart: 1, oldLines: 3, lines }, { userModified: true });
  });
  expect(summary(mixed).at(-1)).toBe("t0 claude-code section.written PLAN.md \ta |   b |     c |   mine |     mine | ");
});

test("Claude Code repeats a file with line feeds, whatever its lines end with: nobody changed it", () => {
  const found = claude((session) => {
    write(session, "a\r\nb\r\n");
    edit(session, "a\nb\n", "a\r\n", "c\r\nd\r\n");
    edit(session, "c\nd\nb\n", "b", "e");
  });
  expect(summary(found).map((line) => JSON.stringify(line))).toEqual([
    '"t0 claude-code section.written PLAN.md a | b | "',
    '"t0 claude-code section.written PLAN.md c | d | b | "',
    '"t0 claude-code section.written PLAN.md c | d | e | "',
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 2, equal: 2, explained: 0, elsewhere: 0 });
});

test("a file that Claude Code left empty was not taken away, though the client calls its next text a new file's", () => {
  const found = claude((session) => {
    write(session, "");
    write(session, "a\n");
    edit(session, "a\n", "a", "");
    write(session, "b\n");
    write(session, "c\n");
  });
  expect(summary(found)).toEqual([
    "t0 claude-code section.written PLAN.md ",
    "t0 claude-code section.written PLAN.md a | ",
    "t0 claude-code section.written PLAN.md ",
    "t0 claude-code section.written PLAN.md b | ",
    "t0 elsewhere section.cleared PLAN.md",
    "t0 claude-code section.written PLAN.md c | ",
  ]);
});

test("an edit that looks for nothing makes a file, and its text is known", () => {
  const made = claude((session) => {
    edit(session, undefined, "", "new\n");
    edit(session, undefined, "new", "newer");
  });
  expect(summary(made)).toEqual([
    "t0 claude-code section.written PLAN.md new | ",
    "t0 claude-code section.written PLAN.md newer | ",
  ]);
  expect(made.findings).toEqual([]);
  const byGemini = inGemini(
    { old_string: "", new_string: "new\r\n" },
    { old_string: "new\n", new_string: "x\n" },
    { old_string: "", new_string: "again\n" },
  );
  expect(summary(byGemini)).toEqual([
    "t0 gemini-cli section.written /p/PLAN.md new | ",
    "t0 gemini-cli section.written /p/PLAN.md x | ",
    "t0 elsewhere section.cleared /p/PLAN.md",
    "t0 gemini-cli section.written /p/PLAN.md again | ",
  ]);
  const byOpenCode = inOpenCode(
    { oldString: "", newString: "new\n", patch: "@@ -0,0 +1,1 @@\n+new\n" },
    { oldString: "new", newString: "old", patch: "@@ -1,1 +1,1 @@\n-new\n+old\n" },
  );
  expect(summary(byOpenCode)).toEqual([
    "t0 opencode section.written PLAN.md new | ",
    "t0 opencode section.written PLAN.md old | ",
  ]);
});

test("Gemini CLI repeats a file now with its carriage returns and now without: nobody changed it", () => {
  const [given, kept] = ["one\ntwo\n", "one\r\nzwei\r\n"];
  const found = inGemini(
    { originalContent: given, newContent: "one\nzwei\n" },
    { originalContent: kept, newContent: "a\r\n" },
  );
  expect(summary(found)).toEqual([
    "t0 elsewhere section.written /p/PLAN.md one | two | ",
    "t0 gemini-cli section.written /p/PLAN.md one | zwei | ",
    "t0 gemini-cli section.written /p/PLAN.md a | ",
  ]);
  expect(found.facts.repetitions).toEqual({ seen: 1, equal: 1, explained: 0, elsewhere: 0 });
});

test("a diff whose lines end with a carriage return fits a text that was written with them", () => {
  const found = inOpenCode(
    { oldString: "", newString: "a\r\nb\r\n", patch: "" },
    { oldString: "  b", newString: "c", patch: "@@ -1,2 +1,2 @@\n a\r\n-b\r\n+c\r\n" },
  );
  expect(summary(found)).toEqual([
    "t0 opencode section.written PLAN.md a | b | ",
    "t0 opencode section.written PLAN.md a | c | ",
  ]);
});

test("what a person adds to a plan while approving it is the person's", () => {
  const filePath = "/home/dev/.claude/plans/p.md";
  const found = claude((session) => {
    const input = { plan: "1. a\n", planFilePath: filePath };
    const data = { plan: "1. a\n2. mine\n", filePath, isAgent: false };
    session.result(session.call("ExitPlanMode", input), { ...data, planWasEdited: true });
  });
  expect(summary(found)).toEqual([
    "t0 claude-code section.written ~/.claude/plans/p.md 1. a | ",
    "t0 elsewhere section.written ~/.claude/plans/p.md 1. a | 2. mine | ",
  ]);
});

function inGemini(...edits: readonly { readonly [field: string]: string }[]): Told {
  const lines = edits.map(({ originalContent, newContent, ...args }, index) => ({
    id: `g${index}`,
    timestamp: "2026-01-01T00:00:00.000Z",
    type: "gemini",
    content: "",
    toolCalls: [
      {
        id: `replace_${index}`,
        name: "replace",
        args: { file_path: "/p/PLAN.md", ...args },
        result: [],
        status: "success",
        resultDisplay: newContent === undefined ? "Created PLAN.md" : { originalContent, newContent },
      },
    ],
  }));
  return tell(gemini, [{ sessionId: "s", projectHash: "h", startTime: "2026-01-01T00:00:00.000Z" }, ...lines]);
}

function inOpenCode(...edits: readonly { readonly [field: string]: string }[]): Told {
  const session = { id: "ses_1", directory: "/home/dev/project", version: "1.18.33", projectID: "global" };
  const messages = edits.map(({ patch, ...asked }, index) => {
    const state = { status: "completed", input: { filePath: path, ...asked }, output: "ok", time: { end: index + 1 } };
    const part = { type: "tool", tool: "edit", id: `prt_${index}`, callID: `call_${index}` };
    return {
      info: { id: `msg_${index}`, role: "assistant", time: { created: index + 1 } },
      parts: [{ ...part, state: { ...state, metadata: { diff: patch, filediff: { patch } } } }],
    };
  });
  return tell(openCode, [{ info: session }, ...messages]);
}

test("an edit of Claude Code is looked for in what the edit before it left, whatever its quotes", () => {
  const found = claude((session) => {
    write(session, "say x\nit\u2019s\n");
    const edits = [
      { old_string: "x", new_string: "it's" },
      { old_string: "it's", new_string: "Z" },
    ];
    session.result(session.call("MultiEdit", { file_path: path, edits }), {
      originalFileContents: "say x\nit\u2019s\n",
    });
  });
  expect(summary(found).at(-1)).toBe("t0 claude-code section.written PLAN.md say Z | it\u2019s | ");
});

test("edits of Claude Code that fit nothing look through a long text once, however many they are", () => {
  const long = "it\u2019s one of many words\n".repeat(40_000);
  const found = claude((session) => {
    write(session, long);
    const edits = Array.from({ length: 3000 }, () => ({ old_string: "zzz", new_string: "" }));
    session.result(session.call("MultiEdit", { file_path: path, edits }), { filePath: path });
    for (let count = 0; count < 300; count++) edit(session, undefined, `zzz${count}`, "");
  });
  expect(found.events).toHaveLength(1);
});

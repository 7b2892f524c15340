import { expect, test } from "vitest";
import { claudeCode } from "../../src/lens/claude-code.ts";
import { lensOf } from "../../src/lens/lenses.ts";
import { SectionNames, sectionName, TrackedFiles } from "../../src/lens/tracked-files.ts";
import { MadeClaude } from "./claude-made.ts";
import { foreignFixtures, linesOf, summary, tell, tellFixture } from "./lens-run.ts";

test.each(foreignFixtures)("%s: whose it is shows in any of its first lines, not in the first alone", (fixture) => {
  const client = fixture.split(/[\\/]/)[0];
  const lines = linesOf(fixture);
  expect(lensOf(lines.slice(0, 20))?.client).toBe(client);
  expect(lensOf(["not json", "[]", '{"type":"unheard-of"}', ...lines.slice(0, 20)])?.client).toBe(client);
});

test("lines that several programs write, and ours, are no client's", () => {
  const odd = [
    '{"type":"message"}',
    '{"type":"session","id":"s"}',
    '{"type":"user","text":"x"}',
    '{"id":"x"}',
    "",
    "7",
  ];
  expect(lensOf(odd)).toBeUndefined();
});

test.each(foreignFixtures)(
  "%s: reading only the lines that can matter tells what reading every line tells",
  (fixture) => {
    const some = tellFixture(fixture);
    const all = tellFixture(fixture, { every: true });
    expect(all.events.length).toBe(some.events.length);
    expect(all.events).toEqual(some.events);
    expect(all.markers).toEqual(some.markers);
    expect(all.findings).toEqual(some.findings);
    expect(all.turns).toBe(some.turns);
    const { versions, ...facts } = some.facts;
    expect(all.facts).toMatchObject(facts);
    expect(all.facts.versions).toEqual(expect.arrayContaining([...versions]));
  },
);

test.each(foreignFixtures)(
  "%s: printed in another way, with spaces and other orders of keys, it tells the same",
  (fixture) => {
    const lines = linesOf(fixture);
    const lens = lensOf(lines);
    const reversed = (value: unknown): unknown => {
      if (typeof value !== "object" || value === null) return value;
      if (Array.isArray(value)) return value.map(reversed);
      return Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, item]) => [name, reversed(item)]),
      );
    };
    const plain = tellFixture(fixture);
    for (const print of [
      (line: string) => JSON.stringify(JSON.parse(line), null, 1).replaceAll("\n", ""),
      (line: string) => JSON.stringify(reversed(JSON.parse(line))),
    ]) {
      const found = summary(tellLines(lines.map(print)));
      expect(found).toEqual(summary(plain));
    }
    expect(lens).toBeDefined();
  },
);

test("a line of a client that is no surprise is known by its type, in every fixture", () => {
  for (const fixture of foreignFixtures)
    expect([fixture, tellFixture(fixture, { every: true }).facts.unknownTypes]).toEqual([fixture, {}]);
});

test.each([
  ["/home/dev/project/PLAN.md", "/home/dev/project", "PLAN.md"],
  ["/home/dev/project/sub/PLAN.md", "/home/dev/project/", "sub/PLAN.md"],
  ["/home/dev/.claude/plans/x.md", "/home/dev/project", "~/.claude/plans/x.md"],
  ["/home/dev/.claude/plans/x.md", undefined, "~/.claude/plans/x.md"],
  ["/home/other/PLAN.md", "/home/dev/project", "/home/other/PLAN.md"],
  ["/Users/dev/CLAUDE.md", "/Users/dev/wks/cli", "~/CLAUDE.md"],
  ["/srv/PLAN.md", "/home/dev/project", "/srv/PLAN.md"],
  ["/home/dev/project/../../etc/PLAN.md", "/home/dev/project", "/home/dev/project/../../etc/PLAN.md"],
  ["./PLAN.md", "/home/dev/project", "PLAN.md"],
  ["../PLAN.md", "/home/dev/project", "../PLAN.md"],
  ["C:\\Users\\dev\\work\\PLAN.md", "C:\\Users\\dev\\work", "PLAN.md"],
  ["C:\\Users\\dev\\.claude\\plans\\x.md", "C:\\Users\\dev\\work", "~/.claude/plans/x.md"],
  ["D:\\PLAN.md", "C:\\Users\\dev\\work", "D:\\PLAN.md"],
  ["/home/dev/project//NOTES.md", "/home/dev/project", "NOTES.md"],
  ["/home/dev//project/./sub/NOTES.md", "/home/dev/./project/", "sub/NOTES.md"],
  ["C:\\Users\\dev\\work\\PLAN.md", "c:\\users\\dev\\Work", "PLAN.md"],
  ["c:\\Users\\Dev\\.claude\\CLAUDE.md", "C:\\Users\\dev\\work", "~/.claude/CLAUDE.md"],
  ["C:/Users/dev\\work\\plans\\A.md", "C:\\Users\\dev\\work", "plans/A.md"],
  ["C:\\Users\\devil\\PLAN.md", "C:\\Users\\dev", "C:\\Users\\devil\\PLAN.md"],
  ["\\\\server\\share\\Work\\PLAN.md", "\\\\SERVER\\share\\work", "PLAN.md"],
  ["/home/dev/Project/PLAN.md", "/home/dev/project", "~/Project/PLAN.md"],
])("the section of %s in %s is %s", (path, cwd, name) => {
  expect(sectionName(path, cwd)).toBe(name);
});

test.each([
  ["of two homes", "/srv/app", "/home/ann/CLAUDE.md", "/home/bob/CLAUDE.md", ["~/CLAUDE.md", "/home/bob/CLAUDE.md"]],
  ["of one home", "/srv/app", "/root/CLAUDE.md", "/root/.claude/CLAUDE.md", ["~/CLAUDE.md", "~/.claude/CLAUDE.md"]],
  ["of Windows", "D:\\app", "D:\\app\\Plan.md", "d:\\app\\PLAN.md", ["Plan.md", "Plan.md"]],
  ["that are one", undefined, "PLAN.md", "./PLAN.md", ["PLAN.md", "PLAN.md"]],
])("two files %s have two names, and one file has one", (_, cwd, one, other, names) => {
  const session = new SectionNames();
  expect([one, other, one].map((path) => session.of(path, cwd))).toEqual([...names, names[0]]);
});

test("an agent that edits one file under two paths edits one section", () => {
  const made = new MadeClaude();
  made.prompt("go");
  const [path, again] = ["/home/dev/project/PLAN.md", "/home/dev/project//PLAN.md"];
  made.result(made.call("Write", { file_path: path, content: "a" }), { filePath: path, content: "a", type: "create" });
  made.result(made.call("Edit", { file_path: again, old_string: "a", new_string: "b" }), { filePath: again });
  expect(summary(tell(claudeCode, made.lines))).toEqual([
    "t1 claude-code section.written PLAN.md a",
    "t1 claude-code section.written PLAN.md b",
  ]);
});

test("the files of plans and memory are tracked wherever they lie, and globs add and take away", () => {
  const usual = new TrackedFiles();
  const tracked = [
    "CLAUDE.md",
    "/a/b/AGENTS.md",
    "C:\\a\\GEMINI.md",
    "MEMORY.md",
    "PLAN.md",
    "TODO.md",
    "NOTES.md",
    "PROGRESS.md",
  ];
  const others = ["README.md", "XPLAN.md", "PLAN.md.bak", "plans/deep/x.md", "myplans/x.md", "plans/x.txt", ""];
  for (const path of [...tracked, "plans/x.md", "/a/.claude/plans/x.md", "memory/y.md"])
    expect([path, usual.has(path)]).toEqual([path, true]);
  for (const path of others) expect([path, usual.has(path)]).toEqual([path, false]);
  const own = new TrackedFiles(["docs/**/*.txt", "!plans/*.md", "plans/a?.md", "/abs/*.x"]);
  expect(["docs/a.txt", "x/docs/a/b.txt", "plans/ab.md", "/abs/q.x", "PLAN.md"].map((path) => own.has(path))).toEqual(
    Array(5).fill(true),
  );
  expect(["plans/x.md", "docs/a.md", "x/abs/q.x"].map((path) => own.has(path))).toEqual(Array(3).fill(false));
});

test("a glob of stars over a long path takes time in proportion to both", () => {
  const files = new TrackedFiles([`${"**/".repeat(30)}*a*a*a*a*a*a*a*a*b`]);
  expect(files.has(`${"a/".repeat(1000)}${"a".repeat(2000)}`)).toBe(false);
});

function tellLines(lines: readonly string[]) {
  const lens = lensOf(lines);
  if (lens === undefined) throw new Error("no lens");
  return tell(lens, lines);
}

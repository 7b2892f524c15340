/** What other clients wrote may have come from anywhere: it steers no terminal, and a path in it is a name and no path. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { cli, temporaryFolder } from "../cli/cli.ts";
import { fixtures, lookOf } from "./lens-run.ts";
import { MadePi } from "./pi-made.ts";

const isFull = process.env["SESSION_JOURNAL_FULL"] === "1";

/** Each with a text of its plan, and with a path of plane C where it has one. */
const plan = { text: "Add a regression test", file: "PLAN.md" };
const gemini = "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-50-5806d217.jsonl";
const calls = [
  { tool_call_id: "a", function_name: "TodoWrite", arguments: { todos: [{ content: plan.text, status: "pending" }] } },
  { tool_call_id: "b", function_name: "Write", arguments: { file_path: plan.file, content: plan.text } },
];
const answers = calls.map(({ tool_call_id }) => ({ source_call_id: tool_call_id, content: "ok" }));
const atif = {
  schema_version: "ATIF-v1.7",
  session_id: "s",
  agent: { name: "swe", version: "2", model_name: "m" },
  steps: [
    { step_id: 1, source: "user", message: plan.text },
    { step_id: 2, source: "agent", message: "", tool_calls: calls, observation: { results: answers } },
  ],
};

function piLines(): readonly object[] {
  const session = new MadePi();
  session.said(plan.text);
  session.todo("add", [[1, plan.text, false]]);
  return session.lines;
}

const sessions: readonly {
  readonly client: string;
  readonly fixture: string;
  /** Where there is no fixture. */
  readonly lines?: readonly object[];
  readonly text: string;
  readonly file?: string;
}[] = [
  { client: "Claude Code, tasks", fixture: "claude-code/2.1.330-tasks-compaction-subagent.jsonl", ...plan },
  { client: "Claude Code, todos", fixture: "claude-code/2.1.330-todowrite-compaction-subagent.jsonl", ...plan },
  { client: "Codex", fixture: "codex/0.169.0-update-plan-compaction.jsonl", ...plan },
  { client: "Gemini CLI", fixture: gemini, ...plan },
  { client: "OpenCode", fixture: "opencode/1.18.33-todowrite-compaction.json", ...plan },
  { client: "ATIF", fixture: "", lines: [atif], ...plan },
  { client: "pi", fixture: "", lines: piLines(), text: plan.text },
  { client: "Droid", fixture: "droid/todo-text.jsonl", text: "Update first comment in index.ts" },
];
const evil = "a\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eb";
const evilFile = "../../../\u001b[31m\u202eevil/PLAN.md";
const sent = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2060-\u206f]/;

/** In every string of it, also in JSON that stands in a string. */
function harmed(value: unknown, replace: (text: string) => string): unknown {
  if (typeof value === "string") {
    if (!value.startsWith('{"')) return replace(value);
    try {
      return JSON.stringify(harmed(JSON.parse(value), replace));
    } catch {
      return replace(value);
    }
  }
  if (Array.isArray(value)) return value.map((item) => harmed(item, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [replace(name), harmed(item, replace)]));
}

function documentsOf(fixture: string): readonly unknown[] {
  const source = readFileSync(join(fixtures, fixture), "utf8");
  return fixture.endsWith(".json")
    ? [JSON.parse(source)]
    : source
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
}

test.each(sessions)(
  "$client: a text or a path in it steers no terminal, and nothing is written",
  async ({ client, fixture, lines, text, file }) => {
    const replace = (from: string) => {
      const replaced = from.replaceAll(text, `${text} ${evil}`);
      return file === undefined ? replaced : replaced.replaceAll(file, evilFile);
    };
    const documents = lines ?? documentsOf(fixture);
    const folder = temporaryFolder();
    const around = join(folder, "deep", "in", "it");
    mkdirSync(around, { recursive: true });
    const session = join(around, "session.jsonl");
    writeFileSync(session, documents.map((each) => `${JSON.stringify(harmed(each, replace))}\n`).join(""));
    const before = lookOf(folder);
    for (const argv of [
      ...["show", "log", "lost", "doctor", "verify", "blame", "health"].map((verb) => [verb, session]),
      ...[
        ["log", session, "-p"],
        ["diff", session, "v0", "head"],
        ["grep", "a", session],
        ["ls", around],
        ["compare", session, session],
        ["render", session, "--face", "handoff"],
      ],
    ]) {
      const { code, stdout, stderr } = await cli(argv, { columns: 2000, rows: 10_000, env: { NO_COLOR: "1" } });
      // A trajectory is read where it is named, and not looked for.
      const isUnlisted = argv[0] === "ls" && client === "ATIF";
      const said = isUnlisted ? expect.stringMatching(/^session-journal: no journal, [^\n]+\n$/) : "";
      expect([argv[0], code, stderr]).toEqual([argv[0], 0, said]);
      expect(stdout).not.toMatch(sent);
    }
    const { stdout } = await cli(["log", session, "-p"], { columns: 2000, rows: 10_000, env: { NO_COLOR: "1" } });
    expect(stdout).toContain("<U+202E>b");
    if (file !== undefined) expect(stdout).toContain("<U+202E>evil/PLAN.md");
    expect(lookOf(folder)).toEqual(before);
  },
);

/** The result is where a line may be put into a session, and what it begins and ends with. */
function longLineIn(source: string): readonly [at: number, first: string, last: string] {
  for (const [mark, first, last] of [
    ['"messages": [', '{"info":{"x":"', '"},"parts":[]},'],
    ['"steps":[', '{"step_id":9,"source":"system","message":"', '"},'],
  ] as const)
    if (source.includes(mark)) return [source.indexOf(mark) + mark.length, first, last];
  return [source.indexOf("\n", source.length / 2) + 1, '{"type":"assistant","x":"', '"}\n'];
}

if (isFull) {
  test.each(sessions)(
    "$client: a line of 1 GB is passed over with a heap of 128 MB, and the session around it is read",
    ({ fixture, lines }) => {
      const [plain, file] = [join(temporaryFolder(), "plain.jsonl"), join(temporaryFolder(), "session.jsonl")];
      const source = lines?.map((line) => `${JSON.stringify(line)}\n`).join("");
      const text = source ?? readFileSync(join(fixtures, fixture), "utf8");
      writeFileSync(plain, text);
      const command = [resolve("dist/command/cli.cjs"), "show", "--json"];
      const show = (path: string) => {
        const { stdout, status } = spawnSync(process.execPath, ["--max-old-space-size=128", ...command, path], {
          encoding: "utf8",
          maxBuffer: 2 ** 26,
        });
        expect(status).toBe(0);
        return JSON.parse(stdout);
      };
      const [middle, first, last] = longLineIn(text);
      const piece = "y".repeat(2 ** 20);
      const descriptor = openSync(file, "w");
      writeSync(descriptor, text.slice(0, middle) + first);
      for (let written = 0; written < 1024; written++) writeSync(descriptor, piece);
      writeSync(descriptor, last + text.slice(middle));
      closeSync(descriptor);
      expect(show(plain).version).toBeGreaterThan(0);
      expect(show(file)).toEqual(show(plain));
    },
  );
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { runCli } from "../../src/cli/run.ts";
import { verbs } from "../../src/cli/verbs.ts";
import { cli, fixture, newSession, root, withoutProgress } from "./cli.ts";

const names = Object.keys(verbs);

test("help names every verb, and every option that all verbs know", async () => {
  const { code, stdout, stderr } = await cli(["--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const name of names) expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"));
  for (const option of ["--json", "--fold", "--namespace", "--actor", "--limits", "--help", "--version"]) {
    expect(stdout).toContain(option);
  }
});

test.each(names)("%s --help shows how to use it, with an example of itself", async (name) => {
  const { code, stdout, stderr } = await cli([name, "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(new RegExp(`^usage +session-journal ${name} .*<`, "m"));
  expect(stdout).toMatch(new RegExp(`^example +session-journal ${name} `, "m"));
  const verb = await verbs[name]?.();
  for (const option of Object.keys(verb?.options ?? {})) expect(stdout).toContain(`--${option}`);
});

test.each([
  [["help"], ["--help"]],
  [
    ["help", "log"],
    ["log", "--help"],
  ],
  [
    ["--json", "help", "log"],
    ["--json", "log", "--help"],
  ],
  [["help", "help"], ["--help"]],
])("who asks for help with a word gets it: %j", async (asked, meant) => {
  const { code, stdout } = await cli(asked);
  expect({ code, stdout }).toEqual({ code: 0, stdout: (await cli(meant)).stdout });
});

test("help for a verb that is none says so", async () => {
  expect((await cli(["help", "shwo"])).stderr).toContain('unknown verb "shwo": did you mean show?');
});

test("help says every kind of place that a session can be in", async () => {
  const { stdout } = await cli(["--help"]);
  for (const place of ["sqlite:FILE#SESSION", "nats://HOST/PREFIX#SESSION", "postgres://HOST/DATABASE#SESSION"])
    expect(stdout).toContain(place);
});

test("a session named help is a session", async () => {
  expect((await cli(["show", "help"])).stderr).toContain("help does not exist: check the path");
});

test("--version is the version of the package", async () => {
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  expect(await cli(["--version"])).toEqual({ code: 0, stdout: `${version}\n`, stderr: "" });
  expect(await cli(["--version", "--json"])).toEqual({
    code: 0,
    stdout: `${JSON.stringify({ version })}\n`,
    stderr: "",
  });
});

describe("what is not understood ends with 2 and one line that says what to do", () => {
  test.each([
    ["no verb", [], "name a verb and a session"],
    ["an unknown verb", ["shwo", fixture], 'unknown verb "shwo": did you mean show?'],
    ["a verb that every object has", ["constructor", fixture], 'unknown verb "constructor"'],
    ["no session", ["show"], "name the session: session-journal show [<session>]"],
    ["no session to serve", ["mcp"], "session-journal mcp <session>, to serve a scratchpad to an MCP client"],
    ["no shell", ["completion"], "name the shell (bash, zsh, fish): session-journal completion <shell>"],
    ["an empty session", ["show", ""], "the name of the session is empty"],
    ["an unknown option", ["log", fixture, "--trun", "3"], "unknown option --trun: did you mean --turn?"],
    ["an unknown short option", ["log", fixture, "-x"], "unknown option -x"],
    [
      "an option of another verb",
      ["show", fixture, "--grep", "x"],
      "unknown option --grep (session-journal show --help lists those of show)",
    ],
    ["the beginning of an option", ["report", fixture, "--out", "x"], "unknown option --out: did you mean --output?"],
    [
      "an unknown option of no verb",
      ["--vershun"],
      "unknown option --vershun: did you mean --version? (--help lists all)",
    ],
    ["an option without its value", ["log", fixture, "--grep"], "--grep needs a value: --grep TEXT"],
    ["an option in the place of a value", ["log", fixture, "--grep", "--json"], "--grep needs a value"],
    ["a value for a flag", ["show", fixture, "--json=yes"], "--json takes no value"],
    ["a value that is no choice", ["render", fixture, "--face", "scratch"], "did you mean scratchpad?"],
    ["a fold that is no policy", ["show", fixture, "--fold", "files"], "did you mean file?"],
    ["a turn that is no number", ["log", fixture, "--turn", "last"], '--turn takes a whole number from 0, not "last"'],
    ["a short option without a number", ["log", fixture, "-n", "few"], '-n takes a whole number from 0, not "few"'],
    ["a word too many", ["show", fixture, "v1"], '"v1" is one argument too many'],
    ["two values for one", ["show", fixture, "--at", "v1", "--at", "v2"], "--at is given twice: leave one out"],
    ["two values, one of them short", ["log", fixture, "-S", "a", "--pickaxe", "b"], "--pickaxe is given twice"],
    ["a missing parameter", ["restore", fixture], "POINT is missing"],
    ["limits that are no JSON", ["show", fixture, "--limits", "{notes}"], "--limits takes a JSON object"],
    ["limits that are no object", ["show", fixture, "--limits", "[1]"], "--limits takes a JSON object"],
    ["an unknown limit", ["show", fixture, "--limits", '{"note":1}'], "did you mean limits.notes?"],
    ["a limit that is a text", ["show", fixture, "--limits", '{"notes":"5"}'], 'at least 0, not "5"'],
    ["an empty actor", ["show", fixture, "--actor", ""], "the value of --actor is empty"],
    ["a text to search for that is empty", ["log", fixture, "-S", ""], "the value of -S is empty"],
    ["a key that is named by nothing", ["show", fixture, "--seal-file="], "the value of --seal-file is empty"],
    ["a path through a file to list", ["ls", join(fixture, "x")], "x does not exist: check the path"],
    ["a path through a file to search", ["grep", "x", join(fixture, "x")], "x: its folder is not a folder"],
    ["a path through a file to view", ["view", join(fixture, "x")], "x: its folder is not a folder"],
    ["a folder to put a report in", ["report", fixture, "-o", root], "is a folder: name a file in it"],
    ["a point that is none", ["show", fixture, "--at", "last week"], '"last week" is not a point'],
    ["a point beyond the end", ["show", fixture, "--at", "v99"], "v99 is beyond the end"],
    ["an action that is no JSON", ["apply", fixture, "{action:set_plan}"], "the action is not JSON"],
    ["an action before its session", ["apply", "{}", fixture], "the action stands where the session belongs"],
    ["a session before the verb", [fixture, "log"], "the verb comes first: session-journal show "],
    ["an address before the verb", ["nats://u:secret@h/p"], 'unknown verb "nats://h/p"'],
    ["nothing to redact", ["report", fixture, "-o", "-", "--redact", ""], "the value of --redact is empty"],
    ["a text to redact that is empty", ["redact", fixture, "-o", "x", "--text", ""], "the value of --text is empty"],
    ["no text to redact on standard input", ["redact", fixture, "-o", "x", "--text", "-"], "standard input is empty"],
    ["a session to search by an index", ["grep", "x", fixture, "--full-text"], "leave out --full-text"],
    ["a folder to search by an index", ["grep", "x", root, "--full-text"], "leave out --full-text"],
    [
      "a broker to search by an index",
      ["grep", "x", "nats://u:secret@127.0.0.1:1/pads", "--full-text"],
      "--full-text searches a database, and nats://127.0.0.1:1/pads is none",
    ],
    [
      "a file without a token",
      ["mcp", fixture, "--http", "0", "--token-file", join(root, "LICENSE")],
      "LICENSE holds no token, which is at least 16 visible ASCII characters",
    ],
    ["a port that is none", ["mcp", fixture, "--http", "99999"], "--http takes a number up to 65535"],
    ["two shapes at once", ["log", fixture, "--json", "--format", "csv"], "leave out --json, -p and --oneline"],
    ["a table on one line", ["log", fixture, "--format", "csv", "--oneline"], "leave out --json, -p and --oneline"],
    ["changed words without a diff", ["log", fixture, "--word-diff"], "--word-diff is for diffs: add -p"],
    ["two shapes of a diff", ["diff", fixture, "--stat", "--patch"], "--patch and --stat exclude each other"],
    ["words of a summary", ["diff", fixture, "--stat", "--word-diff"], "--word-diff and --stat exclude each other"],
    [
      "a value of an unknown option",
      ["show", "--databse=postgres://u:secret@h/db"],
      "unknown option --databse (session-journal show --help lists those of show)",
    ],
    ["one end of a range", ["diff", fixture, "v3.."], "v3.. has one point, and FROM..TO takes two: v3..head"],
    ["the other end of a range", ["diff", fixture, "..v3"], "FROM..TO takes two: v0..v3"],
    ["a point behind a range", ["diff", fixture, "v3..v5", "v7"], '"v7" is one point too many: v3..v5 are two'],
    ["a point, and what else there is", ["show", fixture, "--at", "lunch"], '"head"; or a time in UTC: yesterday'],
    ["a source that is none", ["log", fixture, "--source", "nope"], "--source takes model, user, tool or imported"],
    ["a source to report", ["report", fixture, "-o", "-", "--source", "tol"], "did you mean tool?"],
    ["a source to blame", ["blame", fixture, "--source", "nope"], "--source takes model"],
    ["a source that lost", ["lost", fixture, "--source", "nope"], "--source takes model"],
    ["a source to compare", ["diff", fixture, "--source", "nope"], "--source takes model"],
    ["a place and every folder", ["grep", "x", fixture, "--all"], "leave out --all, or the place"],
    ["help with two verbs", ["help", "show", "log"], '"log" is one argument too many: session-journal help [VERB]'],
    ["an empty pattern", ["grep", "", fixture], "PATTERN is empty"],
    ["a place to search that is empty", ["grep", "x", ""], "the name of the session, folder or database is empty"],
    ["a session to import into", ["import", "tasks", "tasks.md"], "name the session: session-journal import KIND FILE"],
    ["a file to import", ["import", "tasks"], "FILE is missing: session-journal import KIND FILE"],
    ["a file that looks like options", ["show", "-dash.jsonl"], "write ./-dash.jsonl if it is the name of a file"],
    [
      "a version that is not there",
      ["lost", fixture, "--restore", "99"],
      "99 is beyond the end: the newest version is",
    ],
    [
      "a seal that is not there",
      ["show", fixture, "--seal-file", "no"],
      "key, no, cannot be read (ENOENT): check the path",
    ],
    ["a page of no session", ["view", "package.json"], "package.json is not a session file"],
    ["a hash that is none", ["verify", fixture, "--head", "zz", "--at", "7"], "--head takes a whole hash"],
    ["the beginning of a hash", ["verify", fixture, "--head", "9f2c4e8b", "--at", "7"], "32 or 64 hex digits"],
    ["a page and JSON at once", ["report", fixture, "-o", "-", "--json"], "leave out --json"],
    ["a file in the place of a folder", ["ls", "package.json"], "name a folder of sessions, or sqlite:"],
    ["a mistyped scheme", ["show", "sqllite:p.db#a"], "cannot open sqllite: addresses"],
    ["half of a head", ["verify", fixture, "--head", "abc"], "--head and --at belong together"],
    ["a command for many actions", ["apply", fixture, "-", "--command", "c"], "--command is for one action"],
  ])("%s", async (_, argv, reason) => {
    const { code, stdout, stderr } = await cli(argv);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/^session-journal: [^\n]+\n$/);
    expect(stderr).toContain(reason);
  });
});

test("a session that is not there cannot be read, and reading does not make it", async () => {
  const file = newSession();
  for (const argv of [
    ["show", file],
    ["log", file],
    ["diff", file],
    ["verify", file],
    ["render", file],
    ["restore", file, "v0"],
  ]) {
    const { code, stderr } = await cli(argv);
    expect({ code, stderr }).toEqual({ code: 2, stderr: `session-journal: ${file} does not exist: check the path\n` });
  }
});

test("options may stand before the verb and between its words", async () => {
  const usual = await cli(["diff", fixture, "t3", "t4", "--json"]);
  expect(await cli(["--json", "diff", fixture, "t3", "t4"])).toEqual(usual);
  expect(await cli(["diff", "--json", fixture, "t3", "t4"])).toEqual(usual);
});

test.each([
  ["show", "throws"],
  ["show", "tells later"],
  ["view", "tells later"],
])("a standard output that takes nothing is named, and ends %s, where its stream %s", async (verb, how) => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  let stderr = "";
  const code = await runCli({
    argv: [verb, fixture],
    stdin: () => Readable.from([]),
    stdout: {
      on: () => undefined,
      write: (_text, done) => {
        if (how === "throws") throw full;
        done(full);
      },
    },
    stderr: { write: (text) => (stderr += text) },
    env: {},
    interruption: () => new AbortController().signal,
  });
  expect({ code, stderr: withoutProgress(stderr) }).toEqual({
    code: 2,
    stderr:
      "session-journal: cannot write to standard output (ENOSPC): check the space and the permissions at its destination\n",
  });
});

test("hostile words are shown in the error, not sent to the terminal", async () => {
  const { stderr } = await cli(["show", "/nowhere/\u001b[2J\n\u202Esession.jsonl"]);
  expect(stderr).toContain("/nowhere/␛[2J␊<U+202E>session.jsonl");
  expect(stderr.split("\n")).toHaveLength(2);
});

test.each([
  [["show", ""], "the name of the session is empty"],
  [["follow", fixture, "--from", "v99"], "v99 is beyond the end: the newest version is "],
  [["import", "todo.txt", "nowhere.txt", "never-made.jsonl"], "nowhere.txt cannot be read (ENOENT): check the path"],
])("%j says at once, in one line, what is wrong", async (words, reason) => {
  const { code, stdout, stderr } = await cli(words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(reason);
  expect(stderr.trimEnd()).not.toContain("\n");
});

test("a span without a change says so", async () => {
  expect((await cli(["diff", fixture, "v2", "v2"])).stdout).toBe(
    "nothing changed: there is no event in this span, which begins and ends at v2\n",
  );
});

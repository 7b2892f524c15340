import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { widthOf } from "../../src/audit/width.ts";
import { manualPage } from "../../src/cli/man.ts";
import { globalOptions, type OptionSpecs } from "../../src/cli/options.ts";
import type { Pager } from "../../src/cli/output.ts";
import { openPager } from "../../src/cli/pager.ts";
import { runCli } from "../../src/cli/run.ts";
import { verbs } from "../../src/cli/verbs.ts";
import { Progress } from "../../src/cli/waiting.ts";
import { applied, cli, fixture, newSession, root, temporaryFolder } from "./cli.ts";

const plain = { NO_COLOR: "1" };
afterEach(() => void vi.useRealTimers());

describe("what goes into a pipe or a file is never cut", () => {
  test.each(["log", "blame", "lost", "ls"])("%s", async (verb) => {
    const long = `${"word ".repeat(60)}end of the text`;
    const actor = "an-actor-with-a-name-that-is-longer-than-twenty";
    const file = await applied(
      newSession(),
      { action: "set_notes", content: long, actor },
      { action: "set_notes", content: "", actor: "other" },
      { action: "set_notes", content: long, actor },
    );
    const { stdout } = await cli([verb, ...(verb === "ls" ? [file.replace(/[^/]+$/, "")] : [file])], {
      env: { COLUMNS: "30" },
    });
    expect(stdout).toContain(verb === "ls" ? file : "end of the text");
    expect(stdout).toContain(actor);
    expect(stdout).not.toContain("…");
  });
});

test("COLUMNS goes before what the terminal says of itself", async () => {
  const { stdout } = await cli(["log", fixture], { columns: 200, env: { ...plain, COLUMNS: "90" } });
  expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBe(90);
  const other = await cli(["log", fixture], { columns: 85, env: { ...plain, COLUMNS: "wide" } });
  expect(Math.max(...other.stdout.split("\n").map((line) => line.length))).toBe(85);
});

test.each(["log", "blame", "lost", "ls"])("%s runs over no edge of a narrow terminal", async (verb) => {
  for (const columns of [30, 45, 60, 80]) {
    const { stdout } = await cli([verb, verb === "ls" ? dirname(fixture) : fixture], { columns, env: plain });
    const lines = stdout.split("\n");
    // A path that is wider than the terminal stands alone, and is whole.
    for (const line of lines.filter((line) => !/^ *\/\S+$/.test(line)))
      expect(widthOf(line), line).toBeLessThanOrEqual(verb === "ls" ? Math.max(columns, 42) : columns);
    expect(lines.filter((line) => /^(v\d|-)/.test(line)).length).toBeGreaterThan(0);
  }
});

test.each([
  ["verify", join(root, "fixtures/journals/0.1.0/contest.jsonl")],
  ["doctor", join(root, "fixtures/journals/0.1.0/contest.jsonl")],
  ["log", "--help"],
  ["--help"],
])("%s %s cuts no sentence on a narrow terminal", async (...argv) => {
  const words = (text: string) => text.split(/\s+/).join(" ");
  const whole = (await cli(argv)).stdout;
  for (const columns of [40, 60, 80])
    expect(words((await cli(argv, { columns, env: plain })).stdout), String(columns)).toBe(words(whole));
});

test("what grep found is in sight on a narrow terminal, wherever it stands in its line", async () => {
  for (const columns of [40, 80]) {
    const { stdout } = await cli(["grep", "Europe/Berlin", fixture], { columns, env: plain });
    expect(stdout).toContain("Europe/Berlin.");
    for (const line of stdout.split("\n")) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
  }
});

test("--color goes before the environment", async () => {
  const isColoured = async (when: string, env: Record<string, string>, columns?: number) =>
    (await cli(["diff", fixture, "t4", "--color", when], { env, ...(columns && { columns }) })).stdout.includes(
      "\u001b[",
    );
  expect(await isColoured("always", { NO_COLOR: "1" })).toBe(true);
  expect(await isColoured("never", { FORCE_COLOR: "1" }, 80)).toBe(false);
  expect(await isColoured("auto", {}, 80)).toBe(true);
  expect(await isColoured("auto", { NO_COLOR: "1" }, 80)).toBe(false);
});

describe("a pager", () => {
  /** Keeps what it is shown. */
  function kept(isShown = true) {
    const shown: string[] = [];
    const made: string[] = [];
    const left = new Promise<boolean>(() => undefined);
    const pager: Pager = { write: (text) => void shown.push(text), ended: left, end: async () => isShown };
    const openPager = async (command: string) => {
      made.push(command);
      return pager;
    };
    return { shown, made, openPager };
  }

  test("shows what is longer than the screen, and nothing that fits", async () => {
    const whole = (await cli(["log", fixture], { columns: 80, env: plain })).stdout;
    const long = kept();
    const paged = await cli(["log", fixture], { columns: 80, rows: 10, env: plain, openPager: long.openPager });
    expect({ made: long.made, shown: long.shown.join(""), ...paged }).toEqual({
      made: ["less"],
      shown: whole,
      code: 0,
      stdout: "",
      stderr: "",
    });
    const short = kept();
    expect(
      (await cli(["log", fixture], { columns: 80, rows: 40, env: plain, openPager: short.openPager })).stdout,
    ).toBe(whole);
    expect(short.made).toEqual([]);
  });

  test.each([
    ["in a pipe", ["log", fixture], {}, {}],
    ["with --no-pager", ["log", fixture, "--no-pager"], {}, { columns: 80, rows: 5 }],
    ["where PAGER is empty", ["log", fixture], { PAGER: "" }, { columns: 80, rows: 5 }],
    ["where PAGER is cat", ["log", fixture], { PAGER: "cat" }, { columns: 80, rows: 5 }],
    ["on a terminal that less cannot use", ["log", fixture], { TERM: "dumb" }, { columns: 80, rows: 5 }],
    ["of answers", ["apply", "SESSION", '{"action":"set_plan","content":"a"}'], {}, { columns: 20, rows: 2 }],
  ])("is not used %s", async (_, argv, env, size) => {
    const { made, openPager } = kept();
    const words = argv.map((word) => (word === "SESSION" ? newSession() : word));
    const { stdout } = await cli(words, { env: { ...plain, ...env }, ...size, openPager });
    expect(made).toEqual([]);
    expect(stdout).not.toBe("");
  });

  test("that cannot be run costs nothing: the text is shown without it", async () => {
    const { openPager } = kept(false);
    const { stdout } = await cli(["log", fixture], { columns: 80, rows: 5, env: plain, openPager });
    expect(stdout).toBe((await cli(["log", fixture], { columns: 80, env: plain })).stdout);
  });

  test("that is left early ends the work, as a pipe does that nobody reads", async () => {
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}.`);
    const file = await applied(newSession(), ...texts.map((content) => ({ action: "set_notes" as const, content })));
    const { shown } = kept();
    const left: Pager = {
      write: (text) => void shown.push(text),
      ended: Promise.resolve(true),
      end: async () => true,
    };
    const outcome = await cli(["log", "-p", file], { columns: 80, rows: 5, env: plain, openPager: async () => left });
    expect(outcome).toEqual({ code: 0, stdout: "", stderr: "" });
    expect(shown.join("")).toContain("text 0.");
    expect(shown.join("")).not.toContain("text 199.");
  });

  test("has the terminal for itself: no progress is told from then on", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    let told = "";
    const stream = { write: (_: unknown, done: () => void) => done(), on: () => undefined };
    await runCli({
      argv: ["log", fixture],
      stdin: () => Readable.from([]),
      stdout: { ...stream, isTTY: true, columns: 80, rows: 5 },
      stderr: { isTTY: true, write: (text) => (told += text) },
      env: { ...plain, HOME: join(root, "no-home") },
      interruption: () => new AbortController().signal,
      openPager: async () => {
        vi.advanceTimersByTime(5000);
        return kept().openPager("less");
      },
    });
    expect(told).toBe("");
  });

  test("that was left keeps no interruption from the work that goes on", async () => {
    const before = process.listenerCount("SIGINT");
    const pager = await openPager("true", process.env);
    expect(process.listenerCount("SIGINT")).toBe(before + 1);
    await pager.ended;
    expect(process.listenerCount("SIGINT")).toBe(before);
  });

  test("is the command that PAGER names, run by a shell", async () => {
    const file = join(temporaryFolder(), "shown");
    const pager = await openPager(`sed s/a/b/ > '${file}'`, process.env);
    pager.write("aa\n");
    expect(await pager.end()).toBe(true);
    expect(readFileSync(file, "utf8")).toBe("ba\n");
    expect(await (await openPager("exit 127", process.env)).end()).toBe(false);
  });
});

describe("work of more than a second is told on standard error", () => {
  const told = async (isTTY: boolean, workMs: number): Promise<string> => {
    vi.useFakeTimers();
    let text = "";
    const stderr = { isTTY, write: (more: string) => (text += more) };
    const work = () => new Promise<void>((resolve) => setTimeout(resolve, workMs));
    const done = new Progress(stderr).during("sqlite:a.db#b", work);
    await vi.advanceTimersByTimeAsync(workMs);
    await done;
    return text;
  };

  test("in a file by one line, and not before", async () => {
    expect(await told(false, 900)).toBe("");
    expect(await told(false, 3500)).toBe("session-journal: at work on sqlite:a.db#b, 1 s\n");
  });

  test("on a terminal by a line that moves on and is gone in the end", async () => {
    expect(await told(true, 1300)).toBe(`${"\rsession-journal: at work on sqlite:a.db#b, 1 s".repeat(2)}\r\u001b[K`);
  });
});

test("--word-diff shows both words within the line", async () => {
  const { stdout } = await cli(["diff", fixture, "t3", "t4", "--word-diff"]);
  expect(stdout).toContain(" 2. {+~~+}Fix src/auth/token.ts{+~~ DONE+}\n");
  expect(stdout).not.toMatch(/^[-+](?![-+]{2} )/m);
  expect((await cli(["log", fixture, "-p", "--word-diff", "--turn", "4"])).stdout).toContain("{+~~+}");
});

test("a diff names the space, and counts its lines", async () => {
  const file = await applied(
    newSession(),
    { action: "set_notes", content: "a\nb" },
    { action: "entries.write", key: "k", content: "one" },
    { action: "sections.write", name: "s", content: "two" },
  );
  const { stdout } = await cli(["diff", file, "v0"]);
  expect(stdout.replaceAll(/\d{4}-.*Z/g, "TIME")).toBe(
    [
      "--- v0 notes\n+++ v3 notes\n@@ -0,0 +1,2 @@\n+a\n+b",
      "--- v0 entry k\n+++ v3 entry k\n@@ -0,0 +1,1 @@\n+one",
      "--- v0 section s\n+++ v3 section s\n@@ -0,0 +1,2 @@\n+(TIME)\n+two\n",
    ].join("\n"),
  );
});

test("a suggestion is made only where it is near", async () => {
  expect((await cli(["lgo", fixture])).stderr).toContain('unknown verb "lgo": did you mean log?');
  expect((await cli(["frobnicate", fixture])).stderr).toBe(
    'session-journal: unknown verb "frobnicate" (--help lists all)\n',
  );
  expect((await cli(["log", fixture, "--quux"])).stderr).toBe(
    "session-journal: unknown option --quux (session-journal log --help lists those of log)\n",
  );
});

describe("completion", () => {
  const complete = (...words: string[]): string[] => {
    const run = spawnSync(
      "bash",
      [
        "-c",
        `eval "$(cat)"; COMP_WORDS=("$@"); COMP_CWORD=$(($#-1)); _session_journal; printf '%s\\n' "\${COMPREPLY[@]}"`,
        "bash",
        ...words,
      ],
      { input: bash, encoding: "utf8" },
    );
    expect(run.stderr).toBe("");
    return run.stdout.trim().split("\n");
  };
  let bash = "";

  test("bash is given verbs, options and the values of options", async () => {
    bash = (await cli(["completion", "bash"])).stdout;
    expect(complete("session-journal", "")).toEqual(expect.arrayContaining(Object.keys(verbs)));
    expect(complete("session-journal", "ver")).toEqual(["verify"]);
    expect(complete("session-journal", "log", "s.jsonl", "--gr")).toEqual(["--grep"]);
    expect(complete("session-journal", "render", "s.jsonl", "--face", "n")).toEqual(["notepad"]);
    expect(complete("session-journal", "setup", "cl")).toEqual(["claude-code", "claude-desktop", "cline"]);
    expect(complete("session-journal", "import", "to")).toEqual(["todo.txt"]);
    expect(complete("session-journal", "completion", "")).toEqual(["bash", "zsh", "fish"]);
    expect(complete("session-journal", "show", join(fixture, "..", "pi-0.87.1.js"))).toEqual([
      join(fixture, "..", "pi-0.87.1.jsonl"),
    ]);
  });

  test("zsh and fish have theirs, and another shell is refused", async () => {
    expect((await cli(["completion", "zsh"])).stdout).toMatch(/^autoload -U \+X bashcompinit/);
    const fish = (await cli(["completion", "fish"])).stdout;
    for (const verb of Object.keys(verbs)) expect(fish).toContain(` -f -a ${verb} -d '`);
    expect((await cli(["completion", "bahs"])).stderr).toContain('no completion for "bahs": did you mean bash?');
  });
});

test("the manual has every verb with its options", async () => {
  const page = await manualPage("1.2.3");
  for (const [name, load] of Object.entries(verbs)) {
    expect(page).toContain(`\n.SS session\\-journal ${name} `);
    for (const option of Object.keys((await load()).options ?? {})) {
      expect(page).toContain(`\\-\\-${option.replaceAll("-", "\\-")}`);
    }
  }
});

test("the manual breaks no command with a hyphen, and puts no spaces into it", async () => {
  expect(await manualPage("1.2.3")).toMatch(/^\.TH .*\n\.nh\n\.ad l\n/);
});

test("help names every word that an option takes", async () => {
  const tables: [string, OptionSpecs][] = [["every verb", globalOptions]];
  for (const [name, load] of Object.entries(verbs)) tables.push([name, (await load()).options ?? {}]);
  for (const [name, options] of tables) {
    for (const [option, { choices = [], about }] of Object.entries(options)) {
      const unnamed = choices.filter((choice) => !new RegExp(`\\b${choice}\\b`).test(about));
      expect([name, option, unnamed]).toEqual([name, option, []]);
    }
  }
});

import { copyFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { planProgress } from "../../src/audit/steps.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { applied, bytesOf, cli, fixture, json, newSession, root, values } from "./cli.ts";

interface Moment {
  readonly version: number;
  readonly turn: number;
  readonly at?: string;
  readonly state: { readonly plan: string; readonly refs: readonly string[] };
}
interface Recorded {
  readonly version: number;
  readonly turn: number;
  readonly actor: string;
  readonly event: { readonly type: string };
}

const versions = async (...argv: readonly string[]): Promise<number[]> =>
  ((await json("log", fixture, ...argv)) as Recorded[]).map(({ version }) => version);

describe("show", () => {
  test("--json is what `at` answers in the library", async () => {
    const journal = await openJournal(fixture, { readonly: true });
    const progress = { done: 3, total: 5, current: "Changelog" };
    expect(await json("show", fixture)).toEqual([
      { ...JSON.parse(JSON.stringify(await journal.at("head"))), progress },
    ]);
    expect(await json("show", fixture, "--at", "v0")).toEqual([JSON.parse(JSON.stringify(await journal.at("v0")))]);
    await journal.close();
  });

  test.each([
    ["v7", 7],
    ["7", 7],
    ["t4", 7],
    ["#8b97d8ca", 1],
    ["2026-03-09T13:10:00Z", 6],
    ["v0", 0],
    ["head", 13],
  ])("--at %s is version %i", async (point, version) => {
    expect(((await json("show", fixture, "--at", point)) as Moment[])[0]?.version).toBe(version);
  });

  test("each space stands with its use against its budget, and one over it says so", async () => {
    const { stdout } = await cli(["show", fixture, "--limits", '{"plan":100}']);
    expect(stdout).toContain("v13 · turn 9 · 2026-03-09 13:18:36Z");
    expect(stdout).toMatch(/^notes +503\/4000 chars\n {2}Bug: tokens/m);
    expect(stdout).toMatch(/^plan +149\/100 chars, over budget\n {2}1\. /m);
    expect(stdout).toMatch(/^refs +5\/50 items\n +1 {2}src\/auth\/token\.ts/m);
    expect(stdout).toMatch(/^entries +0\/262144 bytes$/m);
    expect(stdout).toMatch(/^sections +0\/20 sections$/m);
  });

  test("entries with their leases, and sections with their time, are shown", async () => {
    const file = await applied(
      newSession(),
      { action: "entries.write", key: "cause", content: "time zone" },
      { action: "entries.claim", key: "cause", actor: "ana" },
      { action: "sections.write", name: "today", content: "release", ttlMinutes: 5 },
    );
    const { stdout } = await cli(["show", file]);
    expect(stdout).toMatch(/^ {2}cause {2}9 bytes, held by ana until \d{4}-.*Z\n {4}time zone$/m);
    expect(stdout).toMatch(/^ {2}today {2}\d{4}-.*Z, for 5 minutes\n {4}release$/m);
  });
});

describe("log", () => {
  test("--json is the history of the library, an event a line, with the progress of a plan that changed", async () => {
    const journal = await openJournal(fixture, { readonly: true });
    const history: unknown[] = [];
    for await (const recorded of journal.history()) {
      const { event } = recorded;
      history.push(event.type === "plan.set" ? { ...recorded, progress: planProgress(event.text) } : recorded);
    }
    expect(await json("log", fixture)).toEqual(history);
    await journal.close();
  });

  test("an event is one line with version, time, turn, actor, use before and after, and what it added", async () => {
    const lines = (await cli(["log", fixture])).stdout.split("\n").filter((line) => line.startsWith("v"));
    expect(lines).toHaveLength(13);
    expect(lines[5]).toBe(
      "v6   2026-03-09 13:08:14Z  t3  host  refs set              4 → 5/50        + test/auth/token.test.ts:31",
    );
  });

  test("what the host did stands between the events, unless something is filtered out", async () => {
    const { stdout } = await cli(["log", fixture]);
    const order = stdout.split("\n").map((line) => /^(v\d+|-.*host {2}[a-z ]+?) {2}/.exec(line)?.[1]);
    const marker = (time: string, what: string) => `-    2026-03-09 ${time}Z  -   host  ${what}`;
    expect(order.filter((each) => each !== undefined)).toEqual([
      marker("13:02:11", "model changed"),
      ...["v1", "v2", "v3", "v4", "v5", "v6", "v7"],
      marker("13:10:16", "context compacted"),
      ...["v8", "v9"],
      marker("13:12:50", "conversation rewound"),
      marker("13:14:37", "model changed"),
      ...["v10", "v11", "v12", "v13"],
    ]);
    expect((await cli(["log", fixture, "--turn", "5"])).stdout).not.toContain("compacted");
  });

  test("where there is no event it says so, and why in the session of another client", async () => {
    const empty = newSession();
    await (await openJournal(empty)).close();
    const said = "session-journal: nothing was written to a scratchpad in this session yet\n";
    expect(await cli(["log", empty])).toEqual({ code: 0, stdout: "", stderr: said });
    expect(await cli(["log", empty, "--json"])).toEqual({ code: 0, stdout: "", stderr: "" });
    const { code, stdout, stderr } = await cli(["log", join(root, "fixtures/sessions/codex/0.66-no-plan.jsonl")]);
    expect([code, stdout, stderr]).toEqual([0, "", expect.stringContaining("the agent did not use update_plan")]);
  });

  test("--markers puts them into --json as objects of their own, in the order of the file", async () => {
    const lines = (await json("log", fixture, "--markers")) as { marker?: string; version?: number }[];
    expect(lines.flatMap(({ marker }) => marker ?? [])).toEqual(["model", "compaction", "branch", "model"]);
    const compaction = lines.findIndex(({ marker }) => marker === "compaction");
    expect(lines[compaction - 1]?.version).toBe(7);
    expect(lines.filter(({ version }) => version !== undefined)).toEqual(await json("log", fixture));
  });

  test("a refusal says what was offered, and leaves its space as full as it was", async () => {
    const file = await applied(newSession(), { action: "set_notes", content: "n".repeat(3990) });
    await cli(["apply", file, '{"action":"append_notes","content":"eleven more"}']);
    expect((await cli(["log", file])).stdout).toMatch(
      /^v2 .* append_notes refused: over budget {2}3990 → 3990\/4000 {2}eleven more$/m,
    );
    const [, refusal] = await json("log", file, "-p");
    expect(refusal).toMatchObject({ use: { space: "notes", before: 3990, after: 3990, limit: 4000 }, patch: [] });
    const [other] = await json("log", file, "-p", "--limits", '{"notes":8000}');
    expect(other).toMatchObject({ use: { before: 0, after: 3990, limit: 8000 } });
  });

  test("--format csv is a table in which nothing calculates", async () => {
    const hostile = '=HYPERLINK("http://x";"y"),\nsecond line';
    const file = await applied(newSession(), { action: "set_plan", content: hostile, command: "+1" });
    const { stdout } = await cli(["log", file, "--format", "csv"]);
    const [header, ...rest] = stdout.split("\n");
    expect(header).toBe("version,at,turn,actor,type,space,what,text,before,after,limit,command,commit,entry,source");
    expect(rest.join("\n")).toMatch(
      /^1,20[^,]*Z,0,agent,plan\.set,plan,plan set,"'=HYPERLINK\(""http:\/\/x"";""y""\),\nsecond line",0,39,2000,'\+1,[\w-]+,[\w-]+,\n$/,
    );
    expect((await cli(["log", fixture, "--format", "csv", "--markers"])).stdout).toContain(
      "\n,2026-03-09T13:10:16.417Z,,host,compaction,,context compacted,",
    );
  });

  test("--format markdown is a table in which nothing is markup", async () => {
    const hostile = "a|b <img src=x> `code`\n[link](javascript:x) \u001b[2J";
    const file = await applied(newSession(), { action: "set_plan", content: hostile });
    const [header, rule, row] = (await cli(["log", file, "--format", "markdown"])).stdout.split("\n");
    expect(header).toMatch(/^\| version \| at \| turn /);
    expect(rule).toMatch(/^(\| --- ){15}\|$/);
    expect(row).toContain("| a\\|b &lt;img src=x> \\`code\\`<br>\\[link\\](javascript:x) ␛\\[2J | 0 | ");
  });

  test("no line is wider than the terminal", async () => {
    const { stdout } = await cli(["log", fixture], { columns: 80, env: { NO_COLOR: "1" } });
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBe(80);
  });

  test.each([
    ["--space refs", ["--space", "refs"], [4, 6, 11, 13]],
    ["--space notes, the single key too", ["--space", "notes"], [1, 2, 5, 9, 10]],
    ["--turn 5", ["--turn", "5"], [8, 9]],
    ["--turn t5", ["--turn", "t5"], [8, 9]],
    ["--type", ["--type", "plan.set"], [3, 7, 8, 12]],
    ["--actor", ["--actor", "host"], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]],
    ["--actor that nobody is", ["--actor", "hos"], []],
    ["--grep finds every event that says it", ["--grep", "Decision:"], [10]],
    ["--grep tells case apart", ["--grep", "decision:"], []],
    ["--grep does not look at the names of fields", ["--grep", "text"], [10]],
    ["-S only where it came or went", ["-S", "b7740aa"], [1, 4]],
    ["-S sees a removal", ["-S", "expiresAt as a number"], [9, 10]],
    ["-S within a space", ["-S", "b7740aa", "--space", "refs"], [4]],
    ["several filters", ["--space", "plan", "--grep", "DONE"], [7, 12]],
  ])("%s", async (_, filter, expected) => {
    expect(await versions(...filter)).toEqual(expected);
  });

  test("a type that no event can have is refused, not searched for in vain", async () => {
    for (const type of ["nots.set", "unknown", "constructor"]) {
      const { code, stdout, stderr } = await cli(["log", fixture, "--type", type]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toContain(`--type "${type}" is none of notes.set, `);
    }
    expect((await cli(["log", fixture, "--type", "nots.set"])).stderr).toContain("did you mean notes.set?");
    expect(await versions("--type", "entry.deleted")).toEqual([]);
  });

  test("events of a type that only a newer version knows are found by it", async () => {
    const newer = join(root, "fixtures", "damaged", "unknown-event.jsonl");
    const { stdout, stderr } = await cli(["log", newer, "--type", "notes.translated", "--json"]);
    expect(values(stdout)).toMatchObject([{ event: { name: "notes.translated" } }]);
    expect(stderr).toContain("is damaged");
  });

  test("-p shows what each event changed, and --json has it too", async () => {
    const { stdout } = await cli(["log", fixture, "-p", "--turn", "3"]);
    expect(stdout).toContain('+Test: "a fresh token is valid west of Greenwich"');
    expect(stdout).toContain("--- v5 refs\n+++ v6 refs\n");
    const [first] = (await json("log", fixture, "-p", "--turn", "3")) as {
      version: number;
      patch: unknown[];
      text: string;
    }[];
    expect(first?.version).toBe(5);
    expect(first?.patch).toHaveLength(1);
    expect(first?.text).toContain("+Test:");
  });
});

describe("diff", () => {
  const between = async (...points: string[]): Promise<[number, number]> => {
    const [{ from, to }] = (await json("diff", fixture, ...points)) as [{ from: number; to: number }];
    return [from, to];
  };

  test("without points it is the last turn, a turn alone is that turn, another point alone goes to head", async () => {
    expect(await between()).toEqual([13, 13]);
    expect(await between("t4")).toEqual([6, 7]);
    expect(await between("t0")).toEqual([0, 0]);
    expect(await between("v12")).toEqual([12, 13]);
    expect(await between("t2", "t4")).toEqual([4, 7]);
    expect(await between("t2..t4")).toEqual([4, 7]);
    expect(await between("v7", "v4")).toEqual([7, 4]);
  });

  test("it is a unified diff, and --patch is a JSON patch", async () => {
    const { stdout } = await cli(["diff", fixture, "t3", "t4"]);
    expect(stdout).toMatch(/^--- v6 plan\n\+\+\+ v7 plan\n@@ /);
    expect(stdout).toContain("\n-2. Fix src/auth/token.ts\n");
    const patch = JSON.parse((await cli(["diff", fixture, "v5", "v6", "--patch"])).stdout);
    expect(patch).toEqual([{ op: "add", path: "/refs/4", value: "test/auth/token.test.ts:31" }]);
    expect(JSON.parse((await cli(["diff", fixture, "v2", "v7", "--patch"])).stdout)).toHaveLength(7);
    expect((await cli(["diff", fixture, "--patch"])).stdout).toBe("[]\n");
  });

  test("--stat counts the lines that each space gained and lost", async () => {
    const { stdout } = await cli(["diff", fixture, "v2", "v7", "--stat"]);
    expect(stdout).toBe("notes  +1  -0  +\nplan   +4  -0  ++++\nrefs   +5  -0  +++++\n");
    expect(await json("diff", fixture, "t3", "t4", "--stat")).toEqual([{ space: "plan", added: 3, removed: 3 }]);
    const file = await applied(newSession(), { action: "entries.write", key: "k", content: "x\n".repeat(99) });
    expect((await cli(["diff", file, "v0", "--stat"])).stdout).toBe(`entries k  +100  -0  ${"+".repeat(40)}\n`);
    expect((await cli(["diff", fixture, "--stat"])).stdout).toBe("nothing changed\n");
  });

  test("where nothing changed it says so", async () => {
    expect(await cli(["diff", fixture])).toEqual({
      code: 0,
      stdout: "nothing changed: there is no event in this span, which begins and ends at v13\n",
      stderr: "",
    });
  });
});

describe("render", () => {
  test("it is the block itself, and nothing for an empty state", async () => {
    const { stdout } = await cli(["render", fixture]);
    expect(stdout).toMatch(/^\[Session Scratchpad\]\nBug: /);
    expect(stdout).toMatch(/\n\[End Scratchpad\]$/);
    expect(await json("render", fixture)).toEqual([stdout]);
    expect(await cli(["render", fixture, "--at", "v0"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test.each(["scratchpad", "single-key", "notepad"])("--face %s", async (face) => {
    const { code, stdout } = await cli(["render", fixture, "--face", face]);
    expect(code).toBe(0);
    expect(stdout).toContain("Bug: tokens expire at once");
  });
});

describe("verify", () => {
  test("a session of a real client has no damage", async () => {
    const [verification] = (await json("verify", fixture)) as {
      ok: boolean;
      findings: unknown[];
      head: { version: number };
    }[];
    expect(verification).toMatchObject({ ok: true, head: { version: 13 } });
    expect((await cli(["verify", fixture])).stdout).toMatch(
      /^OK: 13 events, no damage\. Not sealed: this shows accidents only\.\nhead: v13 [0-9a-f]{32}\n$/,
    );
  });

  test("a changed line is damage: exit code 1, with the line and the reason", async () => {
    const file = await applied(newSession(), { action: "set_plan", content: "ship" });
    writeFileSync(file, bytesOf(file).replace('"text":"ship"', '"text":"skip"'));
    const { code, stdout } = await cli(["verify", file]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^DAMAGED: 0 events, \d findings? of damage, .*\.\ndamage {2}hash +line 2, byte \d+ /);
    const [first] = values((await cli(["verify", file, "--json"])).stdout);
    expect(first).toMatchObject({ ok: false });
  });

  test("a head that was kept elsewhere is compared", async () => {
    const file = await applied(newSession(), { action: "set_plan", content: "a" });
    const [{ head }] = (await json("verify", file)) as [{ head: { version: number; hash: string } }];
    expect((await cli(["verify", file, "--head", head.hash, "--at", `v${head.version}`])).code).toBe(0);
    expect((await cli(["verify", file, "--head", "0".repeat(32), "--at", "1"])).code).toBe(1);
  });
});

test("reading changes nothing about the file and leaves nothing beside it", async () => {
  const file = newSession();
  copyFileSync(fixture, file);
  const { mtimeMs, ctimeMs, ino, size } = statSync(file);
  const before = bytesOf(file);
  for (const verb of ["show", "log", "diff", "render", "verify"]) expect((await cli([verb, file])).code).toBe(0);
  const after = statSync(file);
  expect({ mtimeMs: after.mtimeMs, ctimeMs: after.ctimeMs, ino: after.ino, size: after.size }).toEqual({
    mtimeMs,
    ctimeMs,
    ino,
    size,
  });
  expect(bytesOf(file)).toBe(before);
  expect(readdirSync(dirname(file))).toEqual(["session.jsonl"]);
});

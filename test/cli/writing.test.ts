import { copyFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { applied, bytesOf, cli, fixture, json, newSession, values } from "./cli.ts";

interface Answer {
  readonly ok: boolean;
  readonly code?: string;
  readonly message: string;
  readonly version: number;
}
interface Recorded {
  readonly version: number;
  readonly actor: string;
  readonly command?: string;
  readonly event: { readonly type: string };
}

const answers = (stdout: string): Answer[] => values(stdout) as Answer[];
const plan = (content: string, more: object = {}): string => JSON.stringify({ action: "set_plan", content, ...more });

describe("apply JSON", () => {
  test("makes the session, answers one line of JSON, and ends with 0", async () => {
    const file = newSession();
    const { code, stdout, stderr } = await cli(["apply", file, plan("1. Fix auth bug\n2. Add test")]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.endsWith("}\n")).toBe(true);
    expect(answers(stdout)).toMatchObject([{ ok: true, message: "plan set: 27/2000 chars used", version: 1 }]);
    expect(bytesOf(file)).toMatch(/^\{"type":"session","version":3,/);
  });

  test("a refusal is an answer, and ends with 1", async () => {
    const file = newSession();
    const { code, stdout, stderr } = await cli(["apply", file, '{"action":"refs.remove","ref":"a.ts"}']);
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(answers(stdout)).toMatchObject([{ ok: false, code: "not_found", version: 1 }]);
    const unknown = await cli(["apply", file, '"set_plan"']);
    expect(unknown.code).toBe(1);
    expect(answers(unknown.stdout)).toMatchObject([{ ok: false, code: "unknown_action", version: 1 }]);
  });

  test("--dedupe adds no ref twice, and names the one that is there", async () => {
    const file = newSession();
    const add = (ref: string): string => JSON.stringify({ action: "refs.add", ref });
    await cli(["apply", file, add("src/a.ts")]);
    const { code, stdout } = await cli(["apply", file, add("./src/a.ts"), "--dedupe", "normalised"]);
    expect({ code, answers: answers(stdout) }).toMatchObject({
      code: 0,
      answers: [{ ok: true, version: 1, existing: "src/a.ts" }],
    });
    const two = await cli(["apply", file, "-", "--dedupe", "exact"], {
      stdin: [`${add("src/a.ts")}\n${add("./src/a.ts")}\n`],
    });
    expect(answers(two.stdout)).toMatchObject([{ version: 1, existing: "src/a.ts" }, { version: 2 }]);
    expect((await cli(["apply", file, add("b"), "--dedupe", "some"])).code).toBe(2);
  });

  test("--expect another version ends with 1 and writes nothing", async () => {
    const file = await applied(newSession(), { action: "set_plan", content: "a" });
    const before = bytesOf(file);
    const { code, stdout, stderr } = await cli(["apply", file, plan("b"), "--expect", "0"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^session-journal: expected version 0, but [^\n]*\n$/);
    expect(bytesOf(file)).toBe(before);
    expect((await cli(["apply", file, plan("b"), "--expect", "v1"])).code).toBe(0);
  });

  test("a repeated --command is carried out once, and another action under it is an error", async () => {
    const file = newSession();
    const first = await cli(["apply", file, plan("a"), "--command", "c1"]);
    expect(await cli(["apply", file, plan("a"), "--command", "c1"])).toEqual(first);
    expect(await json("log", file)).toHaveLength(1);
    const { code, stderr } = await cli(["apply", file, plan("b"), "--command", "c1"]);
    expect(code).toBe(2);
    expect(stderr).toContain('command "c1" was used for another action');
  });

  test("another key in the action than after --command is refused, for one of them would not count", async () => {
    const file = newSession();
    const { code, stdout, stderr } = await cli(["apply", file, plan("a", { command: "inner" }), "--command", "outer"]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(
      'two keys for one action, "inner" in the action and "outer" after --command: leave one out',
    );
    expect(existsSync(file)).toBe(false);
    expect((await cli(["apply", file, plan("a", { command: "same" }), "--command", "same"])).code).toBe(0);
  });

  test("actor and command stand in the event; --actor is for actions that name nobody", async () => {
    const file = newSession();
    await cli(["apply", file, plan("a", { actor: "ana", command: "c1" }), "--actor", "ben"]);
    await cli(["apply", file, plan("b"), "--actor", "ben"]);
    const [first, second] = (await json("log", file)) as Recorded[];
    expect(first).toMatchObject({ actor: "ana", command: "c1", event: { type: "plan.set", text: "a" } });
    expect(second).toMatchObject({ actor: "ben" });
  });

  test("--limits are the budgets", async () => {
    const { stdout } = await cli(["apply", newSession(), plan("123456"), "--limits", '{"plan":5}']);
    expect(answers(stdout)[0]?.message).toContain("truncated from 6 to 5");
  });

  test("--namespace keeps another scratchpad in the same file", async () => {
    const file = await applied(newSession(), { action: "set_plan", content: "a" });
    await cli(["apply", file, plan("b"), "--namespace", "acme:pad"]);
    expect(await json("log", file)).toHaveLength(1);
    const [moment] = (await json("show", file, "--namespace", "acme:pad")) as [{ state: { plan: string } }];
    expect(moment.state.plan).toBe("b");
  });
});

describe("apply -", () => {
  test("each line is a commit; a refusal in the middle is answered and does not stop it", async () => {
    const file = newSession();
    const lines = [plan("a", { command: "c1" }), '{"action":"refs.remove","ref":"x"}', plan("b", { actor: "ana" })];
    const { code, stdout, stderr } = await cli(["apply", file, "-"], { stdin: [`${lines.join("\n")}\n`] });
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    expect(answers(stdout).map(({ ok, version }) => [ok, version])).toEqual([
      [true, 1],
      [false, 2],
      [true, 3],
    ]);
    const log = (await json("log", file)) as (Recorded & { commit: string })[];
    expect(new Set(log.map(({ commit }) => commit)).size).toBe(3);
    expect(log.map(({ actor, command }) => [actor, command])).toEqual([
      ["agent", "c1"],
      ["agent", undefined],
      ["ana", undefined],
    ]);
  });

  test("malformed JSON stops it and names its line, after the lines before it", async () => {
    const file = newSession();
    const stdin = [`${plan("a")}\n\n{"action":"set_plan","content":\n${plan("b")}\n`];
    const { code, stdout, stderr } = await cli(["apply", file, "-"], { stdin });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^session-journal: line 3 is malformed JSON: [^\n]*\n$/);
    expect(answers(stdout)).toMatchObject([{ ok: true, version: 1 }]);
    expect(await json("log", file)).toHaveLength(1);
  });

  test("a line that goes wrong otherwise is named, too", async () => {
    const { code, stderr } = await cli(["apply", newSession(), "-"], {
      stdin: [`${plan("a")}\n${plan("b", { command: 7 })}\n`],
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^session-journal: line 2: "command" of the action must be [^\n]*\n$/);
  });

  test("what is no action is refused, not fatal: null, a number, a list", async () => {
    const { code, stdout } = await cli(["apply", newSession(), "-"], { stdin: [`null\n7\n[]\n${plan("a")}`] });
    expect(code).toBe(1);
    expect(answers(stdout).map((answer) => answer.code)).toEqual([
      "unknown_action",
      "unknown_action",
      "unknown_action",
      undefined,
    ]);
  });

  test("no input is nothing to do", async () => {
    expect(await cli(["apply", newSession(), "-"], { stdin: [] })).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test.each([
    ["nothing comes", "", 0],
    ["the first line is no JSON", `{"action":\n${plan("a")}\n`, 2],
    ["the first line has a wrong option", `${plan("a", { actor: 7 })}\n${plan("b")}\n`, 2],
  ])("no session is made where %s", async (_, text, code) => {
    const file = newSession();
    expect(await cli(["apply", file, "-"], { stdin: [text] })).toMatchObject({ code, stdout: "" });
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    [["--limits", '{"note":1}'], "limits.note is not a limit"],
    [["--namespace", "a b"], 'namespace "a b"'],
    [["--seal-file", "absent.key"], "absent.key, cannot be read"],
  ])("a wrong option is told before the first line comes, and not as a fault of that line: %s", async (more, said) => {
    const file = newSession();
    for (const text of ["", `${plan("a")}\n`]) {
      const { code, stderr } = await cli(["apply", file, "-", ...more], { stdin: [text] });
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(said) });
      expect(stderr).not.toContain("line 1");
    }
    expect(existsSync(file)).toBe(false);
  });

  test("a place that cannot be written is told before the first line comes", async () => {
    const file = join(newSession(), "of no folder.jsonl");
    const { code, stderr } = await cli(["apply", file, "-"], { stdin: ["{"] });
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("create its folder first") });
  });
});

describe("restore", () => {
  test("brings a point back as a new version, and can be undone", async () => {
    const file = newSession();
    copyFileSync(fixture, file);
    const { code, stdout } = await cli(["restore", file, "t4"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^restored v7: [^\n]*\n$/) });
    expect((await json("diff", file, "v7", "head")) as object[]).toMatchObject([{ patch: [] }]);
    expect(await json("restore", file, "v13")).toMatchObject([{ ok: true, version: 15 }]);
    expect((await json("diff", file, "v13", "head")) as object[]).toMatchObject([{ patch: [] }]);
  });

  test("a point that is none writes nothing", async () => {
    const file = await applied(newSession(), { action: "set_plan", content: "a" });
    const before = bytesOf(file);
    expect((await cli(["restore", file, "v9"])).code).toBe(2);
    expect(bytesOf(file)).toBe(before);
    const absent = newSession();
    expect((await cli(["restore", absent, "v0"])).code).toBe(2);
    expect(existsSync(absent)).toBe(false);
  });
});

import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { applied, cli, fixture, json, newSession } from "./cli.ts";

const control = "\u001b]0;owned\u0007\u001b[31mred\u009b2J";
const bidi = "user\u202E\u2066 // admin\u2069";
const hidden = "a\u200Bb\uFEFFc\u{E0041}d";
const hostile = `${control}\r\n${bidi}\n${hidden}\u2028end`;

const sent = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u2028-\u202e\u2060-\u206f\ufeff]|\u{e0041}/u;

async function hostileSession(): Promise<string> {
  const file = newSession();
  return applied(
    file,
    { action: "set_notes", content: hostile, actor: hostile, command: hostile },
    { action: "set_plan", content: hostile },
    { action: "refs.add", ref: hostile },
    { action: "entries.write", key: "key", content: hostile },
    { action: "entries.claim", key: "key", actor: hostile },
    { action: "sections.write", name: "section", content: hostile },
  );
}

describe("nothing in a session steers the terminal or hides from its reader", () => {
  test.each<[string, string?]>([
    ["show"],
    ["log"],
    ["log", "-p"],
    ["diff"],
    ["diff", "--patch"],
    ["render"],
    ["verify"],
  ])("%s %s", async (verb: string, option?: string) => {
    const file = await hostileSession();
    const argv = [verb, file, ...(option === undefined ? [] : [option]), ...(verb === "diff" ? ["v0"] : [])];
    const { code, stdout } = await cli(argv, { columns: 400, env: { NO_COLOR: "1" } });
    expect(code).toBe(0);
    expect(stdout).not.toMatch(sent);
    if (verb !== "verify" && option !== "--patch") expect(stdout).toContain("user<U+202E><U+2066> // admin<U+2069>");
  });

  test.each(["show", "log", "diff", "render"])("%s --json keeps the content, escaped", async (verb) => {
    const file = await hostileSession();
    const { stdout } = await cli([verb, file, "--json"]);
    expect(stdout).not.toMatch(sent);
    expect(
      JSON.stringify(
        stdout
          .split("\n")
          .slice(0, -1)
          .map((line): unknown => JSON.parse(line)),
      ),
    ).toContain(bidi);
  });

  test("the answer of an action is escaped, too", async () => {
    const { stdout } = await cli(["apply", newSession(), JSON.stringify({ action: "set_plan", content: hostile })]);
    expect(stdout).not.toMatch(sent);
    expect(stdout.split("\n")).toHaveLength(2);
  });

  test("times, ids and types of other people's lines are content like any other", async () => {
    const file = newSession();
    copyFileSync(fixture, file);
    const line = { type: "custom", customType: "openclaw:scratchpad:plan", data: "p", id: control, timestamp: control };
    writeFileSync(file, `${readFileSync(file, "utf8")}${JSON.stringify({ ...line, parentId: null })}\n`);
    for (const verb of ["show", "log", "verify"]) expect((await cli([verb, file])).stdout).not.toMatch(sent);
  });
});

test("a program reads the block as it is", async () => {
  const file = await applied(newSession(), { action: "set_notes", content: "tab\there\u001b[0m" });
  expect((await cli(["render", file])).stdout).toContain("tab\there\u001b[0m");
});

describe("colour", () => {
  const coloured = async (env: Record<string, string>, columns?: number): Promise<boolean> => {
    const { stdout } = await cli(["diff", fixture, "t4"], { env, ...(columns === undefined ? {} : { columns }) });
    return stdout.includes("\u001b[");
  };

  test("only on a terminal, unless the environment says otherwise", async () => {
    expect(await coloured({})).toBe(false);
    expect(await coloured({}, 80)).toBe(true);
    expect(await coloured({ NO_COLOR: "1" }, 80)).toBe(false);
    expect(await coloured({ NO_COLOR: "" }, 80)).toBe(true);
    expect(await coloured({ TERM: "dumb" }, 80)).toBe(false);
    expect(await coloured({ FORCE_COLOR: "1" })).toBe(true);
    expect(await coloured({ FORCE_COLOR: "0" }, 80)).toBe(false);
    expect(await coloured({ FORCE_COLOR: "" })).toBe(false);
    expect(await coloured({ FORCE_COLOR: "", NO_COLOR: "1" }, 80)).toBe(false);
  });

  test("the words that changed are marked in a diff, and what is shown stays the same text", async () => {
    const argv = ["diff", fixture, "t3", "t4"];
    const { stdout } = await cli(argv, { env: { FORCE_COLOR: "1" } });
    const removed = /^.*Fix src\/auth\/token\.ts.*$/m.exec(stdout)?.[0];
    const added = /^.*~~.*$/m.exec(stdout)?.[0];
    expect(added).toContain("\u001b[7m");
    expect(removed).toMatch(/^\u001b\[31m-\u001b\[39m/);
    expect(stdout.replace(/\u001b\[\d+m/g, "")).toBe((await cli(argv)).stdout);
  });

  test("no colour ever stands in JSON", async () => {
    const { stdout } = await cli(["diff", fixture, "t4", "--json"], { env: { FORCE_COLOR: "1" }, columns: 80 });
    expect(stdout).not.toContain("\u001b");
    expect(await json("diff", fixture, "t4")).toEqual([JSON.parse(stdout)]);
  });
});

test("columns stay aligned behind wide characters and emoji", async () => {
  const file = await applied(
    newSession(),
    { action: "set_plan", content: "one", actor: "エージェント" },
    { action: "set_plan", content: "two", actor: "👩‍🚀" },
    { action: "set_plan", content: "six", actor: "agent" },
  );
  const { widthOf } = await import("../../src/audit/width.ts");
  const lines = (await cli(["log", file])).stdout.trimEnd().split("\n");
  const columns = lines.map((line) => widthOf(line.slice(0, line.indexOf("plan set"))));
  expect(new Set(columns).size).toBe(1);
});

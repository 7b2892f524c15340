import { existsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { bytesOf, cli, json, newSession } from "./cli.ts";

function listBeside(session: string, text = "- [x] One\n- [ ] Two\n"): string {
  const file = join(dirname(session), "TODO.md");
  writeFileSync(file, text);
  return file;
}

test("an import is shown first, taken once, and taken back by restore", async () => {
  const session = newSession();
  const file = listBeside(session);
  await cli(["apply", session, '{"action":"set_notes","content":"mine"}']);
  const before = bytesOf(session);
  const dry = await cli(["import", "tasks", file, session, "--dry-run"]);
  expect([dry.code, bytesOf(session)]).toEqual([0, before]);
  expect(dry.stdout).toMatch(
    /^would import 1 text of tasks TODO\.md, SHA-256 [0-9a-f]{64}\nset_plan {2}plan {2}19 chars\n$/,
  );
  const { code, stdout } = await cli(["import", "tasks", file, session]);
  expect([code, stdout.split("\n").at(-2)]).toEqual([0, `to take it back: session-journal restore ${session} v1`]);
  expect(await json("log", session)).toMatchObject([
    {},
    { event: { type: "session.imported", from: { client: "tasks", session: "TODO.md", bytes: 20 } } },
    { event: { type: "plan.set" }, actor: "tasks", source: "imported" },
  ]);
  expect((await cli(["import", "tasks", file, session])).stdout).toBe("imported before, at v2: nothing to do\n");
  await cli(["restore", session, "v1"]);
  expect(await json("show", session)).toMatchObject([{ version: 4, state: { notes: "mine", plan: "" } }]);
});

test("an import into a session that is still to be made is shown first, and makes nothing", async () => {
  const session = newSession();
  const argv = ["import", "tasks", listBeside(session), session, "--dry-run"];
  const { code, stdout } = await cli(argv);
  expect([code, stdout.split("\n")[1]]).toEqual([0, "set_plan  plan  19 chars"]);
  const overBudget = await cli([...argv, "--limits", '{"plan":5}']);
  expect([overBudget.code, overBudget.stdout]).toEqual([1, expect.stringContaining("room for 5 characters")]);
  expect(existsSync(session)).toBe(false);
  const inNoFolder = await cli(["import", "tasks", listBeside(session), join(session, "s.jsonl"), "--dry-run"]);
  expect(inNoFolder).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("does not exist") });
});

test("what does not fit and what is not of that kind is told in one line", async () => {
  const session = newSession();
  const long = await cli(["import", "tasks", listBeside(session, `- [ ] ${"t".repeat(3000)}`), session]);
  expect([long.code, long.stdout]).toEqual([
    1,
    "not imported: the plan has room for 2000 characters, and it has 3006: shorten it, or raise the limit\n",
  ]);
  const prose = await cli(["import", "letta", listBeside(session), session]);
  expect([prose.code, prose.stdout]).toEqual([2, ""]);
  expect(prose.stderr).toMatch(
    /^session-journal: .*TODO\.md is not taken as letta: it is not JSON; nothing was imported\n$/,
  );
  expect((await cli(["import", "todo", "x", session])).stderr).toContain("did you mean");
});

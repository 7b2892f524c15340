import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { applied, bytesOf, cli, json, newSession } from "./cli.ts";

async function parentAndChild() {
  const parent = await applied(newSession(), { action: "set_notes", content: "The build is red\nPort 8080 is taken" });
  const child = join(dirname(parent), "child.jsonl");
  await cli(["fork", parent, child]);
  return { parent, child };
}
const edit = (find: string, replace: string) => ({ action: "edit_notes", operation: "find_replace", find, replace });

test("a dry run and compare say what would be merged, and write nothing", async () => {
  const { parent, child } = await parentAndChild();
  await applied(child, { action: "append_notes", content: "TZ is wrong", actor: "scout" });
  await applied(child, { action: "set_plan", content: "1. Mine" });
  const before = bytesOf(parent);
  const { code, stdout } = await cli(["merge", parent, child, "--dry-run"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^1 change to notes would be merged from session [\w-]+, v1 to v3\nby scout@[\w-]{8}\n/);
  expect(stdout).toContain("\n+TZ is wrong\n");
  expect(stdout).toMatch(/\nnot merged: plan, which the child changed, too\n$/);
  expect((await cli(["compare", parent, child])).stdout).toContain(
    "\nmerge would bring: 1 change to notes; not plan\n",
  );
  const [compared] = await json("compare", parent, child);
  expect(compared).toMatchObject({ kinship: "forked", merge: { from: 1, to: 3, conflicts: [], left: ["plan"] } });
  expect(bytesOf(parent)).toBe(before);
});

test("what was merged is in the session, and log says of whom", async () => {
  const { parent, child } = await parentAndChild();
  await applied(child, { action: "refs.add", ref: "src/tz.ts" });
  await applied(child, { action: "set_plan", content: "1. Mine" });
  expect((await cli(["merge", parent, child, "--space", "refs", "--space", "plan"])).code).toBe(0);
  expect(await json("show", parent)).toMatchObject([{ state: { plan: "1. Mine", refs: ["src/tz.ts"] } }]);
  const events = (await json("log", parent)) as { actor: string }[];
  for (const { actor } of events.slice(1)) expect(actor).toMatch(/^agent@/);
  expect((await cli(["merge", parent, child])).stdout).toMatch(/^nothing to merge: /);
});

test("a conflict ends with 1, shows what each side has, and is decided by --conflicts", async () => {
  const { parent, child } = await parentAndChild();
  await applied(child, edit("8080", "8081"));
  await applied(parent, edit("8080", "9090"));
  const before = bytesOf(parent);
  const { code, stdout } = await cli(["merge", parent, child]);
  expect([code, bytesOf(parent)]).toEqual([1, before]);
  expect(stdout).toContain("not merged: 1 conflict (notes)");
  expect(stdout).toContain(
    "conflict in notes\nbefore:  Port 8080 is taken\nsession: Port 9090 is taken\nchild:   Port 8081 is taken\n",
  );
  expect((await cli(["compare", parent, child])).stdout).toContain("merge would bring: nothing new; 1 conflict");
  expect((await cli(["merge", parent, child, "--conflicts", "theirs"])).code).toBe(0);
  expect(await json("show", parent)).toMatchObject([{ state: { notes: "The build is red\nPort 8081 is taken" } }]);
});

test("a budget without room, a stranger and a wrong word are told in one line", async () => {
  const { parent, child } = await parentAndChild();
  await applied(child, { action: "append_notes", content: "x".repeat(30) });
  const tight = await cli(["merge", parent, child, "--limits", '{"notes":50}']);
  expect([tight.code, tight.stdout.split("\n")[0]]).toEqual([
    1,
    "not merged: notes would be over budget, 66/50: shorten it in one of the two, or raise the limit",
  ]);
  const stranger = await applied(newSession(), { action: "set_notes", content: "x" });
  const lost = await cli(["merge", parent, stranger]);
  expect([lost.code, lost.stdout]).toEqual([2, ""]);
  expect(lost.stderr).toMatch(/have nothing in common: only a child, a fork or a copy can be merged\n$/);
  expect((await cli(["merge", parent, child, "--space", "sections"])).stderr).toContain("is none of notes, plan, refs");
});

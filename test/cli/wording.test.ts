import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { inWordsOfOptions } from "../../src/cli/wording.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { cli, newSession } from "./cli.ts";

const action = '{"action":"set_plan","content":"x"}';

async function journalWith(options: object): Promise<string> {
  const file = newSession();
  const journal = await openJournal(file, options);
  await journal.plan.set("first");
  await journal.close();
  return file;
}

test("a sealed journal asks for --seal-file, not for an option of the library", async () => {
  const file = await journalWith({ seal: "key" });
  const { stderr } = await cli(["apply", file, action]);
  expect(stderr).toContain("pass its key by --seal-file FILE");
  expect(stderr).not.toContain("option seal");
  const key = join(dirname(file), "key");
  writeFileSync(key, "other");
  expect((await cli(["show", file, "--seal-file", key])).stderr).toContain("pass its own key by --seal-file FILE");
});

test("a journal under the other policy asks for --fold", async () => {
  const { stderr } = await cli(["apply", await journalWith({ fold: "branch" }), action, "--fold", "file"]);
  expect(stderr).toMatch(/repeat with --fold branch\n$/);
});

test("a version conflict asks for --expect", async () => {
  const { code, stderr } = await cli(["apply", await journalWith({}), action, "--expect", "7"]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/repeat with --expect 1\n$/)]);
});

test.each([
  ["s.jsonl is gone: put it back, or open it with create: true", "s.jsonl is gone: put it back"],
  ["another writer held it for 5 ms: try again, or raise waitMs", "another writer held it for 5 ms: try again"],
  ["(EROFS): check its permissions, or open it with readonly: true", "(EROFS): check its permissions"],
])("an option that the command does not have is not offered: %s", (library, commandLine) => {
  expect(inWordsOfOptions(library)).toBe(commandLine);
});

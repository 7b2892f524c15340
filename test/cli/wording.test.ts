import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { messageOf } from "../../src/cli/wording.ts";
import { type JournalError, StorageError } from "../../src/errors.ts";
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

test("an option that the command does not have is not offered", () => {
  const advice = { option: "create", said: ", or open it with create: true" } as const;
  const error = new StorageError(`s.jsonl is gone: put it back${advice.said}`, "not-written", {}, undefined, advice);
  expect(messageOf(error)).toBe("s.jsonl is gone: put it back");
  expect(messageOf(new Error("a text of others, or raise waitMs"))).toBe("a text of others, or raise waitMs");
});

test("an advice is a part of its message, and says the option and what to give it", async () => {
  const refused: JournalError[] = [];
  const refusedBy = async (task: Promise<unknown>) => task.catch((error: JournalError) => refused.push(error));
  const branched = await openJournal(await journalWith({ fold: "branch" }), { fold: "file" });
  await refusedBy(branched.plan.set("x"));
  const sealed = await openJournal(await journalWith({ seal: "key" }));
  await refusedBy(sealed.plan.set("x"));
  await refusedBy(branched.plan.set("x", { expectedVersion: 7 }));
  expect(refused.map(({ advice }) => [advice?.option, advice?.value])).toEqual([
    ["fold", "branch"],
    ["seal", undefined],
    ["expectedVersion", 1],
  ]);
  for (const { message, advice } of refused) expect(message).toContain(advice?.said);
  await Promise.all([branched.close(), sealed.close()]);
});

test("what is wrong with a flag is told of the flag, and of a field of an action of the action", async () => {
  const file = await journalWith({});
  const long = "a".repeat(2000);
  const copy = join(dirname(file), "copy.jsonl");
  const message = async (...argv: readonly string[]) => (await cli(argv)).stderr.replace("session-journal: ", "");
  expect(await message("redact", file, "--pattern", "(", "-o", copy)).toMatch(/^--pattern: Invalid regular expression/);
  expect(await message("redact", file, "--redact", "/(/", "-o", copy)).toMatch(/^--redact: Invalid regular expression/);
  expect(await message("redact", file, "--text", "x", "--actor", long, "-o", copy)).toMatch(
    /^--actor must be a text of/,
  );
  expect(await message("apply", file, action, "--command", long)).toMatch(/^--command must be a text of/);
  expect(await message("show", file, "--actor", long)).toMatch(/^--actor must be a text of/);
  const own = JSON.stringify({ ...JSON.parse(action), source: "web" });
  expect(await message("apply", file, own)).toMatch(/^"source" of the action must be model, user, tool/);
  const { stderr } = await cli(["apply", file, "-"], { stdin: [`${own}\n`] });
  expect(stderr).toContain('line 1: "source" of the action must be model');
});

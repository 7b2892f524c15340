import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { applied, bytesOf, cli, newSession, root, temporaryFolder } from "./cli.ts";

/** Two commits; the text of the first one was changed on disk. */
async function damagedSession(): Promise<string> {
  const file = await applied(
    newSession(),
    { action: "set_notes", content: "first" },
    { action: "set_plan", content: "1. second" },
  );
  writeFileSync(file, bytesOf(file).replace('"text":"first"', '"text":"worst"'));
  return file;
}

const verbs: readonly (readonly string[])[] = [
  ["show"],
  ["show", "--at", "v2"],
  ["log"],
  ["log", "-p"],
  ["diff", "v0"],
  ["blame"],
  ["lost"],
  ["render"],
  ["report", "-o", "OUT"],
  ["compare", "OUT"],
  ["assemble", "-o", "OUT"],
  ["copy", "OUT"],
  ["fork", "OUT"],
  ["spawn", "OUT"],
];

test.each(verbs.flatMap((words) => [[words], [[...words, "--json"]]]))(
  "%j of a damaged journal says so in one line on standard error, and what to do next",
  async ([verb = "", ...words]) => {
    const file = await damagedSession();
    const other = verb === "compare" ? await applied(newSession()) : path.join(temporaryFolder(), "out");
    if (verb === "compare") await cli(["apply", other, '{"action":"set_notes","content":"n"}']);
    const { code, stderr } = await cli([verb, file, ...words.map((word) => (word === "OUT" ? other : word))]);
    expect({ code, lines: stderr.split("\n").length }).toEqual({ code: 0, lines: 2 });
    expect(stderr).toMatch(/^session-journal: .*session\.jsonl is damaged: .*session-journal verify .*doctor/);
  },
);

test("it is said of a session that is resumed from its snapshot, too", async () => {
  const file = await damagedSession();
  expect((await cli(["snapshot", file])).code).toBe(0);
  expect((await cli(["show", file])).stderr).toContain("is damaged");
});

test.each([["ls"], ["grep", "second"]])("it is said of a session in a folder by %j", async (verb, ...words) => {
  const file = await damagedSession();
  const { code, stderr } = await cli([verb, ...words, path.dirname(file)]);
  expect({ code, lines: stderr.split("\n").length }).toEqual({ code: 0, lines: 2 });
  expect(stderr).toContain(`${path.basename(file)} is damaged: `);
});

test("it is said of the one of two journals that is damaged", async () => {
  const file = await damagedSession();
  const whole = await applied(newSession(), { action: "set_notes", content: "first" });
  const { stderr } = await cli(["compare", whole, file]);
  expect(stderr).toMatch(new RegExp(`^session-journal: ${file} is damaged: .*\n$`));
});

test("of a whole journal, and by who lists the damage itself, nothing is said", async () => {
  const whole = await applied(newSession(), { action: "set_notes", content: "first" });
  expect((await cli(["show", whole])).stderr).toBe("");
  const file = await damagedSession();
  for (const verb of ["verify", "doctor"]) expect(await cli([verb, file])).toMatchObject({ code: 1, stderr: "" });
});

test("a session that a host wrote, with a last line that a crash cut off, is not called damaged", async () => {
  const file = await applied(newSession(), { action: "set_notes", content: "first" });
  const torn = readFileSync(file, "utf8").slice(0, -40);
  writeFileSync(file, torn);
  expect((await cli(["show", file])).stderr).toBe("");
  writeFileSync(file, `${torn}\n`);
  expect((await cli(["show", file])).stderr).toBe("");
});

test("what cannot be written behind an event of a newer version is refused in one line, and ls marks that journal", async () => {
  const folder = temporaryFolder();
  const file = path.join(folder, "s.jsonl");
  copyFileSync(path.join(root, "fixtures", "damaged", "unknown-event.jsonl"), file);
  const { code, stderr } = await cli(["apply", file, '{"action":"refs.add","ref":"x"}']);
  expect({ code, lines: stderr.split("\n").length }).toEqual({ code: 2, lines: 2 });
  expect(stderr).toContain("install a newer version to write");
  const listed = await cli(["ls", path.relative(process.cwd(), folder)]);
  const typed = path.relative(process.cwd(), file);
  expect(listed.stdout).toContain(typed);
  expect(listed.stdout).not.toContain(` ${file}`);
  expect(listed.stderr).toContain(`${typed} is damaged`);
});

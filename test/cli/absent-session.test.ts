import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { cli, json } from "./cli.ts";

const folder = mkdtempSync(join(tmpdir(), "session-journal-absent-"));
const database = `sqlite:${join(folder, "journals.db")}`;
const misspelt = `${database}#agent8`;
const child = `${database}#child`;
beforeAll(async () => {
  const journal = await openJournal(`${database}#agent-7`);
  await journal.notes.set("here");
  await journal.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["show"],
  ["log"],
  ["diff"],
  ["blame"],
  ["lost"],
  ["follow"],
  ["verify"],
  ["doctor"],
  ["render"],
  ["report", "-o", join(folder, "report.html")],
  ["restore", "v0"],
  ["fork", child],
  ["spawn", child],
  ["compare", `${database}#agent-7`],
  ["snapshot"],
  ["copy", child],
])(
  "%s of a session that a database does not hold ends with 2, names one that it does, and makes none",
  async (verb, ...rest) => {
    const { code, stdout, stderr } = await cli([verb, misspelt, ...rest]);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: "",
      stderr: `session-journal: ${misspelt} does not exist: check the name; the newest ones there are "agent-7"\n`,
    });
    expect(await json("ls", database)).toMatchObject([{ session: "agent-7" }]);
  },
);

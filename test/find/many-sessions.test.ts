import fs from "node:fs";
import Libsql from "libsql";
import { expect, test, vi } from "vitest";
import { newestSession, sessionsById, sessionsOf } from "../../src/find/find-sessions.ts";
import { sessionsAt } from "../../src/find/lying-sessions.ts";
import { MadeClaude } from "../lens/claude-made.ts";
import { Home } from "./home.ts";

/** A call takes some 120,000. */
const count = 130_000;

/** The result is a database of OpenCode's with so many sessions. */
function manySessions(home: Home): string {
  const file = home.put(".local/share/opencode/opencode.db", "");
  const database = new Libsql(file);
  database.exec(`
    CREATE TABLE session (id TEXT, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_updated INTEGER);
    CREATE TABLE message (id TEXT, session_id TEXT, data TEXT);
    CREATE INDEX of_session ON message (session_id);
    CREATE TABLE part (message_id TEXT, data TEXT);
    CREATE TABLE todo (session_id TEXT, content TEXT, status TEXT, position INTEGER);
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
    INSERT INTO session SELECT 'ses_' || n, NULL, '/home/dev', 'A', '1.18.33', n FROM numbers;
  `);
  database.close();
  return file;
}

test("one database has more sessions than a call may have arguments", async () => {
  const home = new Home();
  const file = manySessions(home);
  expect((await newestSession(home.options({ folder: "/home/dev" })))?.session).toBe(`ses_${count}`);
  expect((await sessionsById("ses_13000", home.options())).map(({ session }) => session)).toEqual([
    "ses_130000",
    "ses_13000",
  ]);
  const found = await sessionsOf([{ client: "opencode", file, size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 }]);
  expect(found.length).toBe(count);
});

test("a file that names thousands of subagents is not read once for each of them", async () => {
  const made = new MadeClaude();
  made.prompt("go");
  for (let index = 0; index < 1500; index++)
    made.result(made.call("Agent", { prompt: "look" }), { agentId: `a${index}`, status: "completed" });
  const home = new Home();
  const lines = made.lines.map((line) => JSON.stringify({ ...line, padding: "x".repeat(1000) }));
  const file = home.put("session.jsonl", `${lines.join("\n")}\n`);
  const opened = vi.spyOn(fs, "openSync");
  expect(await sessionsAt(file)).toHaveLength(1);
  expect(opened.mock.calls.length).toBeLessThan(2000);
  opened.mockRestore();
});

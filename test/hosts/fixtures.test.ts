import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hostClients, sampledClients } from "./clients.ts";

const committed = resolve(import.meta.dirname, "../../fixtures/sessions");
let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "session-journal-fixtures-"));
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "make-fixtures.mjs"), folder], {
    encoding: "utf8",
  });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(hostClients.map((client) => client.name))("the fixture of %s is what that client writes", (name) => {
  const written = readFileSync(join(folder, `${name}.jsonl`));
  expect(written.equals(readFileSync(join(committed, `${name}.jsonl`)))).toBe(true);
});

test.each(sampledClients)(
  "the fixture of $name loads in that client with its compaction, name and branch",
  (client) => {
    const script = `
    const { SessionManager } = await import(process.argv[1]);
    const session = SessionManager.open(process.argv[2]);
    const { messages } = session.buildSessionContext();
    console.log(JSON.stringify({
      name: session.getSessionName(),
      roles: messages.filter((message) => message.role !== "system").slice(0, 2).map((message) => message.role),
      users: messages.filter((message) => message.role === "user").length,
      left: session.getEntries().length - session.getBranch().length,
    }));`;
    const file = join(folder, `${client.name}.jsonl`);
    const args = ["--input-type=module", "-e", script, client.sessionManager, file];
    const { stdout, stderr } = spawnSync(client.node, args, { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      name: "Tokens expire at once in São Paulo",
      roles: ["compactionSummary", "user"],
      users: 5,
      left: 10,
    });
  },
);

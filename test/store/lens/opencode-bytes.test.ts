/** Of most calls in OpenCode's database only the beginning is asked for. Whatever stands there, the session is read as it is. */
import fs from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openJournal } from "../../../src/index.ts";
import { allOf } from "../../../src/journal/readings.ts";
import { findDriver } from "../../../src/store/sqlite/drivers.ts";
import { temporaryFolder } from "../../cli/cli.ts";
import { fixtures } from "../../lens/lens-run.ts";

const { connect } = await findDriver();
const session = "ses_dfbe2db8fffe36CYiq0RLoPNN7";
const start = Date.UTC(2027, 0, 1);

function withCalls(calls: readonly string[]): string {
  const file = path.join(temporaryFolder(), "opencode.db");
  fs.copyFileSync(path.join(fixtures, "opencode/1.18.33-todowrite-compaction.db"), file);
  const writer = connect(file);
  const info = JSON.stringify({ role: "assistant", modelID: "model-a", time: { created: start } });
  writer.prepare(`INSERT INTO message VALUES ('msg_z', ?, ${start}, ${start}, ?)`).run(session, info);
  for (const [index, data] of calls.entries())
    writer
      .prepare(`INSERT INTO part VALUES ('prt_z${index}', 'msg_z', ?, ${start + index}, ${start + index}, ?)`)
      .run(session, data);
  writer.close();
  return `${file}#${session}`;
}

function call(tool: string, input: object, more: object = {}): string {
  const state = {
    status: "completed",
    input,
    output: "y".repeat(900),
    title: "",
    metadata: {},
    time: { start, end: start },
  };
  return JSON.stringify({ type: "tool", tool, callID: "call_z", state, ...more });
}

test("a call with signs beyond the first plane of Unicode, a long id, or more before its state is no damage", async () => {
  const odd = [
    call("bash", { command: "echo \u{1F680}" }),
    ...[257, 300, 340].map((length) => call("bash", {}, { callID: "c".repeat(length) })),
    call("bash", {}, { callID: 'with "quotes"' }),
    call("bash", {}).replace('"state":', '"metadata":{"a":"b"},"state":'),
  ];
  await using journal = await openJournal(withCalls(odd), { readonly: true });
  const { ok, findings } = await journal.verify();
  expect([ok, findings.filter(({ severity }) => severity === "damage")]).toEqual([true, []]);
});

test("a list is read whose call is as long as what is asked for of others", async () => {
  const listed = (units: number) =>
    JSON.stringify({
      ...{ type: "tool", tool: "todowrite", callID: "call_z" },
      state: { status: "completed", input: { todos: [{ content: "x".repeat(units), status: "pending" }] } },
    });
  const content = 400 - listed(0).length;
  const where = withCalls([listed(content)]);
  const writer = connect(where.split("#")[0] ?? "");
  writer.exec(`DELETE FROM todo WHERE session_id = '${session}'`);
  writer.exec(
    `INSERT INTO todo VALUES ('${session}', '${"x".repeat(content)}', 'pending', 'high', 0, ${start}, ${start})`,
  );
  writer.close();
  await using journal = await openJournal(where, { readonly: true });
  const { actor } = (await allOf(journal.history())).at(-1) ?? {};
  expect([journal.state.plan, actor]).toEqual([`- [ ] ${"x".repeat(content)}`, "opencode"]);
});

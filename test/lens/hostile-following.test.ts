/** Who follows the session of a client while hostile lines are written into it. */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Change, openJournal, type RecordedEvent } from "../../src/index.ts";
import { allOf } from "../../src/journal/readings.ts";
import { temporaryFolder } from "../cli/cli.ts";
import { fixtures } from "./lens-run.ts";
import { MadePi } from "./pi-made.ts";

const escapes = "\u001b]0;owned\u0007\u001b[2J\u202e";

/** None of them is a confirmed change of a plan. */
const hostile: readonly (string | Buffer)[] = [
  ...[
    "null",
    "7",
    '"text"',
    "[]",
    "{}",
    '{"type":null}',
    "{",
    "}",
    `{"a":`,
    `${"[".repeat(50_000)}`,
    "\u0000".repeat(99),
  ],
  ...[Buffer.from([0xff, 0xfe, 0xc3, 0x28]), Buffer.from(`{"type":"${"x".repeat(200_000)}"}`)],
  ...['{"__proto__":{"type":"user"},"constructor":{"prototype":{}}}', '{"type":"constructor"}', '{"type":"__proto__"}'],
  `{"type":"user","uuid":7,"parentUuid":{},"message":{"content":[null,7,{"type":"tool_result","tool_use_id":"none"}]}}`,
  `{"type":"assistant","uuid":"h","parentUuid":"h","sessionId":"h","message":{"content":[{"type":"tool_use","id":"h","name":"TodoWrite","input":"x"}]}}`,
  `{"type":"system","subtype":"compact_boundary","logicalParentUuid":"nowhere","compactMetadata":7}`,
  `{"type":"response_item","payload":{"type":"function_call","name":"update_plan","arguments":"{","call_id":"h"}}`,
  `{"type":"response_item","payload":null}`,
  `{"type":"event_msg","payload":{"type":"thread_rolled_back","num_turns":-1e308}}`,
  `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"FileChange","changes":{"../../etc/passwd":7}}}}`,
  ...['{"$set":{"messages":7}}', '{"$rewindTo":7}', '{"$set":null}'],
  `{"id":"h","type":"gemini","toolCalls":[{"id":"h","name":"write_todos","status":"success","args":{"todos":{}}}]}`,
  ...['{"type":"todo_state","todos":null}', '{"type":"todo_state","todos":{"todos":7}}'],
  `{"type":"message","id":"h","message":{"role":"toolResult","toolName":"todo","details":{"todos":{},"action":"list"}}}`,
  `{"type":"custom","id":"hh","customType":"plan-mode","data":{"todos":"${escapes.replaceAll("\u001b", "\\u001b").replaceAll("\u0007", "\\u0007")}"}}`,
];

const pi = new MadePi();
pi.said("go");
pi.todo("add", [[1, "a", false]]);
pi.todo("toggle", [[1, "a", true]]);

const sessions: readonly (readonly [client: string, lines: readonly string[]])[] = [
  ...[
    "claude-code/2.1.330-tasks-compaction-subagent.jsonl",
    "codex/0.169.0-update-plan-compaction.jsonl",
    "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-50-5806d217.jsonl",
    "droid/todo-text.jsonl",
  ].map((path) => [path, readFileSync(join(fixtures, path), "utf8").split("\n").slice(0, -1)] as const),
  ["pi", pi.lines.map((line) => JSON.stringify(line))],
];

const essence = ({ version, turn, actor, event }: RecordedEvent) => ({ version, turn, actor, event });

test.each(sessions)(
  "%s: hostile lines between its own neither end who follows it nor change what is told",
  async (client, lines) => {
    const file = join(temporaryFolder(), "session.jsonl");
    writeFileSync(file, `${lines.join("\n")}\n`);
    const whole = await openJournal(file, { readonly: true });
    const history = await allOf(whole.history());
    await whole.close();
    // So much that it shows whose it is.
    const begun = client === "pi" ? 4 : Math.ceil(lines.length / 3);
    writeFileSync(file, `${lines.slice(0, begun).join("\n")}\n`);
    await using journal = await openJournal(file, { readonly: true });
    const told = (await allOf(journal.history())).map(essence);
    journal.onChange((change: Change) => {
      if (change.type === "reset") told.splice(0, told.length, ...history.slice(0, change.version).map(essence));
      else told.push(essence(change as unknown as RecordedEvent));
    });
    const gaps = lines.length - begun;
    const share = Math.ceil(hostile.length / gaps);
    for (const [index, line] of lines.slice(begun).entries()) {
      for (const junk of hostile.slice(index * share, (index + 1) * share)) {
        appendFileSync(file, junk);
        await journal.refresh();
        appendFileSync(file, "\n");
      }
      appendFileSync(file, `${line}\n`);
      if (index < hostile.length) await journal.refresh();
    }
    await journal.refresh();
    expect(journal.version).toBe(history.length);
    expect((await allOf(journal.history())).map(essence)).toEqual(history.map(essence));
    expect(told.map(({ event }) => event)).toEqual(history.map(({ event }) => event));
    const { findings = [] } = (await journal.foreign({ whole: true })) ?? {};
    expect(findings.filter(({ severity }) => severity === "damage").length).toBeGreaterThan(4);
  },
);

import { expect, test } from "vitest";
import { atif } from "../../src/lens/atif.ts";
import { claudeCode } from "../../src/lens/claude-code.ts";
import { codex } from "../../src/lens/codex.ts";
import { droid } from "../../src/lens/droid.ts";
import { gemini } from "../../src/lens/gemini.ts";
import type { Lens } from "../../src/lens/lens.ts";
import { openCode } from "../../src/lens/opencode.ts";
import { pi } from "../../src/lens/pi.ts";
import { isFull } from "../reliability/results.ts";
import { linesOf, linesOfDocument, tell } from "./lens-run.ts";
import { MadePi } from "./pi-made.ts";

function piLines(): string[] {
  const session = new MadePi();
  session.said("go");
  session.todo("add", [[1, "a", false]]);
  session.planMode({ enabled: true, todos: [{ step: 1, text: "a", completed: false }], executing: true });
  return session.lines.map((line) => JSON.stringify(line));
}

function atifLines(): string[] {
  const call = (id: string, name: string, input: object) => ({
    ...{ step_id: Number(id), source: "agent", message: "", timestamp: "2026-05-01T10:00:00Z" },
    tool_calls: [{ tool_call_id: id, function_name: name, arguments: input }],
    observation: { results: [{ source_call_id: id, content: "ok" }] },
  });
  return [
    { schema_version: "ATIF-v1.7", session_id: "s", agent: { name: "swe", version: "2", model_name: "m" } },
    { step_id: 1, source: "user", message: "go", timestamp: "2026-05-01T10:00:00Z" },
    call("2", "TodoWrite", { todos: [{ content: "a", status: "pending" }] }),
    call("3", "Edit", { file_path: "PLAN.md", old_string: "a", new_string: "b" }),
    { step_id: 4, source: "system", message: "plan set", extra: { event: "plan.set", payload: { text: "- b" } } },
  ].map((line) => JSON.stringify(line));
}

const sessions: readonly (readonly [string, Lens, readonly string[]])[] = [
  ["claude code, tasks", claudeCode, linesOf("claude-code/2.1.330-tasks-compaction-subagent.jsonl")],
  ["codex", codex, linesOf("codex/0.169.0-update-plan-compaction.jsonl")],
  ["gemini", gemini, linesOf("gemini-cli/0.61.0-tracker/chats/session-2026-11-22T16-37-0409a72e.jsonl")],
  [
    "gemini, plan mode",
    gemini,
    linesOf("gemini-cli/0.61.0-plan-mode-approved/chats/session-2026-11-22T16-47-b1b65739.jsonl"),
  ],
  ["droid", droid, linesOf("droid/todo-text.jsonl")],
  ["opencode", openCode, linesOf("opencode/1.18.33-todowrite-compaction.json")],
  ["pi", pi, piLines()],
  ["ATIF", atif, atifLines()],
];

const odd: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "x",
  [],
  [[]],
  {},
  { a: null },
  "\u0000\ud800",
  "__proto__",
];

/** Every value of it replaced by each odd one, a place at a time. */
function* withOdd(value: unknown, depth = 0): Generator<unknown> {
  if (depth > 9) return;
  yield* odd;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const other of withOdd(item, depth + 1)) yield value.with(index, other);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value))
      for (const other of withOdd(item, depth + 1)) yield { ...value, [name]: other };
  }
}

test.each(sessions)("%s: a value of any other type anywhere ends no reading", (_, lens, lines) => {
  const kinds = new Map(
    lines.map((line) => [Object.keys(JSON.parse(line)).join() + line.length.toString(2).length, line]),
  );
  for (const line of kinds.values()) {
    const index = lines.indexOf(line);
    let count = 0;
    for (const other of withOdd(JSON.parse(line))) {
      // Each of the lines has thousands: a part of them is enough for a run.
      if (++count % Math.ceil(line.length / (isFull ? 400 : 60)) !== 0) continue;
      const told = tell(lens, [
        ...lines.slice(Math.max(0, index - 3), index),
        JSON.stringify(other),
        lines.at(-1) ?? "",
      ]);
      for (const { at, event } of told.events) expect([typeof at, typeof event.type]).toEqual(["string", "string"]);
    }
  }
});

test.each(sessions)(
  "%s: a line that was cut anywhere is damage, and the lines around it are read",
  (_, lens, lines) => {
    const index = lines.findIndex((line) =>
      /TodoWrite|TaskUpdate|update_plan|tracker_update|write_file|todowrite|toolName":"todo/.test(line),
    );
    const line = lines[index] ?? "";
    const step = Math.ceil(line.length / (isFull ? 150 : 30));
    for (let length = 1; length < line.length; length += step) {
      const told = tell(lens, lines.with(index, line.slice(0, length)), { every: true });
      expect(told.findings.map(({ kind, severity, line: number }) => [kind, severity, number])).toContainEqual([
        ...["corrupt", "damage"],
        index + 1,
      ]);
      expect(told.turns).toBeGreaterThan(0);
    }
  },
);

test.each(sessions)("%s: what is no time is never told as the time of an event", (_, lens, lines) => {
  const timeless = lines.map((line) => line.replaceAll(/"(?:timestamp|time)":"[^"]*"/g, '"timestamp":"[cut]"'));
  for (const every of [true, false]) {
    const { events, markers } = tell(lens, timeless, { every });
    const times = [...events.map(({ at }) => at), ...markers.flatMap(({ at }) => (at === undefined ? [] : [at]))];
    expect(times.filter((at) => Number.isNaN(Date.parse(at)))).toEqual([]);
  }
});

test.each(sessions)("%s: bits that flipped are damage or other text, and end no reading", (_, lens, lines) => {
  let seed = 20261122;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed % below;
  };
  for (let round = 0; round < (isFull ? 40 : 8); round++) {
    const bytes = Buffer.from(lines.join("\n"));
    for (let flips = 0; flips < 8; flips++) {
      const at = random(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    }
    const read = tell(lens, bytes.toString("latin1").split("\n"), { every: true });
    expect(Array.isArray(read.events)).toBe(true);
  }
});

test.each(sessions)(
  "%s: junk, deep nesting and long lines between the lines change nothing that was told",
  (_, lens, lines) => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    const deepField = `{"type":"message","content":${deep}}`;
    const junk = [
      "\u0000\u0001",
      "null",
      '"text"',
      deep,
      deepField,
      `{"x":"${"y".repeat(3_000_000)}"}`,
      "{}",
      "[]",
      '{"id":{}}',
    ];
    const plain = tell(lens, lines, { every: true });
    const mixed = tell(lens, [...junk, ...lines.flatMap((line, index) => (index < 5 ? [line, ...junk] : [line]))], {
      every: true,
    });
    const stories = [plain, mixed].map(({ events }) =>
      events.map(({ event, turn, actor, at }) => ({ event, turn, actor, at })),
    );
    expect(stories[1]).toEqual(stories[0]);
    expect(mixed.findings.some(({ kind, severity }) => kind === "corrupt" && severity === "damage")).toBe(true);
  },
);

test("a document that is cut or in which bits flipped is read as far as it goes", () => {
  const text = JSON.stringify(
    {
      info: { id: "ses_1", directory: "/x" },
      messages: linesOf("opencode/1.18.33-todowrite-compaction-subagent.json")
        .slice(1)
        .map((line) => JSON.parse(line)),
    },
    null,
    1,
  );
  for (let length = 0; length < text.length; length += isFull ? 7 : 37) {
    const told = tell(openCode, linesOfDocument(text.slice(0, length), 997));
    expect(told.events.length).toBeLessThanOrEqual(1);
  }
  for (let at = 0; at < text.length; at += isFull ? 11 : 53) {
    const bytes = Buffer.from(text);
    bytes[at] = (bytes[at] ?? 0) ^ 4;
    expect(tell(openCode, linesOfDocument(bytes.toString("latin1"))).events.length).toBeLessThanOrEqual(1);
  }
});

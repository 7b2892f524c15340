// Sessions of Claude Code of any size: a session that was found, again and again under ids of its own. What was cut out of it
// is filled up to its stated length, so that lines are as long as they were.
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";

const fixtures = resolve(import.meta.dirname, "../../fixtures/sessions");
const fixture = join(fixtures, "claude-code/2.1.39-tasks-compaction.jsonl");
/** Of other clients: the session that was found, and the ids that each round of it has for itself. */
const others = {
  codex: { found: "codex/0.126-plans.jsonl", ids: /"call_id":"[^"]*/g },
  "codex, long": { found: "codex/0.126-plans.jsonl", ids: /"call_id":"[^"]*/g, more: compacted },
  "gemini-cli": {
    found: "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-50-5806d217.jsonl",
    ids: /"id":"[^"]*/g,
    // These lines of it are one call of the shell, with its answer.
    more: (lines, ids) => [...lines, ...workBetween(lines.slice(67, 72), ids, geminiOutput)],
  },
  droid: {
    found: "droid/todo-text.jsonl",
    ids: /"(?:id|tool_use_id)":"[^"]*/g,
    // These lines of it are one call that reads a file, with its answer.
    more: (lines, ids) => [...lines, ...workBetween(lines.slice(7, 9), ids, droidOutput)],
  },
  pi: { found: "pi-0.87.1.jsonl", ids: /"(?:id|parentId|toolCallId)":"[^"]*/g, more: withTodos, link: goOn },
};
/** What a tool answered, behind what stands before it. */
const geminiOutput = /(\\nOutput: |"resultDisplay":")(?:[^"\\]|\\[^u])*?(?=\\nProcess|",")/g;
const droidOutput = /("content":")(?:[^"\\]|\\.)*(?="\}\]\}\}$)/g;
const filling =
  'func (s *Store) Commit(ctx context.Context) error {\n\tif err := s.lock(); err != nil {\n\t\treturn fmt.Errorf("lock: %w", err)\n\t}\n\treturn nil // done\n}\n';
const cut = /^\[(\d+) characters\]$/;
const ids = ["uuid", "parentUuid", "logicalParentUuid"];

/** Answers how many events a reader must find, and how many lines there are. */
export function growForeign(file, sizeBytes) {
  const lines = readFileSync(fixture, "utf8").trimEnd().split("\n");
  const entries = lines.map((line) => filled(JSON.parse(line)));
  const descriptor = openSync(file, "w");
  let last = null;
  let rounds = 0;
  for (let size = 0; size < sizeBytes; rounds++) {
    let text = "";
    for (const entry of entries) {
      const line = renamed(entry, rounds, last);
      if (line.uuid !== undefined && !line.isSidechain) last = line.uuid;
      text += `${JSON.stringify(line).replaceAll("toolu_", `toolu_${rounds}_`)}\n`;
    }
    size += writeSync(descriptor, text);
  }
  closeSync(descriptor);
  return { rounds, lines: rounds * entries.length };
}

/** The same for a session of another client. The first lines, which say whose it is, stand there once. Answers how many rounds there are. */
export function growOther(client, file, sizeBytes) {
  const { found, ids, more = (lines) => lines, link = (text) => text } = others[client];
  const lines = readFileSync(join(fixtures, found), "utf8").trimEnd().split("\n");
  const printed = more(
    lines.map((line) => JSON.stringify(filled(JSON.parse(line)))),
    ids,
  );
  const descriptor = openSync(file, "w");
  let rounds = 0;
  for (let size = 0; size < sizeBytes; rounds++) {
    const text = (rounds === 0 ? printed : printed.slice(1)).map((line) => `${line}\n`).join("");
    size += writeSync(descriptor, link(text.replace(ids, `$&.${rounds}`), rounds));
  }
  closeSync(descriptor);
  return rounds;
}

/**
 * A long session of Codex is made up otherwise than a short one. Of one of 732 MB its owner has told in a public report that 46 % of it is
 * compactions, each of which repeats the conversation, and 7.5 % what the model thought, encrypted, which was cut out of the one that was
 * found. So each round ends with a compaction that repeats its own items as often as that takes, and each thought has as much as there.
 */
function compacted(lines) {
  const whole = lines.map((line) => line.replace('"type":"reasoning"', `$&,"encrypted_content":"${thought(lines)}"`));
  const items = whole.slice(1).flatMap((line) => {
    const { type, payload } = JSON.parse(line);
    return type === "response_item" ? [payload] : [];
  });
  const least = (bytesOf(whole.slice(1)) * 0.46) / 0.54;
  const history = [];
  for (let bytes = 0; bytes < least; bytes += JSON.stringify(history.at(-1)).length + 1)
    history.push(items[history.length % items.length]);
  const { timestamp } = JSON.parse(lines.at(-1));
  return [
    ...whole,
    JSON.stringify({ timestamp, type: "compacted", payload: { message: "", replacement_history: history } }),
  ];
}

function bytesOf(lines) {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/** So much that all thoughts of a round are 7.5 % of what stands there besides the compaction, which is 54 %. */
function thought(lines) {
  const bytes = bytesOf(lines);
  const thoughts = lines.filter((line) => line.includes('"type":"reasoning"')).length;
  return "gAAAAABp".repeat(Math.round((bytes * 0.075) / (0.54 - 0.075) / thoughts / 8));
}

/**
 * One conversation without entries of ours, and with the list of pi's own todo extension, which was not used in the session that was found:
 * one call in nine is one of it, as in that of Claude Code.
 */
function withTodos(lines) {
  const entries = lines.map((line) => JSON.parse(line)).filter(({ type }) => !type.startsWith("custom"));
  const lastId = entries.at(-1).id;
  let results = 0;
  return entries.map((entry, index) => {
    if (index > 0) entry.parentId = index === 1 ? `${lastId}.before` : entries[index - 1].id;
    const { message } = entry;
    if (message?.role === "toolResult" && ++results % 9 === 0) {
      const todos = [1, 2, 3, 4, 5].map((id) => ({ id, text: `Step ${id}`, done: id * 9 <= results }));
      Object.assign(message, { toolName: "todo", details: { action: "toggle", todos, nextId: 6 } });
    }
    return JSON.stringify(entry);
  });
}

/** The first entry of a round follows the last one of the round before. */
function goOn(text, round) {
  return text.replace(
    /"parentId":"([^"]*)\.before\.\d+"/,
    (_, id) => `"parentId":${round === 0 ? null : `"${id}.${round - 1}"`}`,
  );
}

/**
 * Whoever wrote a script for a client had it do little but plan. In a session that was found, a plan call is one of nine, and
 * tools answer so much as they do there: so one call for each of those answers stands between the plan calls.
 */
function workBetween(lines, ids, output) {
  return answerLengths().flatMap((length, index) => {
    const text = JSON.stringify(filled(`[${length} characters]`)).slice(1, -1);
    return lines.map((line) => line.replace(output, (_, before) => before + text).replace(ids, `$&.${index}`));
  });
}

/** What tools answered in the session of Claude Code, in characters. */
function answerLengths() {
  const lines = readFileSync(fixture, "utf8").trimEnd().split("\n");
  const blocks = lines.flatMap((line) => JSON.parse(line).message?.content ?? []);
  return blocks.flatMap(({ type, content }) => (type === "tool_result" ? [textOf(filled(content)).length] : []));
}

function textOf(content) {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}

function renamed(entry, round, last) {
  const line = { ...entry };
  for (const name of ids) if (line[name]) line[name] = line[name].slice(0, -6) + String(round).padStart(6, "0");
  if (line.parentUuid === null && line.logicalParentUuid === undefined) line.parentUuid = last;
  return line;
}

function filled(value) {
  if (typeof value === "string") {
    const length = Number(cut.exec(value)?.[1] ?? 0);
    return length === 0 ? value : filling.repeat(Math.ceil(length / filling.length)).slice(0, length);
  }
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, filled(item)]));
}

// How long does `ls` take with 100,000 sessions in a folder?
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { timeCommand } from "./lib/command.mjs";
import { medianOf } from "./lib/measure.mjs";
import { ask } from "./lib/question.mjs";

const rounds = 1;
const sessions = 100_000;
const timestamp = "2026-03-09T13:02:11.417Z";

await ask(import.meta.filename, "How long does it take to list 100,000 sessions?", { list }, compare);

function list(folder) {
  return timeCommand("ls", folder);
}

function compare(question) {
  const folder = join(question.folder, "sessions");
  mkdirSync(folder);
  for (let index = 0; index < sessions; index++) {
    const id = `session-${String(index).padStart(6, "0")}`;
    const value = { type: "custom", customType: "openclaw:scratchpad:plan", data: "- [x] one\n- [ ] two" };
    const lines = [
      { type: "session", version: 3, id, timestamp, cwd: "/" },
      { ...value, id: "0000beef", parentId: null, timestamp },
    ];
    writeFileSync(join(folder, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
  const found = question.interleave([{ name: "ls", isOurs: true, words: ["list", folder] }], rounds).get("ls");
  question.table(
    `\`session-journal ls\` of ${sessions} sessions with one event each; nothing was read of them before.`,
    [
      ["", "first rows s", "all s", "peak MB"],
      [
        "ls",
        (medianOf(found, "firstMs") / 1000).toFixed(2),
        (medianOf(found, "ms") / 1000).toFixed(1),
        medianOf(found, "peakMb").toFixed(0),
      ],
    ],
  );
  question.gate("first", medianOf(found, "firstMs") / 1000);
  question.gate("whole", medianOf(found, "ms") / 1000);
  question.gate("memory", medianOf(found, "peakMb"));
}

/** One program settles the lines of all readings. What one of them has in its memory must not get into another. */

import { expect, test, vi } from "vitest";
import { claudeCode } from "../../src/lens/claude-code.ts";
import { codex } from "../../src/lens/codex.ts";
import { gemini } from "../../src/lens/gemini.ts";
import type { LensEntry } from "../../src/lens/lens.ts";
import { LineHeads, lineHeads } from "../../src/lens/line-heads.ts";
import { TrackedFiles } from "../../src/lens/tracked-files.ts";
import { LineFrames } from "../../src/store/lens/line-frames.ts";
import { linesOf, type Told, tell, tellPieces } from "./lens-run.ts";

const pieceLength = 50_000;

test("this machine runs the program", () => {
  expect(LineHeads.make()).toBeDefined();
});

/** Reads the sessions in turns, a piece of each: where the lens has room for it, or copied there. */
function interleaved(sessions: readonly string[][]): (readonly LensEntry[])[] {
  const readings = sessions.map((lines) => {
    const entries: LensEntry[] = [];
    const reader = claudeCode.begin({ files: new TrackedFiles(), emit: (entry) => entries.push(entry) });
    return { bytes: Buffer.from(lines.map((line) => `${line}\n`).join("")), reader, frames: new LineFrames(), entries };
  });
  for (let from = 0; readings.some(({ bytes }) => from < bytes.length); from += pieceLength) {
    for (const [index, { bytes, reader, frames }] of readings.entries()) {
      const own = bytes.subarray(from, from + pieceLength);
      const room = index % 2 === 0 ? lineHeads(bytes.length)?.room : undefined;
      if (room !== undefined) own.copy(room);
      const piece = room?.subarray(0, own.length) ?? own;
      frames.push(piece, (line) => line.bytes !== undefined && reader.take(line), reader.pass?.bind(reader));
    }
  }
  return readings.map(({ entries }) => entries);
}

test("sessions that are read in turns tell what each tells alone", () => {
  const sessions = ["2.1.39-tasks-compaction", "2.1.199-tasks-reminders", "1.0.111-todowrite", "2.1.119-plan-file"].map(
    (name) => linesOf(`claude-code/${name}.jsonl`),
  );
  const alone = sessions.map((session) => interleaved([session])[0]);
  expect(interleaved(sessions)).toEqual(alone);
  expect(alone.every((entries) => (entries ?? []).length > 0)).toBe(true);
});

test("more kinds of heads and tools than are kept are all read rightly", () => {
  const lines = linesOf("claude-code/2.1.39-tasks-compaction.jsonl");
  const moved = lines.map((line, index) =>
    line
      .replace(/"cwd":"[^"]*"/, `"cwd":"/home/dev/${index % 41}"`)
      .replace(/"name":"(?:Bash|Read|Grep)"/, `"name":"Tool${index % 130}"`),
  );
  const { events, markers, turns } = tell(claudeCode, moved, { every: true });
  expect(tellPieces(claudeCode, moved, pieceLength)).toMatchObject({ events, markers, turns });
});

test("lines that are longer than the program's memory for one, or than a piece, are read rightly", () => {
  const lines = linesOf("claude-code/2.1.39-tasks-compaction.jsonl");
  const long = lines.map((line, index) =>
    index % 40 === 39 ? line.replace('"content":"', `"content":"${"long ".repeat(60_000)}`) : line,
  );
  const { events, markers, turns } = tell(claudeCode, long, { every: true });
  for (const length of [100_000, 1024 * 1024])
    expect(tellPieces(claudeCode, long, length, { isInRoom: true })).toMatchObject({ events, markers, turns });
});

test.each([
  [claudeCode, "claude-code/2.1.39-tasks-compaction.jsonl", /(?<=^\{"parentUuid":".{7})./],
  [codex, "codex/0.126-plans.jsonl", /(?<=^\{"timestamp":".{8})./],
  [gemini, "gemini-cli/0.61.0-tracker/chats/session-2026-11-22T16-37-0409a72e.jsonl", /(?<="timestamp":".{8})./],
] as const)("%#: lines that are cut within an id or a time are two lines", (lens, fixture, place) => {
  const text = linesOf(fixture).map((line, index) => (index % 7 === 6 ? line.replace(place, "\n") : line));
  const lines = text.join("\n").split("\n");
  const story = ({ events, markers, turns, facts }: Told) => ({ events, markers, turns, unanswered: facts.unanswered });
  expect(story(tellPieces(lens, lines, pieceLength))).toEqual(story(tell(lens, lines)));
  expect(lines.length).toBeGreaterThan(text.length);
});

test.each([
  [claudeCode, "claude", "claude-code/2.1.39-tasks-compaction.jsonl"],
  [gemini, "gemini", "gemini-cli/0.61.0-todos-compressed/chats/session-2026-11-22T16-50-5806d217.jsonl"],
] as const)(
  "%#: where each answer names another model, what is behind it is not looked at once more",
  (lens, name, from) => {
    const lines = linesOf(from);
    const answer = lines.findLast((line) => line.includes('"model":"')) ?? "";
    for (let index = 0; index < 1000; index++)
      lines.push(answer.replace(/"model":"[^"]*"/, `"model":"m-${index % 2}"`));
    const looks = vi.spyOn(LineHeads.prototype, name);
    const told = tellPieces(lens, lines, 1024 * 1024, { isInRoom: true });
    expect(looks.mock.calls.length / told.readings).toBeLessThan(lines.length - 900);
    looks.mockRestore();
    const { events, markers, turns } = tell(lens, lines, { every: true });
    expect(told).toMatchObject({ events, markers, turns });
    expect(markers.length).toBeGreaterThan(900);
  },
);

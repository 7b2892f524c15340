import { expect, test } from "vitest";
import { TurnPrompts } from "../../src/audit/turn-prompts.ts";
import type { TurnPrompt } from "../../src/event/foreign.ts";
import { classify } from "../../src/line/classify.ts";
import { lineNames } from "../../src/line/format.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { historyOf } from "./histories.ts";
import { foreignFile } from "./report.sample.ts";

/** Lines of a host and of ours, and where each begins. */
function session(...texts: readonly string[]) {
  let offset = 0;
  return texts.map((text, index) => {
    const bytes = Buffer.from(text);
    const line = { number: index + 1, offset, bytes, size: bytes.length, ended: true };
    offset += bytes.length + 1;
    return line;
  });
}

const said = (content: unknown): string =>
  JSON.stringify({ type: "message", id: "a", parentId: null, message: { role: "user", content } });

test("a turn has the words that were said before its first event, in one line, not those of a turn without events", async () => {
  const lines = session(
    said("fix\n  the login"),
    "{}",
    said("only a question"),
    said([{ type: "image" }, { type: "text", text: "go on" }]),
    "{}",
    said([{ type: "image" }]),
    "{}",
    "no JSON",
  );
  const event = { type: "notes.appended", text: "x" } as const;
  const events = [
    [1, 1],
    [1, 1],
    [3, 4],
    [4, 6],
  ].map(([turn = 0, line = 0]) => ({ turn, offset: lines[line]?.offset ?? 0 }));
  const history = historyOf(events.map(() => ({ event }))).map((recorded, index) => ({
    ...recorded,
    ...events[index],
  }));
  const names = lineNames();
  const prompts = new TurnPrompts();
  const found: TurnPrompt[] = [];
  for (const line of lines) {
    prompts.line(classify(line.bytes, names), line.offset);
    for (const { turn, offset = 0 } of history.filter((recorded) => recorded.offset === line.offset))
      found.push(...[prompts.event({ turn, offset })].flatMap((prompt) => prompt ?? []));
  }
  expect(found).toEqual([
    { turn: 1, text: "fix the login" },
    { turn: 3, text: "go on" },
  ]);
});

test("a journal says what was asked, of the session of another client too", async () => {
  const foreign = await openJournal(foreignFile, { readonly: true });
  expect(await foreign.prompts()).toEqual([{ turn: 1, text: expect.stringMatching(/^\S/) }]);
  await foreign.close();
  const own = await openJournal("fixtures/sessions/pi-0.73.1.jsonl", { readonly: true });
  const prompts = await own.prompts();
  expect(prompts.map(({ turn }) => turn)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  expect(prompts.every(({ text }) => text.length > 0 && !text.includes("\n"))).toBe(true);
  await own.close();
});

/** What has an entry of ours is never read as a session of pi's alone, and what has none is read once. */
import fs from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { summaryOf } from "../../../src/find/summary.ts";
import { type Journal, openJournal } from "../../../src/index.ts";
import { lineHeads } from "../../../src/lens/line-heads.ts";
import { noneOfOurs } from "../../../src/store/lens/none-of-ours.ts";
import { temporaryFolder } from "../../cli/cli.ts";
import { MadePi } from "../../lens/pi-made.ts";

const megabytes = 5;

/** A session in which pi's own list is used early, of some megabytes. */
function longSession(): string[] {
  const session = new MadePi();
  session.said("go");
  session.todo("add", [[1, "theirs", false]]);
  const content = [{ type: "text", text: "an answer of some length\n".repeat(400) }];
  for (let size = 0; size < megabytes * 2 ** 20; size += 10_000)
    session.entry("message", { message: { role: "toolResult", toolCallId: "c", toolName: "read", content } });
  return session.lines.map((line) => `${JSON.stringify(line)}\n`);
}

const lines = longSession();

/** An entry of ours that hangs on the entry before `index`. */
function ours(index: number, namespace = "openclaw:scratchpad"): string {
  const parentId = index < 2 ? null : (JSON.parse(lines[index - 1] ?? "") as { id: string }).id;
  const places = { id: "own", parentId, timestamp: "2026-01-01T00:00:00.000Z" };
  return `${JSON.stringify({ type: "custom", customType: `${namespace}:plan`, data: "ours", ...places })}\n`;
}

function fileOf(text: readonly string[]): string {
  const file = path.join(temporaryFolder(), "session.jsonl");
  fs.writeFileSync(file, text.join(""));
  return file;
}

async function planIn(file: string, options: { namespace?: string } = {}): Promise<string> {
  await using journal = await openJournal(file, { readonly: true, ...options });
  return journal.state.plan;
}

test.each([
  ["the second line", 1],
  ["a line before pi's own list", 3],
  ["a line behind it", 5],
  ["a line within the first piece", 60],
  ["the middle", Math.floor(lines.length / 2)],
  ["the line before the last", lines.length - 1],
  ["the last line", lines.length],
])("an entry of ours in %s makes it a journal of ours", async (_, index) => {
  const file = fileOf(lines.toSpliced(index, 0, ours(index)));
  expect(await planIn(file)).toBe("ours");
  expect(await planIn(fileOf(lines))).toBe("- [ ] #1 theirs");
});

test.each(["\n", " \r\n\n", "\n".repeat(20_000)])(
  "a session of pi's alone that begins with blank lines is told by show as it is by ls",
  async (blank) => {
    const file = fileOf([blank, ...lines]);
    expect(await planIn(file)).toBe("- [ ] #1 theirs");
    expect(await summaryOf(file)).toMatchObject({ progress: { done: 0, total: 1 } });
    expect(await planIn(fileOf([blank, ...lines.toSpliced(5, 0, ours(5))]))).toBe("ours");
  },
);

test("an entry of ours that has not been written to its end makes it a journal of ours", async () => {
  for (const bytes of [-1, 60]) expect(await planIn(fileOf([...lines, ours(lines.length).slice(0, bytes)]))).toBe("");
});

test("an entry of ours within the line of another makes it a journal of ours", async () => {
  const damaged = lines.map((line, index) => (index === 300 ? `${line.trimEnd()}${ours(index)}` : line));
  expect(await planIn(fileOf(damaged))).toBe("");
});

test("entries count that have the names of ours which were asked for", async () => {
  const file = fileOf([...lines, ours(lines.length, "mine")]);
  expect(await planIn(file, { namespace: "mine" })).toBe("ours");
  expect(await planIn(file)).toBe("- [ ] #1 theirs");
});

test("a session of pi's is read once", async () => {
  const alone = fileOf(lines);
  const size = fs.statSync(alone).size;
  expect(await readBy(() => planIn(alone))).toBeLessThan(size * 1.2);
});

test("answers of tools are not parsed, also where a piece of the file ends in them", async () => {
  const alone = fileOf(lines);
  const parses = vi.spyOn(JSON, "parse");
  await planIn(alone);
  const lengths = parses.mock.calls.map(([text]) => text.length);
  parses.mockRestore();
  expect(Math.max(...lengths)).toBeLessThan(5000);
});

/** The result is how many bytes were read. */
async function readBy(work: () => Promise<unknown>): Promise<number> {
  const reads = vi.spyOn(fs, "readSync");
  try {
    await work();
    return reads.mock.results.reduce((sum, { value }) => sum + Number(value), 0);
  } finally {
    reads.mockRestore();
  }
}

test("an entry of ours that comes while it is read on, in parts, ends the reading", async () => {
  const file = fileOf(lines.slice(0, 200));
  await using journal = await openJournal(file, { readonly: true });
  const entry = ours(200);
  for (const part of [entry.slice(0, 30), entry.slice(30, 40)]) {
    fs.appendFileSync(file, part);
    await journal.refresh();
    expect(journal.state.plan).toBe("- [ ] #1 theirs");
  }
  fs.appendFileSync(file, entry.slice(40));
  await refused(journal);
  fs.appendFileSync(file, lines.slice(200, 210).join(""));
  await refused(journal);
  expect(await planIn(file)).toBe("ours");
});

async function refused(journal: Journal): Promise<void> {
  await expect(journal.refresh()).rejects.toThrow(/was a session of pi alone.*open it again$/);
}

/** The program looks for them here. */
const room = lineHeads(2 ** 20)?.room;

test("the bytes of an entry of ours are found wherever the pieces are cut in which they come", () => {
  const needle = '"customType":"openclaw:scratchpad';
  fc.assert(
    fc.property(
      fc.array(
        fc.constantFrom(needle, needle.slice(0, 20), needle.slice(5), '"customType":"plan-mode"', "x".repeat(40)),
      ),
      fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1 }),
      fc.boolean(),
      (parts, lengths, isInRoom) => {
        const bytes = Buffer.from(parts.join(""));
        const look = noneOfOurs("file", undefined);
        const lookAtAll = () => {
          for (let from = 0, index = 0; from < bytes.length; index++) {
            const to = from + (lengths[index % lengths.length] ?? 1);
            const piece = bytes.subarray(from, to);
            if (isInRoom && room !== undefined) look(room.subarray(0, piece.copy(room)));
            else look(piece);
            from = to;
          }
        };
        if (bytes.includes(needle)) expect(lookAtAll).toThrow(/of pi alone/);
        else lookAtAll();
      },
    ),
  );
});

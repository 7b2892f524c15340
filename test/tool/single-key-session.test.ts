import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openJournal } from "../../src/open.ts";
import { singleKeyTool } from "../../src/tool/single-key.ts";

const key = "openclaw:scratchpad";
let folder = "";
let session = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "session-journal-single-key-"));
  session = join(folder, "session.jsonl");
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Entry {
  readonly customType?: string;
  readonly data?: unknown;
  readonly id: string;
}

function entries(): Entry[] {
  const lines = readFileSync(session, "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Entry);
}

/** What a runtime of that generation does: it takes the last value of its key, and appends its own. */
const olderRuntime = {
  resume: () => entries().findLast(({ customType }) => customType === key)?.data,
  write(data: string) {
    const parentId = entries().at(-1)?.id ?? null;
    const entry = {
      type: "custom",
      customType: key,
      data,
      id: "0000abcd",
      parentId,
      timestamp: new Date().toISOString(),
    };
    appendFileSync(session, `${JSON.stringify(entry)}\n`);
  },
};

it("an older runtime resumes from what the tool wrote, and the tool from what it wrote", async () => {
  const journal = await openJournal(session, { mirror: "single-key" });
  const tool = singleKeyTool(journal);
  await tool.run({ content: "## Plan" });
  await tool.run({ content: "1. Fix X", mode: "append" });
  expect(olderRuntime.resume()).toBe("## Plan\n1. Fix X");
  olderRuntime.write("theirs");
  await tool.run({ content: "ours", mode: "append" });
  expect(journal.state.notes).toBe("theirs\nours");
  expect(olderRuntime.resume()).toBe("theirs\nours");
  await journal.close();
  const resumed = await openJournal(session, { mirror: "single-key" });
  expect(resumed.state.notes).toBe("theirs\nours");
  expect((await resumed.verify()).ok).toBe(true);
  await resumed.close();
});

it("no value is lost on a session whose notes were written in the newer format", async () => {
  const journal = await openJournal(session, { mirror: "single-key" });
  await journal.notes.set("newer");
  const tool = singleKeyTool(journal);
  await tool.run({ content: "more", mode: "append" });
  await journal.close();
  const resumed = await openJournal(session, { mirror: "single-key" });
  expect(resumed.state.notes).toBe("newer\nmore");
  expect(olderRuntime.resume()).toBe("newer\nmore");
  await resumed.close();
});

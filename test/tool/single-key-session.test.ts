import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openJournal } from "../../src/open/open-journal.ts";
import { singleKeyTool } from "../../src/tool/single-key.ts";
import { singleKeyScratchpads } from "../../src/tool/single-key-sessions.ts";

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

test("an older runtime resumes from what the tool wrote, and the tool from what it wrote", async () => {
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

test("no value is lost on a session whose notes were written in the newer format", async () => {
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

test("the text of each session is found by its id, as older runtimes ask for it", async () => {
  const opened: string[] = [];
  const scratchpads = singleKeyScratchpads({
    maxTokens: 10,
    actor: "core",
    open: (sessionId) => {
      opened.push(sessionId);
      return openJournal(join(folder, `${sessionId}.jsonl`), { mirror: "single-key" });
    },
  });
  const { getScratchpadContent, setScratchpadContent } = {
    getScratchpadContent: (id: string) => scratchpads.getScratchpadContent(id),
    setScratchpadContent: scratchpads.setScratchpadContent.bind(scratchpads),
  };
  expect(getScratchpadContent("session")).toBeUndefined();
  expect((await setScratchpadContent("session", "1. Tag")).message).toBe("Scratchpad updated (2 tokens / 10 budget)");
  await setScratchpadContent("session", "2. Ship", "append");
  await setScratchpadContent("session", "2. Ship", "append", { command: "toolu_1" });
  await setScratchpadContent("session", "2. Ship", "append", { command: "toolu_1" });
  expect(getScratchpadContent("session")).toBe("1. Tag\n2. Ship\n2. Ship");
  expect((await setScratchpadContent("session", "x".repeat(40), "append")).message).toContain("Append would exceed 10");
  expect(getScratchpadContent("other")).toBeUndefined();
  expect(olderRuntime.resume()).toBe("1. Tag\n2. Ship\n2. Ship");

  olderRuntime.write("from the older one");
  expect(getScratchpadContent("session")).toBe("1. Tag\n2. Ship\n2. Ship");
  await scratchpads.resume("session");
  expect(getScratchpadContent("session")).toBe("from the older one");
  await (await scratchpads.tool("session")).run({ content: "" });
  expect(getScratchpadContent("session")).toBeUndefined();
  await scratchpads.resume("other");
  await scratchpads.close("session");
  await scratchpads.resume("session");
  expect(opened).toEqual(["session", "other", "session"]);
  await scratchpads.close();
});

test("a session that cannot be opened is tried again, and wrong options are named at once", async () => {
  let attempts = 0;
  const scratchpads = singleKeyScratchpads({
    open: async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("not yet");
      return openJournal(session);
    },
  });
  await expect(scratchpads.resume("s")).rejects.toThrow("not yet");
  await scratchpads.resume("s");
  await scratchpads.close();
  expect(() => singleKeyScratchpads({ open: () => openJournal(session), source: "model" })).not.toThrow();
  expect(() => singleKeyScratchpads({ open: () => openJournal(session), actor: "" })).toThrow('option "actor" must be');
  expect(() => singleKeyScratchpads({} as never)).toThrow('option "open" must be a function that opens the journal');
  expect(() => singleKeyScratchpads({ open: () => openJournal(session), maxToken: 1 } as never)).toThrow("maxToken");
});

test("what is written while a session is being closed opens it again, and is not refused", async () => {
  const scratchpads = singleKeyScratchpads({ open: () => openJournal(session, { mirror: "single-key" }) });
  await scratchpads.setScratchpadContent("a", "before");
  const closing = scratchpads.close("a");
  expect(await scratchpads.setScratchpadContent("a", "after")).toMatchObject({ ok: true });
  await closing;
  expect(scratchpads.getScratchpadContent("a")).toBe("after");
  await scratchpads.close();
  expect(olderRuntime.resume()).toBe("after");
});

test("a text that an older runtime cut within a character is handed out without the half", async () => {
  await (await openJournal(session)).close();
  olderRuntime.write("cut \ud83d");
  const scratchpads = singleKeyScratchpads({ open: () => openJournal(session, { mirror: "single-key" }) });
  await scratchpads.resume("a");
  expect(scratchpads.getScratchpadContent("a")).toBe("cut \ufffd");
  await scratchpads.close();
});

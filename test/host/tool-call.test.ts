import { expect, test } from "vitest";
import { callTool } from "../../src/host/tool-call.ts";
import { openJournal } from "../../src/open/open-journal.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { scratchpadTool } from "../../src/tool/scratchpad.ts";
import { useFolder } from "../store/session-file/folder.ts";

const folder = useFolder();

test("the long name of a parameter that is none is not cut within a character", async () => {
  const tool = scratchpadTool(await openJournal(memoryStore()));
  const { text, isError } = await callTool(tool, { action: "read", [`${"x".repeat(99)}😀`]: 1 });
  expect(isError).toBe(true);
  expect(text.isWellFormed()).toBe(true);
});

test("an action under an id that another action had is done", async () => {
  const journal = await openJournal(memoryStore());
  const tool = scratchpadTool(journal);
  const add = (ref: string, command: string) => callTool(tool, { action: "refs.add", ref }, { command });
  await add("a", "call_0");
  expect(await add("b", "call_0")).toMatchObject({ text: "ref added: 2/50 items used", isError: false });
  expect(await add("a", "call_0")).toMatchObject({ text: "ref added: 1/50 items used", isError: false });
  expect(journal.state.refs).toEqual(["a", "b"]);
});

test("an action is done whatever its id is, and a repeated call with a long id does nothing twice", async () => {
  const journal = await openJournal(memoryStore());
  const tool = scratchpadTool(journal);
  const long = `${"call_1__thought__".padEnd(5_000, "x")}end`;
  for (const command of ["", long, long, `${long}y`, long.slice(0, 1024), "\ud83d"])
    await callTool(tool, { action: "refs.add", ref: "r" }, { command });
  expect(journal.state.refs).toHaveLength(5);
});

test("an action under an id that an abandoned branch had is done on the branch that stands", async () => {
  const session = folder.session();
  const root = session.user("which way?");
  await using journal = await openJournal(session.file, { fold: "branch" });
  const tool = scratchpadTool(journal);
  const set = (content: string) => callTool(tool, { action: "set_plan", content }, { command: "call_0" });
  session.user("this way", root);
  await set("1. This way");
  session.user("another way", root);
  for (const plan of ["1. Another way", "1. This way"]) {
    expect(await set(plan)).toMatchObject({ isError: false });
    expect(journal.state.plan).toBe(plan);
  }
});

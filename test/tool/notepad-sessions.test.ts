import { expect, test } from "vitest";
import { memoryStore } from "../../src/store/memory.ts";
import { notepad } from "../../src/tool/notepad.ts";
import { memoryJournal } from "./memory-journal.ts";

async function parentWithNotes() {
  const parent = await memoryJournal();
  await notepad(parent).write("findings");
  return parent;
}

test.each([
  [undefined, ""],
  [{}, ""],
  [{ copy_notepad: false }, ""],
  [{ copy_notepad: true }, "findings"],
  [{ copy: true }, "findings"],
  [{ copy: false, copy_notepad: true }, ""],
])("a spawned session with %j begins with the notepad %j", async (options, content) => {
  const child = await (await parentWithNotes()).spawn(memoryStore(), options);
  expect(await notepad(child).read()).toBe(content);
});

test("a forked session always has the notepad, and both stand alone afterwards", async () => {
  const parent = await parentWithNotes();
  const child = await parent.fork(memoryStore());
  await notepad(child).append("of the child");
  await notepad(parent).append("of the parent");
  expect(await notepad(child).read()).toBe("findings\nof the child");
  expect(await notepad(parent).read()).toBe("findings\nof the parent");
});

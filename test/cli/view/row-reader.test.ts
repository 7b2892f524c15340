import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RowReader } from "../../../src/cli/view/row-reader.ts";
import { openJournal } from "../../../src/open/open-journal.ts";
import { sessionFileStore } from "../../../src/store/session-file/session-file-store.ts";

test.each(["file", "branch"] as const)("a plan that was restored is shown, folded by %s", async (fold) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, "session.jsonl");
  const journal = await openJournal(file, { fold });
  await journal.plan.set("- [x] Find the bug\n- [ ] Fix it");
  await journal.plan.set("");
  await journal.restore(1);
  await journal.close();
  const reader = new RowReader(file, async () => sessionFileStore(file, { readonly: true, create: false }));
  const opening = await reader.read();
  await reader.close();
  expect(opening?.listed.progress).toEqual({ done: 1, total: 2 });
});

test("a session file that is removed after it was read has no row, until it is back", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "session-journal-"));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, "session.jsonl");
  const journal = await openJournal(file);
  await journal.plan.set("- [x] Find the bug");
  await journal.close();
  const bytes = fs.readFileSync(file);
  const reader = new RowReader(file, async () => sessionFileStore(file, { readonly: true }), folder);
  const versions = [(await reader.read())?.listed.version];
  fs.rmSync(file);
  versions.push((await reader.read())?.listed.version);
  fs.writeFileSync(file, bytes);
  versions.push((await reader.read())?.listed.version);
  await reader.close();
  expect(versions).toEqual([1, undefined, 1]);
});
